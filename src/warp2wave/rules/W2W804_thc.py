"""Headers and names of THC, which PyTorch has no more.

## What it does
Finds includes from `THC/` and names such as `THCState`, `THCudaCheck` and `THCudaMalloc`.

## Why is this bad
PyTorch 1.11 took THC out. The releases that current ROCm needs have neither its headers nor its
names.

## Example
```cuda
#include <THC/THCAtomics.cuh>
```

## Use instead
```cuda
#include <ATen/cuda/Atomic.cuh>
```

## Fix safety
Safe: `THC/THCAtomics.cuh` became `ATen/cuda/Atomic.cuh`, with the same functions. The rest is left
to you.
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.model import Edit, Fix
from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

_ATOMICS = "THC/THCAtomics.cuh"
_NEW_ATOMICS = "ATen/cuda/Atomic.cuh"
_NAMES = {
    "THCState": "leave it out",
    "THCState_getCurrentStream": "use `at::cuda::getCurrentCUDAStream()`",
    "THCState_getCurrentDeviceProperties": "use `at::cuda::getCurrentDeviceProperties()`",
    "THCudaCheck": "use `C10_CUDA_CHECK`",
    "THCudaMalloc": "use `c10::cuda::CUDACachingAllocator::raw_alloc`",
    "THCudaFree": "use `c10::cuda::CUDACachingAllocator::raw_delete`",
    "THCudaBlas_Sgemm": "use `at::cuda::blas::gemm`",
    "THCudaBlas_Dgemm": "use `at::cuda::blas::gemm`",
    "THCCeilDiv": "use `at::ceil_div`",
    "THCNumerics": "use the operators of the type",
}


def _check(view: View, context: Context) -> Iterator[Hit]:
    if "THC" in view.words:
        for include in view.includes:
            if not include.name.startswith("THC/"):
                continue
            fix = None
            cure = "use what ATen and c10 have for it"
            if include.name == _ATOMICS:
                edit = Edit(include.name_start, include.name_end, _NEW_ATOMICS)
                fix = Fix(f"Include {_NEW_ATOMICS}", (edit,), "safe")
                cure = f"include `{_NEW_ATOMICS}`"
            message = f"PyTorch has no `{include.name}` since 1.11: {cure}"
            yield Hit(include.start, include.end, message, fix)
    if view.words.isdisjoint(_NAMES):
        return
    own = {macro.name for macro in view.document.macros}
    for name, cure in _NAMES.items():
        if name not in own:
            for site in view.sites(name):
                message = f"PyTorch has no `{name}` since 1.11: {cure}"
                yield Hit(site.start, site.end, message)


RULE = Rule(
    code="W2W804",
    name="thc",
    severity="error",
    effort="small",
    check=_check,
    page=__doc__,
    words=frozenset({"THC", *_NAMES}),
)
