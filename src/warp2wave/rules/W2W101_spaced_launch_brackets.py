"""Launch brackets with blanks in them.

## What it does
Finds `<< <` and `>> >` around a launch configuration.

## Why is this bad
nvcc joins the pieces; clang, which compiles HIP, reads them as shifts and comparisons and stops
with a syntax error. hipify does not see such a launch at all.

## Example
```cuda
scale<< <grid, block >> >(x);
```

## Use instead
```cuda
scale<<<grid, block >>>(x);
```

## Fix safety
Safe: only the blanks between the brackets go.
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.model import Edit, Fix
from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View


def _check(view: View, context: Context) -> Iterator[Hit]:
    for launch in view.launches:
        if not launch.is_spaced:
            continue
        edits = tuple(
            Edit(span.start, span.end, brackets)
            for span, brackets in ((launch.opening, "<<<"), (launch.closing, ">>>"))
            if view.source(span) != brackets
        )
        title = "join the launch brackets: clang does not take `<< <`"
        yield Hit(
            edits[0].start,
            edits[0].end,
            "launch brackets with blanks in them: nvcc joins them, clang does not",
            Fix(title, edits, "safe"),
        )


RULE = Rule(
    code="W2W101",
    name="spaced-launch-brackets",
    severity="error",
    effort="trivial",
    check=_check,
    page=__doc__,
)
