"""A block size that leaves part of its last wave idle.

## What it does
Finds launches whose block size has a known value of 32 or more that is no multiple of 64.

## Why is this bad
A wave of MI200 and MI300 has 64 lanes: a block of 32 threads uses half of one.

## Example
```cuda
scale<<<grid, 32>>>(x);
```

## Use instead
```cuda
scale<<<grid, 64>>>(x);
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

_DIM3 = re.compile(r"dim3\s*[({]([^(){}]*)[)}]")


def _check(view: View, context: Context) -> Iterator[Hit]:
    if not context.has_wide_waves or "<<" not in view.text:
        return
    for launch in view.launches:
        if launch.block is None:
            continue
        text = view.source(launch.block)
        if (declared := _declared_block(view, text.strip(), launch.start)) is not None:
            text = declared
        dim3 = _DIM3.fullmatch(text.strip())
        sizes = [context.evaluate(part) for part in (dim3[1] if dim3 else text).split(",")]
        known = [size for size in sizes if size is not None]
        size = prod(known)
        if len(known) < len(sizes) or size < 32 or size % 64 == 0 or size > 1024:
            continue
        idle = 64 - size % 64
        yield Hit(
            launch.block.start,
            launch.block.end,
            f"a block of {size} threads leaves {idle} of 64 lanes idle in its last wave; a "
            "multiple of 64 uses them all",
        )


def _declared_block(view: View, name: str, before: int) -> str | None:
    """Return `dim3(…)` as the last declaration of a variable before a launch has it."""
    if not name.isidentifier() or "dim3" not in view.words:
        return None
    found = None
    for site in view.sites(name):
        if site.start < before and site.next(-1) == "dim3":
            opening = site.position + (2 if site.next() == "=" else 1)
            opening += site.code.lexeme(opening) == "dim3"
            closing = site.code.partner(opening)
            if site.code.lexeme(opening) in ("(", "{") and closing > 0:
                found = "dim3" + view.source(site.code.span(opening, closing))
    return found


RULE = Rule(
    code="W2W205",
    name="block-of-half-waves",
    severity="performance",
    effort="small",
    check=_check,
    page=__doc__,
)
