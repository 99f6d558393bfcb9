"""Find the compilers: a real ROCm, the AMD chain in the user's cache, nvcc. Finding makes nothing.

`prepare.py` makes what is missing and can be had without being root.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache as memoized
from pathlib import Path

from warp2wave.build import cuda_wheels, device_libs, rocm_roots
from warp2wave.cachedir import user_cache
from warp2wave.errors import MissingToolError, UsageError

DEBIAN_LINE = "apt-get install -y clang-19 clang-tools-19 lld-19 llvm-19 rocm-device-libs"
PREPARE_LINE = "warp2wave doctor --install"
REAL_ROCM = "rocm"
"""The header set of an installed ROCm, beside those of `rocm_roots.HEADER_SETS`."""

_BITCODE_FOLDERS = (
    "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
    "/usr/lib/aarch64-linux-gnu/amdgcn/bitcode",
    "/usr/share/amdgcn/bitcode",
)
_CLANG_MAJOR = 19


@dataclass(frozen=True, slots=True)
class HipToolchain:
    """A clang that compiles HIP, and what it compiles against.

    `root` is the ROCm root, `device_libs` the bitcode folder, `include_dirs` HIP's own headers in
    compiler order. `tools` maps lld, clang-offload-bundler and llvm-cxxfilt to their paths.
    `headers` is "6.0", "7.1" or "rocm"; `title` names it for people and is part of cache keys;
    `origin` is one sentence on where it comes from.
    """

    clang: Path
    root: Path
    device_libs: Path
    include_dirs: tuple[Path, ...]
    tools: dict[str, Path]
    version: str
    headers: str
    title: str
    origin: str
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CudaToolchain:
    """An nvcc and its headers; `origin` says where it was found."""

    nvcc: Path
    include_dirs: tuple[Path, ...]
    version: str
    title: str
    origin: str


def find_hip_toolchain(headers: str | None = None, *, cache: Path | None = None) -> HipToolchain:
    """Return the chain for one header set: "6.0", "7.1", "rocm", or None for the best there is.

    None means an installed ROCm (ROCM_PATH, HIP_PATH, /opt/rocm), else the 6.0 set. Raises
    MissingToolError with the line that installs what is missing, UsageError for an unknown set.
    """
    cache = cache or user_cache()
    if headers in (None, REAL_ROCM):
        for root in _rocm_candidates():
            found = _real_rocm(root)
            if found is not None:
                return found
        if headers == REAL_ROCM:
            raise MissingToolError(
                "no ROCm is installed (looked at ROCM_PATH, HIP_PATH and /opt/rocm)",
                "see ROCm's installation guide, or compile with --hip-headers 6.0",
            )
    headers = headers or "6.0"
    if headers not in rocm_roots.HEADER_SETS:
        known = ", ".join((*rocm_roots.HEADER_SETS, REAL_ROCM))
        raise UsageError(f"no HIP header set {headers!r}: there are {known}")
    clang = find_clang()
    bitcode = debian_bitcode()
    root = rocm_roots.root_of(cache, headers)
    libraries = device_libs.folder_of(cache, clang, bitcode)
    if not rocm_roots.is_ready(cache, headers) or not libraries.is_dir():
        raise MissingToolError(f"the HIP {headers} headers are not prepared yet", PREPARE_LINE)
    return HipToolchain(
        clang=clang,
        root=root,
        device_libs=libraries,
        include_dirs=(root / "include",),
        tools=_llvm_tools(clang),
        version=_first_line(clang),
        headers=headers,
        title=f"clang {_clang_version(clang)}, HIP {headers} headers",
        origin=f"{_first_line(clang)} with the HIP {headers} headers in {root}",
    )


def find_clang() -> Path:
    """Return a clang++ 19 with the AMD back end and its tools; MissingToolError where none is."""
    folders = [Path(f"/usr/lib/llvm-{_CLANG_MAJOR}/bin")]
    on_path = shutil.which(f"clang++-{_CLANG_MAJOR}")
    if on_path:
        folders.append(Path(on_path).resolve().parent)
    for folder in folders:
        clang = folder / "clang++"
        if clang.is_file() and not _missing_tools(clang) and "amdgcn" in _targets(clang):
            return clang
    raise MissingToolError(
        f"clang {_CLANG_MAJOR} with lld, clang-offload-bundler and the AMD back end is missing",
        DEBIAN_LINE,
    )


def find_cuda_toolchain(*, cache: Path | None = None) -> CudaToolchain:
    """Return nvcc from CUDA_HOME, PATH, /usr/local/cuda or the cache, in this order.

    Raises MissingToolError with the line that installs it.
    """
    cache = cache or user_cache()
    places: list[tuple[Path, str]] = []
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        home = os.environ.get(variable)
        if home:
            places.append((Path(home) / "bin" / "nvcc", f"{variable}"))
    on_path = shutil.which("nvcc")
    if on_path:
        places.append((Path(on_path), "PATH"))
    places.append((Path("/usr/local/cuda/bin/nvcc"), "/usr/local/cuda"))
    wheels = cuda_wheels.NVCC.folder(cache) / "bin" / "nvcc"
    places.append((wheels, "NVIDIA's wheels in the cache"))
    for nvcc, origin in places:
        if not os.access(nvcc, os.X_OK):
            continue
        said = _output_of([str(nvcc), "--version"])
        release = re.search(r"release ([\d.]+), V([\d.]+)", said)
        if release:
            version = release.group(2)
            folders: tuple[Path, ...] = (cuda_wheels.CURAND.folder(cache) / "include",)
            if not cuda_wheels.CURAND.is_ready(cache) or has_header(nvcc, "curand.h"):
                folders = ()
            title = f"nvcc {version}"
            return CudaToolchain(nvcc, folders, version, title, f"{title}, from {origin}")
    raise MissingToolError("nvcc is missing", PREPARE_LINE)


def has_header(nvcc: Path, name: str) -> bool:
    """True when a header is in the include folder of the CUDA that this nvcc belongs to."""
    homes = (nvcc.parent.parent, nvcc.resolve().parent.parent, Path("/usr/local/cuda"))
    return any((home / "include" / name).is_file() for home in homes)


def _rocm_candidates() -> Iterator[Path]:
    for variable in ("ROCM_PATH", "HIP_PATH"):
        value = os.environ.get(variable)
        if value:
            yield Path(value)
            yield Path(value).parent  # HIP_PATH was ROCM_PATH/hip in ROCm 5
    yield Path("/opt/rocm")


def _real_rocm(root: Path) -> HipToolchain | None:
    if not (root / "include" / "hip" / "hip_version.h").is_file():
        return None
    for llvm in (root / "lib" / "llvm", root / "llvm"):
        clang = llvm / "bin" / "clang++"
        libraries = next(
            (
                folder
                for folder in (
                    root / "amdgcn" / "bitcode",
                    *sorted((llvm / "lib" / "clang").glob("*/lib/amdgcn/bitcode")),
                )
                if (folder / "ocml.bc").is_file()
            ),
            None,
        )
        if not os.access(clang, os.X_OK) or libraries is None or _missing_tools(clang):
            continue
        numbers = dict(
            re.findall(
                r"#define HIP_VERSION_(MAJOR|MINOR|PATCH) (\d+)",
                (root / "include" / "hip" / "hip_version.h").read_text(encoding="utf-8"),
            )
        )
        hip = ".".join(numbers.get(part, "?") for part in ("MAJOR", "MINOR", "PATCH"))
        return HipToolchain(
            clang=clang,
            root=root,
            device_libs=libraries,
            include_dirs=(root / "include",),
            tools=_llvm_tools(clang),
            version=_first_line(clang),
            headers=REAL_ROCM,
            title=f"ROCm clang {_clang_version(clang)}, HIP {hip}",
            origin=f"the ROCm installed in {root}",
        )
    return None


_TOOLS = ("ld.lld", "clang-offload-bundler", "llvm-cxxfilt")


def _llvm_tools(clang: Path) -> dict[str, Path]:
    return {name: clang.parent / name for name in _TOOLS if (clang.parent / name).exists()}


def _missing_tools(clang: Path) -> list[str]:
    found = _llvm_tools(clang)
    return [name for name in ("ld.lld", "clang-offload-bundler") if name not in found]


def debian_bitcode() -> Path:
    """Return the folder of the distribution's device libraries; MissingToolError where none is."""
    for name in _BITCODE_FOLDERS:
        if (Path(name) / "ocml.bc").is_file():
            return Path(name)
    raise MissingToolError("AMD's device libraries are missing", DEBIAN_LINE)


def _first_line(program: Path) -> str:
    return (_output_of([str(program), "--version"]).splitlines() or [""])[0]


def _targets(clang: Path) -> str:
    return _output_of([str(clang), "--print-targets"])


def _clang_version(clang: Path) -> str:
    found = re.search(r"version ([\d.]+)", _first_line(clang))
    return found.group(1) if found else "?"


def _output_of(argv: list[str]) -> str:
    path = Path(argv[0])
    try:
        stamp = path.stat().st_mtime_ns
    except OSError:
        return ""
    return _run_once(tuple(argv), stamp)


@memoized
def _run_once(argv: tuple[str, ...], _stamp: int) -> str:
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace")
