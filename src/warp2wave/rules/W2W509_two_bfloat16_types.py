"""Both bfloat16 types of HIP in one file.

## What it does
Finds `hip_bfloat16` in a file that uses `__hip_bfloat16` or `__nv_bfloat16` too.

## Why is this bad
They are distinct types that do not convert into one another. Only the one with underscores is
the counterpart of CUDA's.

## Example
```cuda
__device__ void f(hip_bfloat16 a, __hip_bfloat16 *b) { *b = a; }
```

## Use instead
```cuda
__device__ void f(__hip_bfloat16 a, __hip_bfloat16 *b) { *b = a; }
```

## References
F57
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View


def _check(view: View, context: Context) -> Iterator[Hit]:
    old = view.hip_sites("hip_bfloat16")
    new = view.hip_sites("__hip_bfloat16", "__nv_bfloat16")
    if old and new:
        yield Hit(
            old[0].start,
            old[0].end,
            f"hip_bfloat16 and {new[0].next(0)} are distinct types on AMD: use __hip_bfloat16, "
            "the counterpart of CUDA's",
        )


RULE = Rule(
    code="W2W509",
    name="two-bfloat16-types",
    severity="warning",
    effort="small",
    check=_check,
    page=__doc__,
    words=frozenset({"hip_bfloat16"}),
)
