"""A warp primitive of cub with its default width.

## What it does
Finds `cub::WarpReduce`, `WarpScan`, `WarpExchange` and their kin without a number of threads.

## Why is this bad
CUB's default is 32 threads, hipCUB's the wave: 64 on CDNA. Code that keeps one `TempStorage` for
each 32 threads then has two warps in one storage: zeros or doubled sums.

## Example
```cuda native
using Reduce = cub::WarpReduce<float>;
```

## Use instead
```cuda
using Reduce = cub::WarpReduce<float, 32>;
```

## Fix safety
Safe for `WarpReduce` and `WarpScan`: 32 is CUB's own default.

## Handled by the port
The compat layer's `cub` keeps the default of 32. `hipcub::` written out is not changed.

## References
F05.
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.model import Edit, Fix
from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

# Which template argument is the number of threads, counted from 0.
_PLACES = {
    "WarpReduce": 1,
    "WarpScan": 1,
    "WarpExchange": 2,
    "WarpLoad": 3,
    "WarpStore": 3,
    "WarpMergeSort": 2,
}


def _check(view: View, context: Context) -> Iterator[Hit]:
    for site in view.sites(*_PLACES):
        name = site.code.lexeme(site.position)
        closing = site.code.angles.partners.get(site.position + 1, -1)
        space = site.next(-2) if site.next(-1) == "::" else ""
        bare = "using" in view.words and "namespace cub" in view.text and site.next(-1) != "::"
        if closing < 0 or not (space in ("cub", "hipcub") or bare):
            continue
        arguments = site.code.split(site.position + 1, closing)
        if not arguments or len(arguments) > _PLACES[name]:
            continue
        fix = None
        if _PLACES[name] == len(arguments) == 1:
            end = arguments[0].end
            fix = Fix("name the 32 threads of CUB's default", (Edit(end, end, ", 32"),), "safe")
        message = (
            f"`{name}` without a number of threads: 32 in CUB, the wave (64 on CDNA) in hipCUB"
        )
        yield Hit(
            site.start,
            site.end,
            message,
            fix,
            handled=False if space == "hipcub" else None,
        )


RULE = Rule(
    code="W2W231",
    name="default-width-warp-primitive",
    severity="error",
    effort="trivial",
    check=_check,
    page=__doc__,
    words=frozenset(_PLACES),
    handled=True,
)
