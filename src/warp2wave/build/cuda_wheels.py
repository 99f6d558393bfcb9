"""NVIDIA's compiler, headers and disassembler from its wheels, laid together in the cache."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
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
CURAND_WHEELS = (
    Wheel(
        "nvidia-curand",
        "10.4.0.35",
        "1aee33a5da6e1db083fe2b90082def8915f30f3248d5896bcec36a579d941bfc",
        60,
        "cuRAND headers",
    ),
)
# No release of the 13.0 tools is in the index; newer ones read what older compilers wrote.
DISASSEMBLER_WHEELS = (
    Wheel(
        "nvidia-cuda-cuobjdump",
        "13.2.86",
        "d332c2ffe78e703ca0a3894be927f83124244e2acf0d792b8c12b4362d44d837",
        1,
        "cuobjdump",
    ),
    Wheel(
        "nvidia-cuda-nvdisasm",
        "13.2.86",
        "53606e719ecae07a2335f95902d5a1393a0cc1c317499ee7ffcf628a44385f2c",
        4,
        "nvdisasm",
    ),
)
_INSIDE = "nvidia/cu13/"


@dataclass(frozen=True, slots=True)
class Bundle:
    """Wheels that make one folder of the cache: which part of them, and the file that must be."""

    name: str
    wheels: tuple[Wheel, ...]
    inside: str
    sign: str

    def folder(self, cache: Path) -> Path:
        """Where the folder is, or would be; it has bin/ and include/ as far as the wheels do."""
        return cache / "cuda" / f"{self.name}-{RECIPE}"

    def is_ready(self, cache: Path) -> bool:
        """True when the folder is complete."""
        return (self.folder(cache) / self.sign).is_file()

    def prepare(self, cache: Path, note: Note) -> Path:
        """Make the folder if it is not there. UsageError: a failed download, an unfit wheel."""
        root = self.folder(cache)
        root.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(root.parent / f"{root.name}.lock"):
            if not self.is_ready(cache):
                work = Path(tempfile.mkdtemp(prefix=".making-", dir=root.parent))
                try:
                    self._fill(work, cache, note)
                    if root.exists():
                        shutil.rmtree(root)
                    work.rename(root)
                finally:
                    shutil.rmtree(work, ignore_errors=True)
        return root

    def _fill(self, work: Path, cache: Path, note: Note) -> None:
        for wheel in self.wheels:
            target = work / self.inside.removeprefix(_INSIDE)
            registry.extract(wheel.fetch(cache, note), self.inside, target)
        if not (work / self.sign).is_file():
            raise UsageError(f"{self.wheels[0].name}: {self.sign} is not where it was expected")
        for folder in (work / "bin", work / "nvvm" / "bin"):
            for program in folder.iterdir() if folder.is_dir() else ():
                if program.is_file():
                    program.chmod(program.stat().st_mode | 0o755)


NVCC = Bundle("nvcc-13.0", NVCC_WHEELS, _INSIDE, "bin/nvcc")
CURAND = Bundle("curand-10.4", CURAND_WHEELS, f"{_INSIDE}include/", "include/curand.h")
DISASSEMBLER = Bundle("disassembler-13.2", DISASSEMBLER_WHEELS, f"{_INSIDE}bin/", "bin/cuobjdump")
