"""A wave size chosen by a macro of the target.

## What it does
Finds `#if` groups on `__GFX9__` and its like that choose between 32 and 64 lanes, and every use of
`__AMDGCN_WAVEFRONT_SIZE`.

## Why is this bad
`__GFX9__` and `__AMDGCN_WAVEFRONT_SIZE` are not defined while the host is compiled, nor by every
ROCm. Then the other branch is taken: a kernel for 32 lanes runs on waves of 64 and skips half.

## Example
```cuda
#if defined(__GFX9__)
#define WARP_SIZE 64
#else
#define WARP_SIZE 32
#endif
```

## Use instead
```cuda
__device__ int lanes() { return warpSize; }
```

## References
F09.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

_TARGET = re.compile(
    r"^[ \t]*#[ \t]*(?:el)?if(?:n?def)?\b[^\n]*?\b(__(?:GFX\d+|gfx\w+)__)(?:[^\n]*)", re.MULTILINE
)
_WIDTH = re.compile(
    r"(?:warp|wave|lane)\w*[ \t]*(?:=[ \t]*|\{|[ \t(])\(?(?:32|64)\b", re.IGNORECASE
)
_SIZE = re.compile(r"(?<!\w)(__AMDGCN_WAVEFRONT_SIZE(?:__)?)\b")
_COMMENT = re.compile(r"//|/\*|^[ \t]*#[ \t]*undef")


def _check(view: View, context: Context) -> Iterator[Hit]:
    for match in _TARGET.finditer(view.text):
        branch = "\n".join(view.text[match.end() :].split("\n", 4)[1:4])
        if _WIDTH.search(branch.partition("#endif")[0]):
            message = (
                f"the wave size hangs on `{match[1]}`, which the host and some ROCm versions do "
                "not define: ask `warpSize` or the device's properties"
            )
            yield Hit(match.start(1), match.end(1), message)
    for match in _SIZE.finditer(view.text):
        line = view.text[view.text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if not _COMMENT.search(line) and line.count('"') % 2 == 0:
            message = (
                f"`{match[1]}` is deprecated and undefined on the host: ask `warpSize` or the "
                "device's properties"
            )
            yield Hit(match.start(1), match.end(1), message)


RULE = Rule(
    code="W2W226",
    name="wave-size-by-target-macro",
    severity="warning",
    effort="small",
    check=_check,
    page=__doc__,
    words=frozenset(("__AMDGCN_WAVEFRONT_SIZE", "__AMDGCN_WAVEFRONT_SIZE__")),
    prefixes=("__GFX", "__gfx"),
)
