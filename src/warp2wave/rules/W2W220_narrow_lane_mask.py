"""A 32-bit mask of lanes.

## What it does
Finds calls such as `__shfl_sync` whose mask is 32 bits wide: a literal, a macro, a variable, a
parameter of a function, or what a vote returned, kept in 32 bits.

## Why is this bad
HIP's own functions take a mask of 64 bits, one for each lane of a wave, and stop the build by a
static assertion otherwise. Widened by hand, a mask of 32 ones leaves out the upper half of a wave.

## Example
```cuda
__device__ float pick(float v) { return __shfl_sync(0xffffffff, v, 0); }
```

## Use instead
```cuda
__device__ float pick(float v) { return __shfl_sync(0xffffffffffffffffull, v, 0); }
```

## Fix safety
Offered in files with native waves only, and unsafe: a person should see that all lanes of the
wave take part. nvcc narrows the wide literal to the mask it had.

## Handled by the port
The compat layer takes a mask of any type and gives each half of a wave its own 32 lanes.

## References
F01, F02.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.model import Edit, Fix
from warp2wave.rules.context import Context
from warp2wave.rules.lane_masks import MASKED, width_of
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

_FULL = re.compile(r"\(?(?:0[xX][fF]{8}[uU]?|~0[uU]?|-1|4294967295[uU]?)\)?")


def _check(view: View, context: Context) -> Iterator[Hit]:
    for call in view.calls(*MASKED):
        if not call.arguments or call.is_member:
            continue
        span = call.arguments[0]
        mask = view.source(span)
        width = width_of(mask, view, context, call.macro)
        if width == "32":
            fix = None
            if view.native and _FULL.fullmatch(mask):
                edit = Edit(span.start, span.end, "0xffffffffffffffffull")
                fix = Fix("name all lanes of a wave of 64", (edit,), "unsafe")
            message = (
                f"`{call.name}` gets the 32-bit mask `{mask}`: HIP wants 64 bits, "
                "one for each lane of a wave"
            )
            yield Hit(span.start, span.end, message, fix)
        elif width == "lanes" and not view.native:
            message = f"the mask `{mask}` has a bit for each lane: 64 on a wave of HIP, 32 on CUDA"
            yield Hit(span.start, span.end, message, severity="note")


RULE = Rule(
    code="W2W220",
    name="narrow-lane-mask",
    severity="error",
    effort="small",
    check=_check,
    page=__doc__,
    words=frozenset(MASKED),
    handled=True,
)
