"""What a HIP build of an extension defines, and what it never does: for conditions in the source.

From PyTorch's ROCm flags (torch.utils.cpp_extension, COMMON_HIP_FLAGS), clang's predefined macros
for `-x hip`, and the HIP headers' own platform choice.
"""

from __future__ import annotations

from types import MappingProxyType

from warp2wave.syntax.expressions import MacroFacts

_NEITHER = frozenset({"__CUDACC_RTC__", "_MSC_VER", "_WIN32", "__HIP_PLATFORM_HCC__", "__HCC__"})

HIP_FACTS = MacroFacts(
    defined=MappingProxyType(
        {
            "USE_ROCM": 1,
            "__HIP_PLATFORM_AMD__": 1,
            "__HIPCC__": 1,
            "__HIP__": 1,
            "__clang__": 1,
            "__cplusplus": None,
        }
    ),
    undefined=_NEITHER
    | {
        "CUDA_VERSION",
        "CUDART_VERSION",
        "USE_CUDA",
        "__CUDACC_VER_MAJOR__",
        "__CUDACC_VER_MINOR__",
        "__CUDA_ARCH_LIST__",
        "__CUDA_ARCH__",
        "__HIP_PLATFORM_NVCC__",
        "__HIP_PLATFORM_NVIDIA__",
        "__NVCC__",
    },
)
"""Every HIP compilation on Linux. Not here: `__CUDACC__`, which the compat layer defines for
sources that ask for it, and `__HIP_DEVICE_COMPILE__`, which differs between the passes."""

CUDA_FACTS = MacroFacts(
    defined=MappingProxyType({"__NVCC__": 1, "__CUDACC__": 1, "CUDA_VERSION": None}),
    undefined=_NEITHER
    | {
        "USE_ROCM",
        "__HIPCC__",
        "__HIP_DEVICE_COMPILE__",
        "__HIP_PLATFORM_AMD__",
        "__HIP__",
    },
)
"""Every nvcc compilation: used to tell code that is for HIP alone."""

THIRD_PARTY_GPU_PREFIXES: tuple[str, ...] = (
    "hip/",
    "hipblas/",
    "hipblaslt/",
    "hipcub/",
    "hipfft/",
    "hiprand/",
    "hipsolver/",
    "hipsparse/",
    "miopen/",
    "rccl/",
    "rocblas/",
    "rocprim/",
    "rocrand/",
    "rocwmma/",
)
"""Headers that are HIP's already: included with the maps off, by their own names."""

CLANG_INCLUDES_FIRST: frozenset[str] = frozenset(
    {"hip/hip_version.h", "hip/hip_common.h", "hip/hip_runtime.h", "hip/hip_runtime_api.h"}
)
"""Never wrapped: clang's own HIP wrapper includes hip_version.h before anything is declared, and
the forced cuda_runtime.h has brought the others by the time that user code asks for them."""

TORCH_PREFIXES: tuple[str, ...] = ("ATen/", "c10/", "caffe2/", "pybind11/", "torch/", "torchlib/")
"""Headers of PyTorch and what it ships: included with the maps off, by their own names."""
