"""NVIDIA's compiler from its wheels, laid together in the cache as one CUDA folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock

from warp2wave import registry
from warp2wave.build.rocm_roots import Wheel
from warp2wave.errors import UsageError

Note = Callable[[str], None]
RECIPE = 1

NVCC_WHEELS = (
    Wheel(
        "nvidia-cuda-nvcc",
        "13.0.88",
        "56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03",
        37,
        "nvcc",
    ),
    Wheel(
        "nvidia-nvvm",
        "13.0.88",
        "c5f41ffeb6466944a026dfa5317d7d85355c119bbec279205d22f1869d1054e0",
        62,
        "nvcc's back end",
    ),
    Wheel(
        "nvidia-cuda-crt",
        "13.0.88",
        "2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4",
        1,
        "nvcc's headers",
    ),
    Wheel(
        "nvidia-cuda-runtime",
        "13.0.96",
        "7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548",
        2,
        "CUDA runtime headers",
    ),
    Wheel(
        "nvidia-cuda-cccl",
        "13.0.85",
        "e0da7ad981f3a8aff08241b5bfc1af868742a63e2762f53a5171c492ef242649",
        3,
        "CUB and Thrust",
    ),
)
_INSIDE = "nvidia/cu13/"


def root_of(cache: Path) -> Path:
    """Where the CUDA folder made of the wheels is, or would be."""
    return cache / "cuda" / f"13.0-{RECIPE}"


def prepare_nvcc(cache: Path, note: Note) -> Path:
    """Lay the wheels together (105 MB of downloads); return the CUDA folder.

    Raises UsageError for a failed download or a wheel that holds no compiler.
    """
    root = root_of(cache)
    root.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(root.parent / f"{root.name}.lock"):
        if not root.is_dir():
            work = Path(tempfile.mkdtemp(prefix=".making-", dir=root.parent))
            try:
                for wheel in NVCC_WHEELS:
                    registry.extract(wheel.fetch(cache, note), _INSIDE, work)
                nvcc = work / "bin" / "nvcc"
                if not nvcc.is_file():
                    raise UsageError("NVIDIA's wheels hold no nvcc where it was expected")
                for program in (*(work / "bin").iterdir(), *(work / "nvvm" / "bin").iterdir()):
                    if program.is_file():
                        program.chmod(program.stat().st_mode | 0o755)
                work.rename(root)
            finally:
                shutil.rmtree(work, ignore_errors=True)
    return root
