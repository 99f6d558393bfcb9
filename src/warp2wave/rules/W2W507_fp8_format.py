"""An 8-bit float format that a target does not have in that form.

## What it does
Finds the OCP 8-bit float types, once per file and name, where a chosen target has the fnuz form.

## Why is this bad
gfx942 computes with the fnuz formats: another exponent bias, no infinities, no negative zero, and
one NaN. The same bits mean another number there, so data must be converted, not copied.

## Example
```cuda
void f(at::Float8_e4m3fn *p);
```

## Use instead
```cuda
void f(at::Float8_e4m3fnuz *p);
```
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

_NAMES = (
    "__nv_fp8_e4m3",
    "__nv_fp8_e5m2",
    "Float8_e4m3fn",
    "Float8_e5m2",
)


def _check(view: View, context: Context) -> Iterator[Hit]:
    archs = [target.arch for target in context.targets if target.fp8 == "fnuz"]
    if not archs:
        return
    for name in _NAMES:
        sites = view.hip_sites(name)
        if sites:
            times = f" ({len(sites)} times here)" if len(sites) > 1 else ""
            yield Hit(
                sites[0].start,
                sites[0].end,
                f"{name}{times} is the OCP format, but {', '.join(archs)} computes with the fnuz "
                "form, where the same bits mean another number",
            )


RULE = Rule(
    code="W2W507",
    name="fp8-format",
    severity="warning",
    effort="medium",
    check=_check,
    page=__doc__,
    words=frozenset(_NAMES),
)
