"""A library of NVIDIA's without a counterpart of the same interface in ROCm.

## What it does
Finds the first include of the cuDNN front end, NPP, nvJPEG, OptiX, cuFile, cuTENSOR, cuSPARSELt,
cuDSS, NVDEC, NVENC, NVSHMEM, TensorRT, NVML and CUPTI in a file, and the first use of their
namespaces. Each finding names what ROCm has in its place, if anything, and how much work it is.
Headers that are the library's own are left alone.

## Why is this bad
The header does not exist there, and renaming does not help: where ROCm has a library for the same
purpose, its interface is another one.

## Example
```cpp
#include <nvml.h>
```

## Use instead
```cpp
#ifdef USE_ROCM
#include <amd_smi/amdsmi.h>
#else
#include <nvml.h>
#endif
```
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.library_table import HOST_LIBRARIES
from warp2wave.rules.library_uses import library_hits
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View


def _check(view: View, context: Context) -> Iterator[Hit]:
    yield from library_hits(view, HOST_LIBRARIES)


RULE = Rule(
    code="W2W902",
    name="library-without-counterpart",
    severity="error",
    effort="large",
    check=_check,
    page=__doc__,
    words=frozenset({"nvinfer1", "nvonnxparser", "nvcuvid", "cuviddec", "nvEncodeAPI", "cufile"}),
    prefixes=(
        "NvCaffeParser",
        "NvInfer",
        "NvOnnx",
        "NvUffParser",
        "cudnn_backend",
        "cudnn_frontend",
        "cudss",
        "cupti",
        "cusparseLt",
        "cutensor",
        "dynlink_",
        "npp",
        "nvjpeg",
        "nvml",
        "nvperf_",
        "nvshmem",
        "optix",
    ),
)
