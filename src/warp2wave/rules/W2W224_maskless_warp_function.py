"""A warp function without a mask.

## What it does
Finds `__shfl`, `__ballot`, `__any`, `__all` and their kin without `_sync`.

## Why is this bad
CUDA removed them for Volta and later. HIP has them, but they act on the whole wave: 64 lanes on
CDNA. Without a width, lanes of the other half are read; a ballot has 64 bits.

## Example
```cuda
__device__ int first(int v) { return __shfl(v, 0); }
```

## Use instead
```cuda
__device__ int first(int v) { return __shfl_sync(0xffffffff, v, 0, 32); }
```

## Handled by the port
The compat layer gives each of them its meaning over 32 lanes, for half2 and other types too.

## References
F30, F31, F36.
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.hip_branches import is_for_hip_alone
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

_NAMES = ("__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__ballot", "__any", "__all")


def _check(view: View, context: Context) -> Iterator[Hit]:
    for call in view.calls(*_NAMES):
        # In a branch for HIP these are HIP's own functions, meant for its waves.
        if call.is_member or is_for_hip_alone(view, call.start):
            continue
        message = (
            f"`{call.name}` has no mask: CUDA removed it, and on AMD it acts on the whole wave, "
            "64 lanes on CDNA"
        )
        yield Hit(call.name_span.start, call.name_span.end, message)


RULE = Rule(
    code="W2W224",
    name="maskless-warp-function",
    severity="warning",
    effort="small",
    check=_check,
    page=__doc__,
    words=frozenset(_NAMES),
    handled=True,
)
