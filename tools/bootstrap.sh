#!/usr/bin/env bash
# Set up .venv and the compilers for `make test` and `make demo` on a bare Debian machine.
# As root it installs the Debian packages that are missing; otherwise it prints the one line to run.
# Usage: tools/bootstrap.sh [--no-compilers]
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
debian_compilers="clang-19 clang-tools-19 lld-19 llvm-19 rocm-device-libs"

install_debian() {
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
  else
    echo "missing: $*; run: sudo apt-get install -y --no-install-recommends $*" >&2
    return 3
  fi
}

# Debian splits ensurepip off the interpreter.
"$python" -c "import ensurepip, venv" 2>/dev/null || install_debian python3-venv
[ -x .venv/bin/python ] || "$python" -m venv .venv

stamp=.venv/.bootstrap-$(cat pyproject.toml tools/bootstrap.sh | sha256sum | cut -c1-16)
if [ ! -e "$stamp" ]; then
  .venv/bin/python -m pip install -q --upgrade "pip>=25.1"
  # The local version label keeps pip from resolving to a CUDA build of several gigabytes.
  .venv/bin/python -m pip install -q "torch==2.13.0+cpu" || {
    echo "the CPU build of PyTorch 2.13.0 is not on the configured package index;" >&2
    echo "add PyTorch's own CPU index: PIP_EXTRA_INDEX_URL=... make test (see pytorch.org, Get Started)" >&2
    exit 3
  }
  .venv/bin/python -m pip install -q --group dev
  .venv/bin/python -m pip install -q -e .
  rm -f .venv/.bootstrap-*
  touch "$stamp"
fi

[ "${1:-}" = --no-compilers ] && exit 0
if ! command -v clang++-19 >/dev/null || ! command -v llvm-readelf-19 >/dev/null \
    || ! command -v clang-offload-bundler-19 >/dev/null \
    || [ ! -d "/usr/lib/$(uname -m)-linux-gnu/amdgcn/bitcode" ]; then
  # shellcheck disable=SC2086
  install_debian $debian_compilers
fi
.venv/bin/warp2wave doctor --install
