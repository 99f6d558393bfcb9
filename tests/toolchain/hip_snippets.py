"""Compile small CUDA sources as HIP, with the maps that the port would write for their names."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from warp2wave.build.toolchains import HipToolchain, find_hip_toolchain
from warp2wave.errors import MissingToolError
from warp2wave.port.shims import ADDITIONS, SHIMS
from warp2wave.port.support import COMPAT_SOURCES

FIELD = Path(__file__).resolve().parents[1] / "cpp" / "field"
HEADER_SETS = ("6.0", "7.1")
# What PyTorch passes for a .cu on ROCm, as far as it matters without PyTorch's headers.
TORCH_FLAGS = (
    "-D__HIP_PLATFORM_AMD__=1",
    "-DUSE_ROCM=1",
    "-DCUDA_HAS_FP16=1",
    "-D__HIP_NO_HALF_OPERATORS__=1",
    "-D__HIP_NO_HALF_CONVERSIONS__=1",
    "-DHIP_ENABLE_WARP_SYNC_BUILTINS=1",
)
# The API map's renames that these snippets need: CUDA's spelling of HIP's types and calls.
RENAMES = {
    "__nv_bfloat16": "__hip_bfloat16",
    "__nv_bfloat162": "__hip_bfloat162",
    "nv_bfloat16": "__hip_bfloat16",
    "nv_bfloat162": "__hip_bfloat162",
    "cudaError_t": "hipError_t",
    "cudaSuccess": "hipSuccess",
    "cudaStream_t": "hipStream_t",
    "cudaFuncAttributes": "hipFuncAttributes",
    "cudaFuncAttributeMaxDynamicSharedMemorySize": "hipFuncAttributeMaxDynamicSharedMemorySize",
    "cudaFuncAttributePreferredSharedMemoryCarveout": (
        "hipFuncAttributePreferredSharedMemoryCarveout"
    ),
    "cudaFuncCachePreferShared": "hipFuncCachePreferShared",
    "cudaDevAttrWarpSize": "hipDeviceAttributeWarpSize",
    "cudaDevAttrMaxSharedMemoryPerBlockOptin": "hipDeviceAttributeSharedMemPerBlockOptin",
    "cudaMalloc": "hipMalloc",
    "cudaMallocAsync": "hipMallocAsync",
    "cudaMallocManaged": "hipMallocManaged",
    "cudaMemcpyToSymbol": "hipMemcpyToSymbol",
    "cudaMemcpyToSymbolAsync": "hipMemcpyToSymbolAsync",
    "cudaMemcpyFromSymbol": "hipMemcpyFromSymbol",
    "cudaMemcpyHostToDevice": "hipMemcpyHostToDevice",
    "cudaGetSymbolAddress": "hipGetSymbolAddress",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": (
        "hipOccupancyMaxActiveBlocksPerMultiprocessor"
    ),
    "cudaOccupancyMaxPotentialBlockSize": "hipOccupancyMaxPotentialBlockSize",
    "cudaGraph_t": "hipGraph_t",
    "cudaGraphExec_t": "hipGraphExec_t",
    "cudaGraphNode_t": "hipGraphNode_t",
    "cudaGraphExecUpdateResult": "hipGraphExecUpdateResult",
    "cudaStreamCaptureStatus": "hipStreamCaptureStatus",
}


def toolchain(headers: str) -> HipToolchain:
    """The chain with one header set; skips the test where it is not prepared."""
    try:
        return find_hip_toolchain(headers)
    except MissingToolError as missing:
        pytest.skip(str(missing))


def as_hip(text: str) -> str:
    """The text behind the includes and macros that it needs to be HIP."""
    words = set(re.findall(r"\w+", text))
    shims = {name: SHIMS[name] for name in words if name in SHIMS}
    headers = {shim.header for shim in shims.values()}
    headers |= {ADDITIONS[name] for name in words if name in ADDITIONS}
    macros = {name: shim.replacement for name, shim in shims.items()}
    macros |= {name: hip for name, hip in RENAMES.items() if name in words}
    return (
        "#include <hip/hip_runtime.h>\n"
        + "".join(f'#include "{header}"\n' for header in sorted(headers))
        + "".join(f"#undef {n}\n#define {n} {to}\n" for n, to in sorted(macros.items()))
        + text
    )


def compile_hip(
    text: str,
    headers: str,
    folder: Path,
    *flags: str,
    archs: Sequence[str] = ("gfx90a", "gfx942", "gfx1100"),
    mapped: bool = True,
) -> subprocess.CompletedProcess[str]:
    """Run clang on the text; `flags` say what for (-fsyntax-only, -c -o ...)."""
    chain = toolchain(headers)
    source = folder / "snippet.hip"
    source.write_text(as_hip(text) if mapped else text)
    command = [
        str(chain.clang),
        "-x",
        "hip",
        "-std=c++17",
        "-O3",
        "-Wall",
        "-Wextra",
        *(f"--offload-arch={arch}" for arch in archs),
        f"--rocm-path={chain.root}",
        f"--rocm-device-lib-path={chain.device_libs}",
        *(f"-isystem{include}" for include in chain.include_dirs),
        f"-I{COMPAT_SOURCES}",
        *TORCH_FLAGS,
        *flags,
        str(source),
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False)
