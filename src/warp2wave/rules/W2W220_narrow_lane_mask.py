"""A 32-bit mask of lanes.

## What it does
Finds calls such as `__shfl_sync` whose mask is 32 bits wide: a literal, a macro, a variable, a
parameter of a function, what a function returns, or what a vote returned, kept in 32 bits. Finds
the same where a mask goes through a function or macro of the tree, and where a name that is used
as a mask is defined as 32 ones.

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

from collections.abc import Iterator

from warp2wave.model import Edit, Fix
from warp2wave.rules.context import Context
from warp2wave.rules.lane_masks import FULL, MASKED, width_of
from warp2wave.rules.mask_flow import MaskDefinition, mask_definitions, masks_of, passed_masks
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View
from warp2wave.syntax.calls import Call
from warp2wave.syntax.code import Span

_MASKED = frozenset(MASKED)
_WIDE = "0xffffffffffffffffull"


def _check(view: View, context: Context) -> Iterator[Hit]:
    masks = masks_of(context)
    if not _MASKED.isdisjoint(view.words):
        for call in view.calls(*MASKED):
            if call.arguments and not call.is_member:
                yield from _mask(view, context, call, call.arguments[0], "gets")
    if not masks.passes.keys().isdisjoint(view.words):
        for call, span in passed_masks(view, masks.passes):
            yield from _mask(view, context, call, span, "passes on")
    if not masks.names.isdisjoint(view.words):
        for definition in mask_definitions(view, masks):
            yield _definition(view, definition)


def _mask(view: View, context: Context, call: Call, span: Span, verb: str) -> Iterator[Hit]:
    mask = view.source(span)
    width = width_of(mask, view, context, call.macro)
    if width == "32":
        fix = None
        if view.native and FULL.fullmatch(mask):
            edit = Edit(span.start, span.end, _WIDE)
            fix = Fix("name all lanes of a wave of 64", (edit,), "unsafe")
        message = (
            f"`{call.name}` {verb} the 32-bit mask `{mask}`: HIP wants 64 bits, "
            "one for each lane of a wave"
        )
        yield Hit(span.start, span.end, message, fix)
    elif width == "lanes" and not view.native:
        message = f"the mask `{mask}` has a bit for each lane: 64 on a wave of HIP, 32 on CUDA"
        yield Hit(span.start, span.end, message, severity="note")


def _definition(view: View, definition: MaskDefinition) -> Hit:
    start, end = definition.value.start, definition.value.end
    fix = None
    if view.native:
        edits = [Edit(start, end, _WIDE)]
        if definition.type.end:
            edits.insert(0, Edit(definition.type.start, definition.type.end, "unsigned long long"))
        fix = Fix("name all lanes of a wave of 64", tuple(edits), "unsafe")
    message = (
        f"`{definition.name}` is used as a mask of lanes and has 32 bits: HIP wants 64, one for "
        "each lane of a wave"
    )
    return Hit(start, end, message, fix)


# No words: any function of the tree may take a mask; `masks_of` says which.
RULE = Rule(
    code="W2W220",
    name="narrow-lane-mask",
    severity="error",
    effort="small",
    check=_check,
    page=__doc__,
    handled=True,
)
