"""A braced grid or block without its type.

## What it does
Finds launch sizes that are written as bare braces.

## Why is this bad
nvcc turns `{32, 8}` into a `dim3`; clang takes no braced list between launch brackets.

## Example
```cuda
scale<<<grid, {32, 8}>>>(x);
```

## Use instead
```cuda
scale<<<grid, dim3{32, 8}>>>(x);
```

## Fix safety
Safe: `dim3` is the type that the launch wants.
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.model import Edit, Fix
from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View


def _check(view: View, context: Context) -> Iterator[Hit]:
    for launch in view.launches:
        for size in (launch.grid, launch.block):
            if size is not None and view.text.startswith("{", size.start):
                title = "name the type of a braced grid or block: clang does not take it bare"
                fix = Fix(title, (Edit(size.start, size.start, "dim3"),), "safe")
                yield Hit(size.start, size.end, "a braced launch size: clang wants its type", fix)


RULE = Rule(
    code="W2W102",
    name="braced-launch-size",
    severity="error",
    effort="trivial",
    check=_check,
    page=__doc__,
)
