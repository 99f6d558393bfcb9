"""A shared array with one value for each warp of 32.

## What it does
Finds shared arrays of size `[32]`, `[WARP_SIZE]` or `[N / 32]` whose index is the warp of a thread.

## Why is this bad
A block reduction takes the width of a warp in several places: the lane, the warp, the array's
size, and the second stage by the first warp. In waves of 64 lanes all have to change together;
where some do, the sums are silently wrong.

## Example
```cuda
__global__ void sum(float v) {
  __shared__ float part[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  v += __shfl_down_sync(~0u, v, 16);
  if (lane == 0) part[warp] = v;
}
```

## Use instead
```cuda
__global__ void sum(float v) {
  __shared__ float part[32];
  int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  for (int o = warpSize / 2; o > 0; o >>= 1) v += __shfl_down_sync(~0ull, v, o);
  if (lane == 0) part[warp] = v;
}
```

## Handled by the port
The headers of a single-source port keep warps of 32 lanes, so size and index stay right there.

## References
F04
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.thread_flow import (
    assignments,
    bounds_of,
    is_thread_index,
    thread_names,
    uses_warps,
)
from warp2wave.rules.view import Site, View

_WIDTH = re.compile(r"(?:32u?|\w*(?i:warp_?size))")


def _check(view: View, context: Context) -> Iterator[Hit]:
    if not context.has_wide_waves:
        return
    for shared in view.sites("__shared__"):
        site = _array(shared)
        if site is None or not uses_warps(view, site):
            continue
        code = site.code
        closing = code.partner(site.position + 1)
        size = code.lexemes[site.position + 2 : closing]
        if code.lexeme(closing + 1) != ";" or not _is_for_warps(size, context):
            continue
        warps = _warp_names(view, site, context)
        lines = sorted(
            {
                view.document.line_column(use.start)[0]
                for use in view.sites(code.lexeme(site.position))
                if use.code is code
                and use.next() == "["
                and use.next(2) in warps
                and use.next(3) == "]"
            }
        )
        if lines:
            name = code.lexeme(site.position)
            yield Hit(
                site.start,
                code.ends[closing],
                f"`{name}[{' '.join(size)}]` has one value for each warp of 32 threads (line "
                f"{lines[0]}); for waves of 64 lanes its size, the lane, the warp and the second "
                "stage have to change together",
                severity="error" if "warpSize" in _body(view, site) else None,
            )


def _array(shared: Site) -> Site | None:
    """Return the name of the array that a `__shared__` declares."""
    for position in range(shared.position + 1, shared.position + 8):
        if shared.code.lexeme(position + 1) == "[" and shared.code.is_name(position):
            return Site(shared.code, position, shared.macro)
    return None


def _body(view: View, site: Site) -> list[str]:
    first, last = bounds_of(view, site)
    return site.code.lexemes[first:last]


def _is_for_warps(size: list[str], context: Context) -> bool:
    if not size or not _WIDTH.fullmatch(size[-1]) or size[-1] == "warpSize":
        return False
    if size[-1].rstrip("u") != "32" and context.values(size[-1]) != {32}:
        return False
    return len(size) == 1 or size[-2] == "/"


def _warp_names(view: View, site: Site, context: Context) -> frozenset[str]:
    """Return the variables set to a thread's place divided by the width of a warp."""
    first, last = bounds_of(view, site)
    code, threads = site.code, thread_names(view, site)
    found: set[str] = set()
    for name, start, end in assignments(code, first, last):
        operator = end - 2
        value = code.lexeme(end - 1).rstrip("u")
        shifts = code.lexemes[end - 3 : end - 1] == [">", ">"] or code.lexeme(operator) == ">>"
        if shifts and (value == "5" or context.values(value) == {5}):
            operator -= code.lexeme(operator - 1) == ">"
        elif code.lexeme(operator) != "/" or not _WIDTH.fullmatch(code.lexeme(end - 1)):
            continue
        if is_thread_index(code, start, operator, threads):
            found.add(name)
    return frozenset(found)


RULE = Rule(
    code="W2W203",
    name="array-of-partial-sums",
    severity="warning",
    effort="small",
    check=_check,
    page=__doc__,
    words=frozenset({"__shared__"}),
    handled=True,
)
