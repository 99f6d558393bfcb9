"""A half-precision GEMM that accumulates in half.

## What it does
Finds the Hgemm calls of cuBLAS and hipBLAS.

## Why is this bad
Hgemm accumulates in half precision. It was measured at about 38 TFLOP/s on an MI250, far below
GemmEx with a float accumulator, which is more accurate too.

## Example
```cuda
void f() { cublasHgemm(h, a, b, m, n, k, &one, A, m, B, k, &zero, C, m); }
```

## Use instead
```cuda
void f() { cublasGemmEx(h, a, b, m, n, k, &one, A, CUDA_R_16F, m, B, CUDA_R_16F, k, &zero, C,
                        CUDA_R_16F, m, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT); }
```

## References
F61
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

_NAMES = tuple(
    f"{library}Hgemm{form}"
    for library in ("cublas", "hipblas")
    for form in ("", "Batched", "StridedBatched")
)


def _check(view: View, context: Context) -> Iterator[Hit]:
    for call in view.calls(*_NAMES):
        yield Hit(
            call.name_span.start,
            call.name_span.end,
            f"{call.name} accumulates in half and is slow on AMD GPUs: use the GemmEx form with a "
            "float accumulator",
        )


RULE = Rule(
    code="W2W506",
    name="half-gemm",
    severity="performance",
    effort="small",
    check=_check,
    page=__doc__,
    words=frozenset(_NAMES),
)
