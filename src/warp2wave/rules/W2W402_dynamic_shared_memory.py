"""More dynamic shared memory than a block has.

## What it does
Finds launches, and calls of `cudaFuncSetAttribute`, that ask for more shared memory than the
smallest limit of the chosen targets, where the figure is a constant.

## Why is this bad
NVIDIA cards grant up to 227 KiB when a kernel opts in. AMD GPUs have 64 KiB a block, gfx950
160 KiB: the call or the launch fails at run time.

## Example
```cuda
void run(float *x) { k<<<1, 256, 98304>>>(x); }
```

## Use instead
```cuda
void run(float *x) { k<<<1, 256, 49152>>>(x); }
```

## References
F52, F66
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View
from warp2wave.syntax.code import Span

_SETTERS = ("cudaFuncSetAttribute", "cuFuncSetAttribute", "hipFuncSetAttribute")
_ATTRIBUTES = ("MaxDynamicSharedMemorySize", "MAX_DYNAMIC_SHARED_SIZE_BYTES")


def _requests(view: View) -> Iterator[Span]:
    for call in view.calls(*_SETTERS):
        if len(call.arguments) == 3 and view.source(call.arguments[1]).endswith(_ATTRIBUTES):
            yield call.arguments[2]
    for launch in view.launches:
        if len(launch.configuration) > 2:
            yield launch.configuration[2]


def _check(view: View, context: Context) -> Iterator[Hit]:
    least = context.least_shared_memory
    if least is None or ("<<" not in view.text and view.words.isdisjoint(_SETTERS)):
        return
    limit = least.shared_memory_per_block
    for span in _requests(view):
        size = context.evaluate(view.source(span))
        if size is not None and size > limit:
            yield Hit(
                span.start,
                span.end,
                f"{size} bytes of dynamic shared memory, but a block on {least.arch} has {limit}: "
                "choose smaller tiles there",
            )


RULE = Rule(
    code="W2W402",
    name="dynamic-shared-memory",
    severity="error",
    effort="medium",
    check=_check,
    page=__doc__,
)
