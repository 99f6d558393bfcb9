"""The compile line of a HIP build follows the project's own flags."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from warp2wave.build.hip import PYTORCH_FLAGS, plan_hip_steps
from warp2wave.build.toolchains import HipToolchain
from warp2wave.model import Project


def test_f53_undefines_of_pytorchs_half_macros_reach_hips(tmp_path: Path) -> None:
    clang = tmp_path / "clang++"
    clang.touch()
    toolchain = HipToolchain(
        clang=clang, tools={}, root=tmp_path, include_dirs=(), device_libs=tmp_path,
        headers="6.0", version="19", title="clang", origin="made up",
    )  # fmt: skip
    source = PurePosixPath("a.cu")
    undefines = ("NDEBUG", "__CUDA_NO_HALF_CONVERSIONS__")
    project = Project("x", (), (), (source,), (), ("NDEBUG=1",), undefines)
    for step in plan_hip_steps(project, tmp_path, source, ["gfx90a"], toolchain, ()):
        argv = step.compile_argv(Path("o"), Path("d"))
        # The last one counts.
        assert argv.index("-UNDEBUG") > argv.index("-DNDEBUG=1")
        switched_off = next(f for f in PYTORCH_FLAGS if "HIP_NO_HALF_CONVERSIONS" in f)
        assert argv.index("-U__HIP_NO_HALF_CONVERSIONS__") > argv.index(switched_off)
        assert "-U__CUDA_NO_HALF_CONVERSIONS__" in argv
        assert "-U__HIP_NO_HALF_OPERATORS__" not in argv
