"""A compute type or math mode of cuBLAS that AMD's libraries do not have everywhere.

## What it does
Finds the reduced-precision compute types of cuBLAS, once per file and name.

## Why is this bad
The names have counterparts in hipBLAS, so the code compiles, but rocBLAS answers
`HIPBLAS_STATUS_NOT_SUPPORTED` to the FAST types on most GPUs.

## Example
```cuda
auto type = CUBLAS_COMPUTE_32F_FAST_TF32;
```

## Use instead
```cuda
auto type = CUBLAS_COMPUTE_32F;
```

## References
F59
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

_NAMES = tuple(
    f"{prefix}_COMPUTE_32F_FAST_{kind}"
    for prefix in ("CUBLAS", "HIPBLAS")
    for kind in ("TF32", "16F", "16BF")
)


def _check(view: View, context: Context) -> Iterator[Hit]:
    for name in _NAMES:
        # What a table or a switch only lists is not asked for.
        used = [site for site in view.hip_sites(name) if site.next(-1) != "case"]
        if used:
            times = f" ({len(used)} times here)" if len(used) > 1 else ""
            yield Hit(
                used[0].start,
                used[0].end,
                f"{name}{times} compiles for AMD GPUs, but rocBLAS answers NOT_SUPPORTED on most: "
                "use the plain 32F compute type there",
            )


RULE = Rule(
    code="W2W504",
    name="gemm-compute-type",
    severity="warning",
    effort="small",
    check=_check,
    page=__doc__,
    words=frozenset(_NAMES),
)
