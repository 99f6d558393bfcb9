"""A warp size written down as a constant.

## What it does
Finds the one place where a name such as `WARP_SIZE` or `kWarpSize` is defined as 32.

## Why is this bad
Waves of MI200 and MI300 have 64 lanes. Host arithmetic and device code that share the constant
have to change together.

## Example
```cuda
#define WARP_SIZE 32
__device__ int lanes() { return WARP_SIZE; }
```

## Use instead
```cuda
#ifdef USE_ROCM
#define WARP_SIZE 64
#else
#define WARP_SIZE 32
#endif
__device__ int lanes() { return WARP_SIZE; }
```

## Handled by the port
The headers of a single-source port keep warps of 32 lanes, so the constant stays right there.

## References
F03
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import Site, View

_NAME = r"(?i:[a-z]\w*_)?(?i:k?_?(?:gpu_|cuda_|c10_)?warp_?size|(?:lanes|threads)_?per_?warp)_?"
_GUARDS = ("ROCM", "HIP", "AMD", "GFX", "WAVE")


def _check(view: View, context: Context) -> Iterator[Hit]:
    if not context.has_wide_waves:
        return
    names = [word for word in view.words if _is_width(word)]
    if not names:
        return
    for macro in view.document.macros if "define" in view.words else ():
        if macro.parameters is None and _is_width(macro.name):
            body = view.text[macro.body_start : macro.body_end]
            if context.evaluate(body) == 32 and not (
                _guarded(view, macro.name_start) or _has_hip_value(view, macro.name)
            ):
                yield _hit(view, macro.name, macro.name_start, macro.name_end)
    for site in view.sites(*names):
        if _is_definition(site, context) and not _guarded(view, site.start):
            yield _hit(view, site.code.lexemes[site.position], site.start, site.end)


def _is_width(name: str) -> bool:
    return re.fullmatch(_NAME, name) is not None


def _has_hip_value(view: View, name: str) -> bool:
    """Say whether the file defines the name for HIP, before an `#ifndef` gives the usual value."""
    return any(
        macro.name == name and _names_hip(str(macro.condition or ""))
        for macro in view.document.macros
    )


def _is_definition(site: Site, context: Context) -> bool:
    declared = site.code.is_name(site.position - 1) or (
        site.next(-1) in ("{", ",") and site.next() == "="  # an enumerator
    )
    if site.next() not in ("=", "{") or not declared:
        return False
    return context.evaluate(site.next(2)) == 32 and site.next(3) in (";", ",", "}", ">")


def _guarded(view: View, offset: int) -> bool:
    return _names_hip(str(view.document.conditions.at(offset) or ""))


def _names_hip(condition: str) -> bool:
    return any(word in condition.upper() for word in _GUARDS)


def _hit(view: View, name: str, start: int, end: int) -> Hit:
    device = host = 0
    tile = ""
    for site in view.sites(name):
        if site.next(-1) == "[" and site.next() == "]" and site.next(2) == "[":
            tile = "; it is also the size of a tile, which must not change with it"
        function = view.function_of(site)
        if function is not None:
            device += function.is_device
            host += function.is_host
    return Hit(
        start,
        end,
        f"`{name}` is 32, and a wave of the target has 64 lanes; this file uses it {device} times "
        f"in device and {host} times in host functions, which have to agree{tile}",
    )


RULE = Rule(
    code="W2W202",
    name="warp-size-constant",
    severity="warning",
    effort="small",
    check=_check,
    page=__doc__,
    handled=True,
)
