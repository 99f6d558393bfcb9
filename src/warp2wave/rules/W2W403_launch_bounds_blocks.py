"""Launch bounds with a second argument.

## What it does
Finds `__launch_bounds__(threads, blocks)` and the form with three arguments. Of those whose
figures are no constants, only the first in a file is reported.

## Why is this bad
The second argument counts blocks per multiprocessor in CUDA, but wavefronts per SIMD in HIP. A
compute unit has four SIMDs, so the same figure asks for something else. HIP has no clusters.

## Handled by the port
The port's header converts the figure for each target, and drops a third argument.

## Example
```cuda
__global__ void __launch_bounds__(256, 2) k(float *x);
```

## Use instead
```cuda
__global__ void __launch_bounds__(256) k(float *x);
```

## References
F64
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View


def _check(view: View, context: Context) -> Iterator[Hit]:
    unknown_reported = False
    for site in view.sites("__launch_bounds__"):
        closing = site.code.partner(site.position + 1) if site.next() == "(" else -1
        arguments = site.code.split(site.position + 1, closing) if closing > 0 else ()
        if len(arguments) < 2:
            continue
        threads, blocks = (context.evaluate(view.source(span)) for span in arguments[:2])
        if blocks == 1 and len(arguments) == 2 and threads is not None and threads <= 256:
            # One wavefront per SIMD either way.
            continue
        if threads is None or blocks is None:
            # Generated files have thousands of these, which all say the same: the first speaks.
            if unknown_reported:
                continue
            unknown_reported = view.on_hip(site.start)
        advice = ""
        if threads and blocks and context.targets:
            lanes = max(target.warp_size for target in context.targets)
            waves = -(-blocks * -(-threads // lanes) // 4)
            advice = f": {waves} with waves of {lanes} lanes, at most what the card holds"
        yield Hit(
            site.start,
            site.code.ends[closing],
            f"{view.source(arguments[1])!r} counts blocks per multiprocessor in CUDA and "
            f"wavefronts per SIMD in HIP{advice}",
        )


RULE = Rule(
    code="W2W403",
    name="launch-bounds-blocks",
    severity="performance",
    effort="small",
    check=_check,
    page=__doc__,
    words=frozenset({"__launch_bounds__"}),
    handled=True,
)
