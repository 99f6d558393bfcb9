"""More static shared memory than a block has.

## What it does
Adds up the `__shared__` arrays of each function whose sizes are constants, and compares the sum
with the smallest limit of the chosen targets.

## Why is this bad
A block has 64 KiB of shared memory (LDS) on AMD GPUs, 160 KiB on gfx950. The compiler refuses a
kernel with more. Arrays in inner scopes may share their place, so only the largest of them counts.

## Example
```cuda
__global__ void k() { __shared__ char s[90000]; }
```

## Use instead
```cuda
__global__ void k() { __shared__ char s[45000]; }
```

## References
F66
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import Site, View
from warp2wave.syntax.functions import Function

_SIZES = {
    **dict.fromkeys(("bool", "char", "int8_t", "uint8_t"), 1),
    **dict.fromkeys(("short", "half", "__half", "__nv_bfloat16", "int16_t", "uint16_t"), 2),
    **dict.fromkeys(("int", "unsigned", "float", "int32_t", "uint32_t", "half2", "__half2"), 4),
    **dict.fromkeys(("double", "float2", "int2", "int64_t", "uint64_t", "size_t"), 8),
    **dict.fromkeys(("float4", "int4", "uint4", "double2"), 16),
}
_ARRAY = re.compile(
    r"((?:(?:__align__|alignas)\s*\([^()]*\)\s*|(?:volatile|unsigned|signed|static|const)\s+)*)"
    r"(?:std::)?(\w+)\s+\w+\s*((?:\[[^\[\]]+\]\s*)+)$"
)


def _bytes(view: View, context: Context, site: Site, function: Function) -> int | None:
    code = site.code
    if site.next(-1) == "extern" or site.next() == "extern":
        return None
    declared = view.text[site.end : view.text.find(";", site.end)].strip()
    match = _ARRAY.match(declared)
    if match is None:
        return None
    element = 4 if match[2] in ("unsigned", "signed") else _SIZES.get(match[2])
    parameters = set(code.lexemes[function.first : function.opening])
    for dimension in re.findall(r"\[([^\[\]]+)\]", match[3]):
        # A parameter of the template hides a constant of the same name.
        if not parameters.isdisjoint(re.findall(r"[A-Za-z_]\w*", dimension)):
            return None
        value = context.evaluate(dimension)
        if element is None or value is None or value < 0:
            return None
        element *= value
    return element


def _check(view: View, context: Context) -> Iterator[Hit]:
    if not context.targets:
        return
    least = min(context.targets, key=lambda target: target.shared_memory_per_block)
    limit = least.shared_memory_per_block
    always: dict[int, int] = {}
    inner: dict[int, int] = {}
    last: dict[int, Site] = {}
    for site in view.sites("__shared__"):
        function = view.function_of(site)
        if function is None or site.macro is not None or not view.on_hip(site.start):
            continue
        size = _bytes(view, context, site, function)
        if size is None:
            continue
        key = function.opening
        nested = site.code.brackets.enclosing(site.position) != key
        if nested or view.document.conditions.at(site.start) is not None:
            inner[key] = max(inner.get(key, 0), size)
        else:
            always[key] = always.get(key, 0) + size
        total = always.get(key, 0) + inner.get(key, 0)
        if total > limit:
            last.setdefault(key, site)
    for key, site in last.items():
        total = always.get(key, 0) + inner.get(key, 0)
        yield Hit(
            site.start,
            site.end,
            f"{total} bytes of static shared memory, but a block on {least.arch} has {limit}: "
            "use smaller tiles there",
        )


RULE = Rule(
    code="W2W401",
    name="static-shared-memory",
    severity="error",
    effort="medium",
    check=_check,
    page=__doc__,
    words=frozenset({"__shared__"}),
)
