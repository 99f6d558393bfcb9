# ruff: noqa: E501 -- a table, and wrapped rows are harder to compare
"""The packages whose headers are read, pinned, and how to open them: a wheel or an unpacked tree.

`pip download --no-deps` gets each wheel; a header is read out of it without unpacking. Where a wheel is
absent, a tree of the same headers may stand in (`/usr/local/cuda` for CUDA, a clang resource folder).
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Package:
    """One pinned package. `platform` is "cuda" or "hip", `release` the toolkit version it belongs to.

    `prefixes` are the folders in the wheel that stand on the include path, in order. A package without
    a wheel (`wheel` false) is a folder of this machine: clang's own headers.
    """

    key: str
    name: str
    version: str
    title: str
    platform: str
    release: str
    prefixes: tuple[str, ...]
    wheel: bool = True


CU13 = ("nvidia/cu13/include/",)

PACKAGES: tuple[Package, ...] = (
    Package("cuda-runtime-13.0", "nvidia-cuda-runtime", "13.0.96", "CUDA 13.0", "cuda", "13.0", CU13),
    Package("cuda-crt-13.0", "nvidia-cuda-crt", "13.0.88", "CUDA 13.0", "cuda", "13.0", CU13),
    Package("cuda-cccl-13.0", "nvidia-cuda-cccl", "13.0.85", "CUDA 13.0", "cuda", "13.0",
            ("nvidia/cu13/include/cccl/",)),
    Package("cuda-nvrtc-13.0", "nvidia-cuda-nvrtc", "13.0.88", "CUDA 13.0", "cuda", "13.0", CU13),
    Package("cuda-nvtx-13.0", "nvidia-nvtx", "13.0.85", "CUDA 13.0", "cuda", "13.0", CU13),
    Package("cuda-nvml-13.0", "nvidia-nvml-dev", "13.0.87", "CUDA 13.0", "cuda", "13.0", CU13),
    Package("cuda-cublas-13", "nvidia-cublas", "13.1.0.3", "CUDA 13.0", "cuda", "13.0", CU13),
    Package("cuda-cusparse-13.0", "nvidia-cusparse", "12.6.3.3", "CUDA 13.0", "cuda", "13.0", CU13),
    Package("cuda-cusolver-13", "nvidia-cusolver", "12.0.4.66", "CUDA 13.0", "cuda", "13.0", CU13),
    Package("cuda-curand-13", "nvidia-curand", "10.4.0.35", "CUDA 13.0", "cuda", "13.0", CU13),
    Package("cuda-cufft-13", "nvidia-cufft", "12.0.0.61", "CUDA 13.0", "cuda", "13.0", CU13),
    Package("cuda-cufile-13", "nvidia-cufile", "1.15.1.6", "CUDA 13.0", "cuda", "13.0", CU13),
    Package("cudnn-9", "nvidia-cudnn-cu13", "9.13.0.50", "cuDNN 9.13", "cuda", "13.0",
            ("nvidia/cudnn/include/",)),
    Package("nccl-2", "nvidia-nccl-cu13", "2.27.7", "NCCL 2.27", "cuda", "13.0", ("nvidia/nccl/include/",)),
    Package("cuda-cccl-12.9", "nvidia-cuda-cccl-cu12", "12.9.27", "CUDA 12.9", "cuda", "12.9",
            ("nvidia/cuda_cccl/include/",)),
    Package("cuda-profiler-13.0", "nvidia-cuda-profiler-api", "13.0.85", "CUDA 13.0", "cuda", "13.0",
            CU13),
    Package("cuda-cusparse-11.8", "nvidia-cusparse-cu11", "11.7.5.86", "CUDA 11.8", "cuda", "11.8",
            ("nvidia/cusparse/include/",)),
    Package("cuda-cusparse-12.0", "nvidia-cusparse-cu12", "12.0.0.76", "CUDA 12.0", "cuda", "12.0",
            ("nvidia/cusparse/include/",)),
    Package("cusparselt-0.8", "nvidia-cusparselt-cu13", "0.8.0", "cuSPARSELt 0.8", "cuda", "13.0",
            ("nvidia/cusparselt/include/",)),
    Package("cuda-runtime-11.8", "nvidia-cuda-runtime-cu11", "11.8.89", "CUDA 11.8", "cuda", "11.8",
            ("nvidia/cuda_runtime/include/",)),
    Package("cuda-crt-11.8", "nvidia-cuda-nvcc-cu11", "11.8.89", "CUDA 11.8", "cuda", "11.8",
            ("nvidia/cuda_nvcc/include/",)),
    Package("cuda-runtime-12.0", "nvidia-cuda-runtime-cu12", "12.0.146", "CUDA 12.0", "cuda", "12.0",
            ("nvidia/cuda_runtime/include/",)),
    Package("cuda-crt-12.0", "nvidia-cuda-nvcc-cu12", "12.0.140", "CUDA 12.0", "cuda", "12.0",
            ("nvidia/cuda_nvcc/include/",)),
    Package("cuda-runtime-12.4", "nvidia-cuda-runtime-cu12", "12.4.127", "CUDA 12.4", "cuda", "12.4",
            ("nvidia/cuda_runtime/include/",)),
    Package("cuda-crt-12.4", "nvidia-cuda-nvcc-cu12", "12.4.131", "CUDA 12.4", "cuda", "12.4",
            ("nvidia/cuda_nvcc/include/",)),
    Package("cuda-runtime-12.9", "nvidia-cuda-runtime-cu12", "12.9.79", "CUDA 12.9", "cuda", "12.9",
            ("nvidia/cuda_runtime/include/",)),
    Package("cuda-crt-12.9", "nvidia-cuda-nvcc-cu12", "12.9.86", "CUDA 12.9", "cuda", "12.9",
            ("nvidia/cuda_nvcc/include/",)),
    Package("rocm-6.0", "tensorflow-rocm", "2.14.0.600", "ROCm 6.0", "hip", "6.0",
            ("tensorflow/include/external/local_config_rocm/rocm/rocm/include/",)),
    Package("hip-7.1", "triton", "3.9.0", "HIP 7.1", "hip", "7.1", ("triton/backends/amd/include/",)),
    Package("clang-19", "clang", "19.1", "HIP wrapper headers", "hip", "6.0", ("",), wheel=False),
)  # fmt: skip


@cache
def _archive(wheel: Path) -> zipfile.ZipFile:
    # Kept open: reading the directory of a wheel with 15,000 files takes longer than reading a header.
    return zipfile.ZipFile(wheel)


@dataclass(frozen=True, slots=True)
class Opened:
    """A package whose files can be read: its wheel, or the folder that stands in for it."""

    package: Package
    wheel: Path | None
    folder: Path | None

    def inside(self) -> list[str]:
        """The path of every file."""
        if self.wheel is not None:
            return _archive(self.wheel).namelist()
        assert self.folder is not None
        paths = (path for path in self.folder.rglob("*") if path.is_file())
        return [path.relative_to(self.folder).as_posix() for path in paths]

    def headers(self) -> dict[str, str]:
        """Every header's path as an `#include` spells it, to the path inside the wheel or folder."""
        inside = self.inside()
        found: dict[str, str] = {}
        for prefix in self.package.prefixes if self.wheel is not None else ("",):
            for name in inside:
                if name.startswith(prefix) and name.endswith(
                    (".h", ".hpp", ".cuh", ".inl", ".h.in")
                ):
                    found.setdefault(name[len(prefix) :], name)
        return found

    def text(self, inside: str) -> str:
        """The contents of one file, decoded leniently."""
        if self.wheel is not None:
            return _archive(self.wheel).read(inside).decode("utf-8", "replace")
        assert self.folder is not None
        return (self.folder / inside).read_text(encoding="utf-8", errors="replace")

    def sha256(self) -> str:
        """The wheel's hash, "" for a folder."""
        if self.wheel is None:
            return ""
        with self.wheel.open("rb") as stream:
            digest = hashlib.sha256()
            while block := stream.read(1 << 20):
                digest.update(block)
        return digest.hexdigest()


def download(folder: Path) -> None:
    """Fetch the wheels that `folder` lacks with pip (about 2.4 GB when it is empty)."""
    folder.mkdir(parents=True, exist_ok=True)
    for package in PACKAGES:
        if package.wheel and find_wheel(package, [folder]) is None:
            command = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--no-deps",
                "--only-binary",
                ":all:",
            ]
            command += ["--dest", str(folder), f"{package.name}=={package.version}"]
            subprocess.run(command, check=True)


def find_wheel(package: Package, folders: list[Path]) -> Path | None:
    """The package's wheel in the first folder that has it."""
    stem = f"{package.name.replace('-', '_')}-{package.version}-"
    for folder in folders:
        for path in sorted(folder.glob(stem + "*.whl")):
            return path
    return None


def open_packages(wheels: list[Path], trees: dict[str, Path]) -> list[Opened]:
    """The packages that can be read, in the order of PACKAGES; `trees` maps keys to folders."""
    opened = []
    for package in PACKAGES:
        wheel = find_wheel(package, wheels) if package.wheel else None
        folder = trees.get(package.key)
        if wheel is not None:
            opened.append(Opened(package, wheel, None))
        elif folder is not None and folder.is_dir():
            opened.append(Opened(package, None, folder))
    return opened
