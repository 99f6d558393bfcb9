"""NVIDIA libraries that ROCm lacks: how a source shows their use, and what stands in their place.

The replacements are libraries that AMD documents or that its ROCm headers show; where that is
uncertain the text says that no counterpart is known. None takes NVIDIA's names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from warp2wave.model import Effort


@dataclass(frozen=True, slots=True)
class Library:
    """One library, or a part of one.

    `headers` match the whole name in an `#include`; `namespaces` are the outermost names of its
    qualified names, `members` what follows them (None: anything). `replacement` ends a sentence;
    `effort` is that of one file.
    """

    title: str
    headers: re.Pattern[str]
    replacement: str
    effort: Effort
    namespaces: frozenset[str] = frozenset()
    members: re.Pattern[str] | None = None


def _library(
    title: str, headers: str, effort: Effort, replacement: str, *namespaces: str
) -> Library:
    return Library(title, re.compile(headers), replacement, effort, frozenset(namespaces))


def _part(headers: str, members: str, effort: Effort, replacement: str) -> Library:
    return Library(
        "libcu++",
        re.compile(headers),
        replacement,
        effort,
        frozenset({"cuda"}),
        re.compile(members),
    )


TEMPLATES = (
    _library(
        "CUTLASS",
        r"cutlass/.+",
        "large",
        "use Composable Kernel, hipBLASLt for plain matrix products, or rocWMMA in own kernels",
        "cutlass",
    ),
    _library(
        "CuTe",
        r"cute/.+",
        "large",
        "use ck_tile of Composable Kernel, or plain index arithmetic with rocWMMA",
        "cute",
    ),
)
"""Template libraries that kernels are built of."""

HOST_LIBRARIES = (
    _library(
        "the cuDNN front end",
        r"cudnn_frontend(?:\.h|_\w+\.h|/.+)|cudnn_backend(?:_v\d+)?\.h",
        "large",
        "write it anew with MIOpen, or use PyTorch's own operators, which call MIOpen",
        "cudnn_frontend",
    ),
    _library(
        "NPP",
        r"(?:npp/)?npp(?:core|defs|i|s|i_\w+|s_\w+|i?_\w+_functions)?\.h",
        "medium",
        "write it anew with RPP (ROCm Performance Primitives), which is another interface",
    ),
    _library(
        "nvJPEG",
        r"(?:.+/)?nvjpeg(?:2k)?\.h",
        "medium",
        "rocJPEG decodes baseline JPEG by another interface; "
        "there is no known counterpart to encoding or to JPEG 2000",
    ),
    _library(
        "OptiX",
        r"(?:.+/)?optix(?:_(?:stubs|function_table(?:_definition)?|types|device|host|stack_size"
        r"|denoiser_\w+|micromap|world|math|gpu|prime|\d_\w+))?\.h|optixu/.+",
        "large",
        "HIP RT traces rays by another interface, and programs and scene must be written anew",
    ),
    _library(
        "cuFile",
        r"(?:.+/)?cufile\.h",
        "medium",
        "there is no known counterpart; read files into pinned memory and copy",
    ),
    _library(
        "cuTENSOR",
        r"(?:.+/)?cutensor(?:Mg|Mp)?(?:\.h|/.+)",
        "medium",
        "write it anew with hipTensor, which has contractions, permutations and reductions",
    ),
    _library(
        "cuSPARSELt",
        r"(?:.+/)?cusparseLt\.h",
        "small",
        "hipSPARSELt has an interface of the same shape, with other names and algorithms",
    ),
    _library(
        "cuDSS",
        r"(?:.+/)?cudss\w*\.h",
        "large",
        "there is no known counterpart; solve on the host, or by iteration with rocSPARSE",
    ),
    _library(
        "NVDEC",
        r"(?:.+/)?(?:dynlink_)?(?:nvcuvid|cuviddec)\.h",
        "large",
        "rocDecode decodes video by another interface",
    ),
    _library(
        "NVENC",
        r"(?:.+/)?nvEncodeAPI\.h",
        "large",
        "there is no known counterpart in ROCm; encode through VA-API or AMF",
    ),
    _library(
        "NVSHMEM",
        r"(?:.+/)?nvshmemx?(?:\.h|/.+|_\w+\.h)|(?:device_)?(?:host_)?nvshmemx?_\w+\.h",
        "large",
        "rocSHMEM has an interface of its own for the same model",
    ),
    _library(
        "TensorRT",
        r"(?:.+/)?Nv(?:Infer\w*|OnnxParser|OnnxConfig|UffParser|CaffeParser)\.h",
        "large",
        "MIGraphX runs ONNX models by another interface; plug-ins must be written anew",
        "nvinfer1",
        "nvonnxparser",
    ),
    _library(
        "NVML",
        r"(?:.+/)?nvml\.h",
        "small",
        "AMD SMI answers such queries by another interface",
    ),
    _library(
        "CUPTI",
        r"(?:.+/)?(?:cupti(?:_\w+)?|nvperf_(?:host|target|common|cuda_host))\.h",
        "medium",
        "write it anew with rocprofiler-sdk",
    ),
)
"""Libraries that the host calls."""

LIBCUDACXX = (
    _part(
        r"cuda/pipeline",
        r"pipeline\w*|make_pipeline|memcpy_async|aligned_size_t",
        "medium",
        "copy through registers into shared memory and synchronize the block before it is read",
    ),
    _part(
        r"cuda/(?:std/)?(?:barrier|latch|semaphore)",
        r"barrier|latch|counting_semaphore|binary_semaphore",
        "medium",
        "use __syncthreads() or a cooperative group's sync(), "
        "or write the waiting with __hip_atomic built-ins",
    ),
    _part(
        r"cuda/(?:std/)?atomic",
        r"atomic(?:_ref|_flag|_thread_fence)?|thread_scope\w*|memory_order\w*",
        "small",
        "use HIP's atomic functions, or __hip_atomic built-ins with a memory order and a scope",
    ),
    _part(
        r"cuda/(?:annotated_ptr|discard_memory)",
        r"annotated_ptr|access_property|discard_memory|apply_access_property",
        "small",
        "there is no known counterpart to these cache hints; use plain pointers",
    ),
    _part(
        r"cuda/ptx",
        r"ptx",
        "medium",
        "there is no known counterpart to these PTX instructions",
    ),
    _part(
        r"cuda/(?:functional|memory_resource|stream_ref|warp|work_stealing|mdspan|numeric|bit|cmath"
        r"|type_traits|version)",
        r"proclaim_return_type|proclaim_copyable_arguments|stream_ref|mr|ceil_div|warp_\w+",
        "small",
        "there is no known counterpart; use plain C++ or HIP's own functions",
    ),
    _part(
        r"cuda/std/(?!(?:barrier|latch|semaphore|atomic)$)\w+",
        r"std",
        "small",
        "use the standard library's constexpr parts, HIP's own math, or a small type of your own",
    ),
    _part(
        r"nv/target",
        r"(?!)",
        "small",
        "write its NV_IF_TARGET as `#ifdef` branches, with one for HIP",
    ),
)
"""Parts of libcu++."""
