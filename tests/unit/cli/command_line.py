"""Shorthand for the command-line tests: trees on disk, and the command as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KERNEL = b"""#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
// cudaMalloc in a comment stays
__global__ void k(float *p) {
  p[threadIdx.x] = __shfl_down_sync(0xffffffff, p[threadIdx.x], 16);
}
void run(float *p) {
  k << <1, 32, 0, at::cuda::getCurrentCUDAStream()>> >(p);
  cudaDeviceSynchronize();
}
"""
FIXED = KERNEL.replace(b"k << <", b"k <<<").replace(b">> >(p)", b">>>(p)")


@dataclass(frozen=True)
class Ran:
    """What a run of the command gave."""

    code: int
    out: bytes
    err: bytes

    @property
    def said(self) -> str:
        return self.err.decode()

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def json(self) -> dict[str, Any]:
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value


def command(*arguments: str | bytes | Path) -> list[str | bytes | Path]:
    return [sys.executable, "-m", "warp2wave", *arguments]


def process(
    *arguments: str | bytes | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Ran:
    """Run the command as a user does."""
    done = subprocess.run(
        command(*arguments),
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=120,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def make(root: Path, files: Mapping[str, bytes]) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return root


def snapshot(root: Path) -> dict[str, tuple[int, bytes | None]]:
    """Every path below `root` but `.git`: permissions and content (of a link: where it leads)."""
    found: dict[str, tuple[int, bytes | None]] = {}
    for place in sorted(root.rglob("*")):
        name = place.relative_to(root)
        if name.parts[0] == ".git":
            continue
        content = None
        if place.is_symlink():
            content = os.fsencode(os.readlink(place))  # noqa: PTH115
        elif place.is_file():
            content = place.read_bytes()
        found[str(name)] = (place.lstat().st_mode, content)
    return found


def git(folder: Path, *arguments: str, given: bytes = b"") -> bytes:
    names = ("-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *names, *arguments], cwd=folder, input=given, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def repository(root: Path) -> Path:
    """Make `root` a git repository with everything in it committed."""
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "start", "--allow-empty")
    return root
