"""Shuffle steps that reach 32 lanes only.

## What it does
Finds loops over offsets from 16 down to 1, or from 1 to below 32, whose shuffles name no width.

## Why is this bad
In a wave of 64 lanes these steps leave the upper half out: a scan or a sum over the whole wave
misses 32 lanes. Down and xor steps whose result counts in lane 0 of each 32 only are right there
too; they are a note.

## Example
```cuda
__device__ float sum(float v) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
  return v;
}
```

## Use instead
```cuda
__device__ float sum(float v) {
  for (int o = warpSize / 2; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
  return v;
}
```

## Handled by the port
The headers of a single-source port keep warps of 32 lanes, so the steps stay right there.

## References
F35
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import Site, View

_SHUFFLE = re.compile(r"__shfl(?:_(up|down|xor))?(_sync)?")
_DOWN = re.compile(r"=([^;=]+);[^;]*;[^;]*(?:>>=\s*1|/=\s*2|=\s*\w+\s*(?:>>\s*1|/\s*2))\b")
_UP = re.compile(r"=\s*1\s*;\s*\w+\s*(<=?)([^;]+);[^;]*(?:<<=\s*1|\*=\s*2)\b")


def _check(view: View, context: Context) -> Iterator[Hit]:
    if not context.has_wide_waves:
        return
    for site in view.sites("for"):
        closing = site.code.partner(site.position + 1)
        if closing < 0:
            continue
        head = view.text[site.start : site.code.ends[closing]]
        kind = _shuffles_whole_waves(view, site, closing) if _is_half(head, context) else ""
        if not kind:
            continue
        # Down and xor steps below 32 stay within the lanes whose result counts: lane 0 of each 32.
        scans = kind == "up" or "warpSize" in view.words
        message = (
            "these shuffle steps join 32 lanes, and a wave of the target has 64: name the width 32 "
            "in the shuffle, or take the steps from the wave's size"
            if scans
            else "these shuffle steps join 32 lanes: right for lane 0 of each 32 in a wave of 64 "
            "too, but not for a sum over the whole wave"
        )
        yield Hit(
            site.start, site.code.ends[closing], message, severity="warning" if scans else "note"
        )


def _is_half(head: str, context: Context) -> bool:
    down = _DOWN.search(head)
    if down is not None:
        return context.evaluate(down[1]) == 16
    up = _UP.search(head)
    limit = None if up is None else context.evaluate(up[2])
    return up is not None and limit == (16 if up[1] == "<=" else 32)


def _shuffles_whole_waves(view: View, site: Site, closing: int) -> str:
    """Return the kind of the first shuffle in a loop without a width: up, down, xor, any."""
    code = site.code
    end = code.partner(closing + 1) if code.lexeme(closing + 1) == "{" else closing + 1
    while code.lexeme(closing + 1) != "{" and end < len(code) and code.lexeme(end) != ";":
        end += 1
    for position in range(closing + 1, max(end, closing + 1)):
        match = _SHUFFLE.fullmatch(code.lexemes[position])
        call = view.call_of(Site(code, position, site.macro)) if match else None
        if match and call and len(call.arguments) < (4 if match[2] else 3):
            return match[1] or "any"
    return ""


RULE = Rule(
    code="W2W206",
    name="half-wave-steps",
    severity="warning",
    effort="small",
    check=_check,
    page=__doc__,
    prefixes=("__shfl",),
    handled=True,
)
