"""The type `__fp16` where `__half` or `_Float16` is meant.

## What it does
Finds `__fp16`, once per file.

## Why is this bad
From ROCm 6 a `__half` no longer converts to `__fp16`, so an initialisation from one does not
compile.

## Example
```cuda
__device__ void f(__half h) { __fp16 x = h; }
```

## Use instead
```cuda
__device__ void f(__half h) { __half x = h; }
```

## References
F56
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View


def _check(view: View, context: Context) -> Iterator[Hit]:
    if not view.has_device_code:
        return
    sites = view.hip_sites("__fp16")
    if sites:
        times = f" ({len(sites)} times here)" if len(sites) > 1 else ""
        yield Hit(
            sites[0].start,
            sites[0].end,
            f"__fp16{times} takes no __half from ROCm 6 on: use __half or _Float16",
        )


RULE = Rule(
    code="W2W508",
    name="storage-half",
    severity="warning",
    effort="small",
    check=_check,
    page=__doc__,
    words=frozenset({"__fp16"}),
)
