"""How many bytes a declaration of arrays takes: `float a[8][8], b[N];`, structs of them too."""

from __future__ import annotations

import re
from collections.abc import Callable

from warp2wave.rules.known_sizes import TYPE_SIZES
from warp2wave.rules.view import View

_SPECIFIERS = re.compile(
    r"^(?:(?:__align__|alignas|__attribute__)\s*\((?:[^()]|\([^()]*\))*\)\s*"
    r"|(?:volatile|unsigned|signed|static|const|constexpr|typename|struct|__constant__|__device__"
    r"|__shared__|extern)\b\s*"
    r"|(?:std|at|c10)::)*"
)
_TYPE = re.compile(r"(?:(?:long|short)\s+(?=int\b|long\b))?(\w+)\s+(?=\w)")
_DECLARATOR = re.compile(r"\s*(\w+)\s*((?:\[[^\[\]]+\]\s*)*)(?:=.*)?", re.DOTALL)
_DIMENSION = re.compile(r"\[([^\[\]]+)\]")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)

Evaluate = Callable[[str], int | None]


def declared_bytes(view: View, declaration: str, evaluate: Evaluate) -> int | None:
    """Return the bytes of a declaration without its semicolon, None where they are not known."""
    return _bytes(view, declaration, evaluate, 3)


def _bytes(view: View, declaration: str, evaluate: Evaluate, depth: int) -> int | None:
    text = _COMMENT.sub(" ", declaration).strip()
    specifiers = _SPECIFIERS.match(text)
    rest = text[specifiers.end() :] if specifiers else text
    is_unsigned = "unsigned" in text[: len(text) - len(rest)].split()
    type_name = _TYPE.match(rest)
    size = TYPE_SIZES.get(type_name[1]) if type_name else None
    if size is None and is_unsigned:
        # `unsigned a[8]`: there is no word between the specifier and the array's name.
        size, declarators = 4, rest
    elif type_name is None:
        return None
    else:
        declarators = rest[type_name.end() :]
    if size is None and type_name is not None:
        size = _struct_bytes(view, type_name[1], evaluate, depth - 1) if depth else None
    if size is None:
        return None
    total = 0
    for part in _top_level_parts(declarators):
        match = _DECLARATOR.fullmatch(part)
        if match is None:
            return None
        count = 1
        for dimension in _DIMENSION.findall(match[2]):
            value = evaluate(dimension)
            if value is None or value < 0:
                return None
            count *= value
        total += size * count
    return total


def _top_level_parts(text: str) -> list[str]:
    parts: list[str] = []
    depth = start = 0
    for index, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]]


def _struct_bytes(view: View, name: str, evaluate: Evaluate, depth: int) -> int | None:
    """Add up the members of a plain struct of the file, without padding."""
    found = re.search(
        rf"\b(struct|union)\s+(?:__align__\s*\(\w+\)\s*)?{re.escape(name)}\s*\{{([^{{}}]*)\}}\s*;",
        view.text,
    )
    if found is None:
        return None
    sizes: list[int] = []
    for member in _COMMENT.sub(" ", found[2]).split(";"):
        if not member.strip():
            continue
        size = _bytes(view, member, evaluate, depth)
        if size is None:
            return None
        sizes.append(size)
    return max(sizes, default=0) if found[1] == "union" else sum(sizes)
