"""AMD's device libraries for clang: the distribution's bitcode plus constants for newer GPUs.

Debian's rocm-device-libs stops at gfx940 and code object ABI 5. What newer architectures lack is
one constant each, `__oclc_ISA_version`, whose value follows the architecture's name
(gfx942 -> 9*1000 + 4*100 + 2 = 9402), and `__oclc_ABI_version` = 600.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path

from filelock import FileLock

from warp2wave.build.processes import Runner
from warp2wave.errors import BuildFailedError

ADDED_ARCHITECTURES = {"942": 9402, "950": 9500, "1100": 11000, "1201": 12001}
ADDED_ABI = 600
RECIPE = 1


def folder_of(cache: Path, clang: Path, bitcode: Path) -> Path:
    """Where the completed bitcode folder for this compiler is, or would be."""
    text = f"{RECIPE} {clang.resolve()} {clang.stat().st_mtime_ns} {bitcode}"
    return cache / "device-libs" / hashlib.sha256(text.encode()).hexdigest()[:16]


def prepare_device_libs(cache: Path, clang: Path, bitcode: Path) -> Path:
    """Return a folder with every file of `bitcode` and the constants that it lacks.

    Costs under a second once; no download. Raises BuildFailedError where clang cannot make one.
    """
    folder = folder_of(cache, clang, bitcode)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.parent / f"{folder.name}.lock"):
        if not folder.is_dir():
            work = Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
            try:
                for source in sorted(bitcode.glob("*.bc")):
                    (work / source.name).symlink_to(source)
                constants = {
                    f"oclc_isa_version_{arch}.bc": f"__oclc_ISA_version = {value}"
                    for arch, value in ADDED_ARCHITECTURES.items()
                }
                constants[f"oclc_abi_version_{ADDED_ABI}.bc"] = f"__oclc_ABI_version = {ADDED_ABI}"
                for name, constant in constants.items():
                    if not (work / name).exists():
                        _compile_constant(clang, constant, work / name)
                work.rename(folder)
            finally:
                shutil.rmtree(work, ignore_errors=True)
    return folder


def _compile_constant(clang: Path, constant: str, target: Path) -> None:
    source = target.with_suffix(".cl")
    source.write_text(f"__constant const int {constant};\n", encoding="ascii")
    done = Runner().run(
        [
            *(str(clang), "-x", "cl", "-target", "amdgcn-amd-amdhsa", "-nogpulib"),
            *("-Xclang", "-finclude-default-header", "-emit-llvm", "-c"),
            *(str(source), "-o", str(target)),
        ]
    )
    source.unlink()
    if done.status != 0:
        raise BuildFailedError(f"{clang.name} cannot compile {constant}", done.output.strip())
