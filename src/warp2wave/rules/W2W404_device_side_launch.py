"""A kernel launched from device code.

## What it does
Finds launches inside kernels and device functions (dynamic parallelism).

## Why is this bad
HIP has no dynamic parallelism: such code does not compile for AMD GPUs.

## Example
```cuda
__global__ void parent(float *x) { child<<<1, 64>>>(x); }
```

## Use instead
```cuda
void parent(float *x) { child<<<1, 64>>>(x); }
```
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View


def _check(view: View, context: Context) -> Iterator[Hit]:
    if "__global__" not in view.words and "__device__" not in view.words:
        return
    for launch in view.launches:
        if launch.macro is not None:
            continue
        function = view.functions().innermost(view.code_position(launch.start))
        if function is not None and function.is_device and not function.is_host:
            yield Hit(
                launch.start,
                launch.closing.end,
                f"{view.source(launch.kernel)} is launched from device code, which HIP cannot do: "
                "launch it from the host, or do its work in a loop",
            )


RULE = Rule(
    code="W2W404",
    name="device-side-launch",
    severity="error",
    effort="large",
    check=_check,
    page=__doc__,
)
