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

## Fix safety
`n / warpSize` as an array bound becomes `n / 32`: safe, the array is the same on NVIDIA and large
enough on every wave. `constexpr` in a function becomes `const`: unsafe, as the name may be used
where a constant is wanted.

## Handled by the port
In code (not in `#if`) the compat layer makes `warpSize` the constant 32, as on CUDA.

## References
F08, F26, F27, F29, F46.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.model import Edit, Fix
from warp2wave.rules.context import Context
from warp2wave.rules.remembered import remembered
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


@remembered
def _own_name(view: View) -> tuple[tuple[int, int], ...]:
    """Return where `warpSize` is a name of the file's own: between which characters."""
    code = view.document.code
    found: list[tuple[int, int]] = []
    for site in view.sites("warpSize"):
        if site.macro is not None or site.next() not in ("=", "{", ",", ">"):
            continue
        is_type = code.is_name(site.position - 1) and site.next(-1) not in _NO_TYPES
        if not is_type or site.next(2) == "warpSize":
            continue
        around = code.brackets.enclosing(site.position)
        if site.next() in (",", ">") and code.lexeme(around) != "<":
            # A template parameter: it is seen to the end of what the template declares.
            closing = next(
                (c for o, c in code.angles.partners.items() if o < site.position < c), -1
            )
            if closing < 0:
                continue
            body = closing
            while body < len(code) and code.lexemes[body] not in ("{", ";"):
                body += 1
            end = max(code.partner(body), body)
        else:
            end = code.partner(around) if around >= 0 else len(code) - 1
        if 0 <= end < len(code):
            found.append((site.start, code.ends[end]))
    return tuple(found)


def _fix(view: View, site: Site, place: str) -> Fix | None:
    code = site.code
    if place == "an array bound" and site.next(-1) == "/" and site.next() == "]":
        return Fix("size the array for waves of 32", (Edit(site.start, site.end, "32"),), "safe")
    if place == "a constexpr" and site.next(-1) == "=" and site.next() == ";":
        word = site.position - 1
        while code.lexeme(word) not in ("constexpr", "static", ";", "{", "}", ""):
            word -= 1
        function = view.function_of(site)
        if code.lexeme(word) == "constexpr" and function is not None and function.is_device:
            edit = Edit(code.starts[word], code.ends[word], "const")
            return Fix("keep it in a constant of run time", (edit,), "unsafe")
    return None


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
        if name == "warpSize" and (
            site.next(-1) in (".", "->")
            or any(start <= site.start < end for start, end in _own_name(view))
        ):
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
        handled = None if name == "warpSize" else False
        yield Hit(site.start, site.end, message, _fix(view, site, place), handled=handled)
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
