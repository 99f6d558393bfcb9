"""`warpSize` where the language wants a constant.

## What it does
Finds `warpSize`, `rocprim::warp_size()` and `at::cuda::warp_size()` in array bounds, template
arguments, `constexpr`, `static_assert`, `case` and `#if`.

## Why is this bad
From ROCm 7 on `warpSize` is no constant expression, so the build stops. Before, the host's value
was 64 on every card, also on RDNA, whose waves have 32 lanes.

## Example
```cuda
constexpr int W = rocprim::warp_size();
```

## Use instead
```cuda
__device__ int warp_of(int x) { int w = warpSize; return x / w; }
```

## Handled by the port
In code (not in `#if`) the compat layer makes `warpSize` the constant 32, as on CUDA.

## References
F08, F26, F27, F29, F46.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import Site, View

_NAMES = ("warpSize", "warp_size")
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:el)?if\b[^\n]*?\b(warpSize)\b", re.MULTILINE)
_WORDS = {
    "constexpr": "a constexpr",
    "static_assert": "a static_assert",
    "case": "a case label",
}
_TYPES_END = (">", "*", "const")
_NO_TYPES = ("return", "else", "case", "throw", "new", "delete")
_FARTHEST = 200


def _constant_place(site: Site) -> str:
    """Say which constant expression a token stands in, "" for none."""
    code = site.code
    for opening, closing in code.angles.partners.items():
        if opening < site.position < closing and code.lexeme(opening) == "<":
            return "a template argument"
    position = site.position - 1
    for _ in range(_FARTHEST):
        lexeme = code.lexeme(position)
        if lexeme in ("", ";", "{", "}"):
            return ""
        if lexeme in _WORDS:
            # `if constexpr (...)` too; a constexpr function's own head ends at its brace.
            return _WORDS[lexeme]
        if lexeme == "[" and _declares_array(site, position):
            return "an array bound"
        if lexeme in (")", "]") and code.partner(position) >= 0:
            position = code.partner(position)
        position -= 1
    return ""


def _declares_array(site: Site, opening: int) -> bool:
    name = opening - 1
    while site.code.lexeme(name) == "]":
        name = site.code.partner(name) - 1
    before = site.code.lexeme(name - 1)
    is_type = site.code.is_name(name - 1) and before not in _NO_TYPES
    return site.code.is_name(name) and (is_type or before in _TYPES_END)


def _check(view: View, context: Context) -> Iterator[Hit]:
    for site in view.sites(*_NAMES):
        name = site.code.lexeme(site.position)
        if name == "warpSize" and site.next(-1) in (".", "->"):
            continue
        if name == "warp_size" and (site.next(-1) != "::" or site.next() != "("):
            continue
        place = _constant_place(site)
        if not place and name == "warp_size" and site.macro is not None and not view.native:
            place = "a macro" if site.macro.parameters is None else ""
        if not place:
            continue
        message = (
            f"`{name}` in {place}: from ROCm 7 on it is no constant; size for the smallest wave "
            "(32), or branch on it and instantiate for 32 and 64"
        )
        yield Hit(site.start, site.end, message, handled=None if name == "warpSize" else False)
    for match in _CONDITION.finditer(view.text):
        message = "`warpSize` in an `#if`: the preprocessor does not know it and takes it for 0"
        yield Hit(match.start(1), match.end(1), message, handled=False)


RULE = Rule(
    code="W2W225",
    name="warp-size-as-constant",
    severity="error",
    effort="small",
    check=_check,
    page=__doc__,
    words=frozenset(_NAMES),
    handled=True,
)
