"""A match or reduction over the lanes of a mask.

## What it does
Finds `__match_any_sync`, `__match_all_sync` and the `__reduce_…_sync` functions.

## Why is this bad
HIP lacks them in older versions; later ones take and return masks of 64 bits.

## Example
```cuda native
__device__ int sum(int v) { return __reduce_add_sync(0xffffffff, v); }
```

## Use instead
```cuda
__device__ int sum(int v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d, 32);
  return v;
}
```

## Handled by the port
The compat layer provides all of them over the 32 lanes of the calling half of a wave.

## References
F24.
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

_NAMES = (
    "__match_any_sync",
    "__match_all_sync",
    *(f"__reduce_{what}_sync" for what in ("add", "min", "max", "and", "or", "xor")),
)


def _check(view: View, context: Context) -> Iterator[Hit]:
    for call in view.calls(*_NAMES):
        if not call.is_member:
            message = f"`{call.name}` is missing from older HIP, and 64 bits wide in later versions"
            yield Hit(call.name_span.start, call.name_span.end, message)


RULE = Rule(
    code="W2W233",
    name="warp-match-or-reduce",
    severity="error",
    effort="small",
    check=_check,
    page=__doc__,
    words=frozenset(_NAMES),
    handled=True,
)
