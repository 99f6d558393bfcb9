"""Prepare the compile chains in the user's cache. Only an explicit call downloads anything."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from warp2wave.build import cuda_wheels, device_libs, rocm_roots
from warp2wave.build.machine_code import find_disassembler
from warp2wave.build.rocm_roots import Note
from warp2wave.build.toolchains import (
    CudaToolchain,
    HipToolchain,
    debian_bitcode,
    find_clang,
    find_cuda_toolchain,
    find_hip_toolchain,
    has_header,
)
from warp2wave.build.torch_rocm import rocm_torch_include
from warp2wave.cachedir import user_cache
from warp2wave.errors import MissingToolError


def prepare_hip_chain(
    note: Note | None = None,
    *,
    headers: Sequence[str] = rocm_roots.HEADER_SETS,
    cache: Path | None = None,
) -> tuple[HipToolchain, ...]:
    """Make the AMD chain ready for each header set; return the toolchains.

    Downloads up to 713 MB once (`rocm_roots`) and needs the distribution's clang. `note` gets one
    line a step. Raises MissingToolError with the line to run where clang or the device libraries
    are missing, before anything is downloaded, and UsageError for a failed download.
    """
    cache = cache or user_cache()
    say = note or _silent
    clang, bitcode = find_clang(), debian_bitcode()
    device_libs.prepare_device_libs(cache, clang, bitcode)
    for name in headers:
        rocm_roots.prepare_root(cache, name, say)
    rocm_torch_include(cache, progress=say)
    return tuple(find_hip_toolchain(name, cache=cache) for name in headers)


def prepare_cuda_chain(note: Note | None = None, *, cache: Path | None = None) -> CudaToolchain:
    """Fetch what the CUDA side lacks: nvcc (105 MB), cuRAND's headers (60 MB), cuobjdump (5 MB).

    Each once, and only what is not installed. Returns the toolchain; UsageError for a failed
    download.
    """
    cache = cache or user_cache()
    say = note or _silent
    try:
        found = find_cuda_toolchain(cache=cache)
    except MissingToolError:
        cuda_wheels.NVCC.prepare(cache, say)
        found = find_cuda_toolchain(cache=cache)
    if not has_header(found.nvcc, "curand.h"):
        cuda_wheels.CURAND.prepare(cache, say)
    if find_disassembler(cache=cache) is None:
        cuda_wheels.DISASSEMBLER.prepare(cache, say)
    return find_cuda_toolchain(cache=cache)


def _silent(_: str) -> None:
    """Swallow a progress line."""
