"""The fast-math flag as nvcc spells it.

## What it does
Finds `--use_fast_math` and `-use_fast_math` in build files, outside of platform conditions.

## Why is this bad
clang stops at `--use_fast_math`, and reads `-use_fast_math` as `-u se_fast_math`, which does
nothing. `-ffast-math` is the nearest flag, but not the same: it also lets the compiler assume that
no value is NaN or infinite and reorder sums, and its results differ.

## Example
```python
flags = {"nvcc": ["-O3", "--use_fast_math"]}
```

## Use instead
```python
fast = "--use_fast_math" if torch.version.hip is None else "-ffast-math"
flags = {"nvcc": ["-O3", fast]}
```

## References
F75
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.rules.build_pieces import pieces
from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

_FLAG = re.compile(r"(?<![\w=-])--?use_fast_math\b")


def _check(view: View, context: Context) -> Iterator[Hit]:
    for piece in pieces(view):
        match = _FLAG.search(piece.text)
        if match is None or (not _FLAG.match(piece.text.lstrip()) and view.kind == "python"):
            continue
        does = "stops at it" if match[0].startswith("--") else "ignores it, reading `-u`"
        yield Hit(
            piece.start,
            piece.end,
            f"`{match[0]}` is nvcc's: clang {does}; on HIP write `-ffast-math` and compare "
            "results, as that also drops NaN and infinity",
        )


RULE = Rule(
    code="W2W702",
    name="nvcc-fast-math",
    severity="error",
    effort="small",
    check=_check,
    page=__doc__,
    words=frozenset({"use_fast_math"}),
    kinds=frozenset({"python", "cmake"}),
)
