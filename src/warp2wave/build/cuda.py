"""CUDA through nvcc: one step a source and architecture."""

from __future__ import annotations

import hashlib
from importlib import resources
from pathlib import Path, PurePosixPath

from warp2wave.build.hip import module_name, python_flags
from warp2wave.build.steps import Step
from warp2wave.build.toolchains import CudaToolchain
from warp2wave.build.torch_rocm import find_torch_dir
from warp2wave.model import Project

# What torch.utils.cpp_extension (2.13) passes for a source of a CUDA extension: COMMON_NVCC_FLAGS,
# -std, -fPIC.
PYTORCH_FLAGS = (
    "-std=c++20",
    "-O3",
    "-D__CUDA_NO_HALF_OPERATORS__",
    "-D__CUDA_NO_HALF_CONVERSIONS__",
    "-D__CUDA_NO_BFLOAT16_CONVERSIONS__",
    "-D__CUDA_NO_HALF2_OPERATORS__",
    "--expt-relaxed-constexpr",
    "--compiler-options=-fPIC",
)
REMARKS = ("-Xptxas=-v",)


def plan_cuda_step(
    project: Project,
    root: Path,  # noqa: ARG001 (CUDA builds never see gpu_compat, whether it is there or not)
    source: PurePosixPath,
    arch: str,
    toolchain: CudaToolchain,
    cache: Path,  # noqa: ARG001
    *,
    device_only: bool = False,
) -> Step:
    """The step for one source: an object, or a bare cubin with `device_only`.

    PyTorch's headers come from the installed PyTorch. What a build of it without CUDA lacks comes
    from small stand-ins, last on the include path, so that real headers win.
    """
    include = find_torch_dir() / "include"
    number = arch.removeprefix("sm_")
    folders = (include, include / "torch" / "csrc" / "api" / "include", *toolchain.include_dirs)
    command = (
        str(toolchain.nvcc),
        f"-arch={arch}" if device_only else f"-gencode=arch=compute_{number},code={arch}",
        *PYTORCH_FLAGS,
        *python_flags(),
        *(f for path in project.include_dirs for f in ("-I", str(path))),
        *(f for path in folders for f in ("-isystem", str(path))),
        # The last -isystem: NVIDIA's own headers and PyTorch's are found before.
        *("-isystem", str(standins())),
    )
    stat = toolchain.nvcc.resolve().stat()
    identity = repr((toolchain.version, stat.st_size, stat.st_mtime_ns))
    return Step(
        source=source,
        kind="device" if device_only else "object",
        arch=arch,
        command=command,
        identity=hashlib.sha256(identity.encode()).hexdigest(),
        toolchain=toolchain.title,
        suffix=".cubin" if device_only else ".o",
        dialect="nvcc",
        remarks=REMARKS,
        defines=(
            *(f"-D{define}" for define in project.defines),
            *(f"-U{name}" for name in project.undefines),
            f"-DTORCH_EXTENSION_NAME={module_name(project.name)}",
        ),
    )


def standins() -> Path:
    """The folder of stand-in headers: types of libraries that PyTorch's headers merely name."""
    return Path(str(resources.files("warp2wave.build"))) / "standins" / "cuda"
