"""A lane or warp index computed with a fixed width of 32.

## What it does
Finds `/ 32`, `% 32`, `& 31` and `>> 5` on a thread's place in its block or on the block's size, in
functions whose lanes work together, there or in what they call. Indexes of a square tile are left
alone.

## Why is this bad
Waves of MI200 and MI300 have 64 lanes. Where lanes exchange values over the whole wave, these
indexes name the wrong lane and the wrong row.

## Example
```cuda
__global__ void sum(float *out, float v) {
  int lane = threadIdx.x % 32;
  v += __shfl_down_sync(0xffffffff, v, 16);
  if (lane == 0) out[0] = v;
}
```

## Use instead
```cuda
__global__ void sum(float *out, float v) {
  int lane = threadIdx.x % warpSize;
  v += __shfl_down_sync(0xffffffff, v, 16);
  if (lane == 0) out[0] = v;
}
```

## Handled by the port
The headers of a single-source port keep warps of 32 lanes, so these indexes stay right there.

## References
F04, F28
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.thread_flow import (
    bounds_of,
    is_block_size,
    is_only_tile_index,
    is_thread_index,
    left_operand,
    thread_names,
    uses_warps,
)
from warp2wave.rules.view import View

_NUMBERS = r"(?:32|31|5|0[xX]1[fF])[uU]?"


def _check(view: View, context: Context) -> Iterator[Hit]:
    if not context.has_wide_waves:
        return
    named = [w for w in view.words if "warp" in w.lower() and context.values(w) == {32}]
    for site in (*view.matching(_NUMBERS), *view.sites(*named)):
        value = site.code.lexemes[site.position].rstrip("uU").lower()
        operator = site.position - 1
        sign = site.next(-1)
        if sign == ">" and site.next(-2) == ">":
            operator, sign = operator - 1, ">>"
        signs = {"31": "&", "0x1f": "&", "5": ">>"}.get(value, "/%")
        if not sign or sign not in (("/", "%") if signs == "/%" else (signs,)):
            continue
        _, last = bounds_of(view, site)
        if last == 0 or not uses_warps(view, site):
            continue
        code = site.code
        start = left_operand(code, operator)
        counts_warps = sign in ("/", ">>") and is_block_size(code, start, operator)
        if not counts_warps and not is_thread_index(
            code, start, operator, thread_names(view, site)
        ):
            continue
        if is_only_tile_index(code, start, site.position, last):
            continue
        begin = code.starts[start]
        text = " ".join(view.text[begin : site.end].split())
        yield Hit(
            begin,
            site.end,
            f"`{text}` takes a warp for 32 lanes; a wave of the target has 64: change it "
            "together with the other places that do, or keep warps of 32",
        )


RULE = Rule(
    code="W2W201",
    name="lane-arithmetic",
    severity="warning",
    effort="small",
    check=_check,
    page=__doc__,
    words=frozenset({"threadIdx", "blockDim"}),
    handled=True,
)
