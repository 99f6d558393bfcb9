"""A kernel without launch bounds that is launched with small blocks.

## What it does
Finds kernels without `__launch_bounds__` all of whose launches in the file use constant blocks of
at most 256 threads.

## Why is this bad
Without bounds, HIP's compiler allows for blocks of 1024 threads, which leaves each thread fewer
registers. Kernels that need more of them spill to memory.

## Example
```cuda
__global__ void k(float *x) { x[threadIdx.x] = 0; }
void run(float *x) { k<<<8, 128>>>(x); }
```

## Use instead
```cuda
__global__ void __launch_bounds__(128) k(float *x) { x[threadIdx.x] = 0; }
void run(float *x) { k<<<8, 128>>>(x); }
```

## Fix safety
Proposed only: a launch in another file with larger blocks would fail.

## References
F65
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from warp2wave.model import Edit, Fix
from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View


def _blocks(view: View, context: Context) -> dict[str, list[int | None]]:
    """Return the block sizes of each kernel's launches; None where one is no constant."""
    found: dict[str, list[int | None]] = defaultdict(list)
    for launch in view.launches:
        block = launch.block
        found[launch.name].append(context.evaluate(view.source(block)) if block else None)
    return found


def _check(view: View, context: Context) -> Iterator[Hit]:
    if "<<" not in view.text:
        return
    blocks = _blocks(view, context)
    for kernel in view.kernels:
        if kernel.body is None or kernel.launch_bounds is not None or kernel.macro is not None:
            continue
        # A macro may stand for the bounds: C10_LAUNCH_BOUNDS_1(256).
        if "BOUNDS" in view.text[kernel.start : kernel.name_span.start].upper():
            continue
        sizes = [size for size in blocks.get(kernel.name, ()) if size is not None]
        if not sizes or len(sizes) < len(blocks[kernel.name]) or not 1 < max(sizes) <= 256:
            continue
        place = kernel.name_span
        edit = Edit(place.start, place.start, f"__launch_bounds__({max(sizes)}) ")
        yield Hit(
            place.start,
            place.end,
            f"{kernel.name} has no launch bounds, so HIP compiles it for blocks of 1024 threads; "
            f"the launches here use at most {max(sizes)}",
            Fix("state the largest block", (edit,), "display"),
        )


RULE = Rule(
    code="W2W406",
    name="missing-launch-bounds",
    severity="performance",
    effort="trivial",
    check=_check,
    page=__doc__,
    words=frozenset({"__global__"}),
)
