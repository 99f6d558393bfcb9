"""Which names hold a thread's place in its block, and whether a function uses warps."""

from __future__ import annotations

import re
from functools import lru_cache

from warp2wave.rules.view import Site, View
from warp2wave.syntax.code import Code

_COLLECTIVE = re.compile(
    r"__(?:shfl|ballot|any|all|match_any|match_all)(?:_(?:up|down|xor))?(?:_sync)?"
    r"|__reduce_\w+_sync|__activemask|__syncwarp|WARP_(?:SHFL|BALLOT)\w*"
    r"|\w*[wW]arp_?(?:[rR]educe|[aA]ll_?[rR]educe|[sS]um|[mM]ax|[sS]can|[sS]huffle|[sS]hfl)\w*"
)
_NUMBER = re.compile(r"(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*")
_ARITHMETIC = frozenset(("+", "-", "*", "(", ")", ".", "x", "y", "z"))
_TYPES = frozenset(("int", "unsigned", "const", "static_cast", "uint32_t", "size_t", "<", ">"))


def bounds_of(view: View, site: Site) -> tuple[int, int]:
    """Return the positions around a site that share its names: a function's body, or a macro's."""
    function = view.function_of(site)
    if function is not None:
        return function.opening, function.closing
    return (0, len(site.code)) if site.macro is not None else (0, 0)


@lru_cache(maxsize=64)
def uses_warps(code: Code, first: int, last: int) -> bool:
    """Say whether lanes of a warp work together there."""
    return any(_COLLECTIVE.fullmatch(lexeme) for lexeme in code.lexemes[first:last])


@lru_cache(maxsize=64)
def thread_names(code: Code, first: int, last: int) -> frozenset[str]:
    """Return the variables that hold a thread's place in its block, not in the grid."""
    names: set[str] = set()
    for position in range(first, last):
        if code.lexemes[position] != "=" or not code.is_name(position - 1):
            continue
        end = position + 1
        while end < last and code.lexemes[end] not in (";", ","):
            end += 1
        if is_thread_index(code, position + 1, end, frozenset(names)):
            names.add(code.lexemes[position - 1])
    return frozenset(names)


def is_thread_index(code: Code, first: int, last: int, names: frozenset[str]) -> bool:
    """Say whether the expression at [first, last) is a thread's place in its block."""
    found = False
    for lexeme in code.lexemes[first:last]:
        if lexeme == "threadIdx" or lexeme in names:
            found = True
        elif not (
            lexeme in _ARITHMETIC
            or lexeme in _TYPES
            or lexeme == "blockDim"
            or _NUMBER.fullmatch(lexeme)
        ):
            return False
    return found


def left_operand(code: Code, operator: int) -> int:
    """Return where the operand that ends before a `/`, `%`, `&` or `>>` begins."""
    position = operator - 1
    if code.lexeme(position) == ")":
        return max(code.partner(position), 0)
    while position > 1 and code.lexemes[position - 1] == ".":
        position -= 2
    return position
