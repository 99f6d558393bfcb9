"""Which names hold a thread's place in its block, and which code has lanes that work together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from warp2wave.rules.remembered import remembered
from warp2wave.rules.view import Site, View
from warp2wave.syntax.code import Code
from warp2wave.syntax.functions import Function
from warp2wave.syntax.postfix import postfix_start

_COLLECTIVE = re.compile(
    r"__(?:shfl|ballot|any|all|match_any|match_all)(?:_(?:up|down|xor))?(?:_sync)?"
    r"|__reduce_\w+_sync|__activemask|__syncwarp|WARP_(?:SHFL|BALLOT)\w*"
    r"|\w*[wW]arp_?(?:[rR]educe|[aA]ll_?[rR]educe|[sS]um|[mM]ax|[sS]can|[sS]huffle|[sS]hfl)\w*"
    r"|\".*(?:\bmma\.sync|\bldmatrix\.|\bshfl\.|\bvote\.|%laneid).*\"",
    re.DOTALL,
)
_NUMBER = re.compile(r"(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*")
_ARITHMETIC = frozenset(("+", "-", "*", "(", ")", ".", "x", "y", "z"))
_TYPES = frozenset(("int", "unsigned", "const", "static_cast", "uint32_t", "size_t", "<", ">"))
_BLOCK = frozenset(("blockDim",))

# What `_names_in` has worked out; by view, so that nothing outlives the scan of its file.
_names_by_function: WeakKeyDictionary[View, dict[int, frozenset[str]]] = WeakKeyDictionary()


def bounds_of(view: View, site: Site) -> tuple[int, int]:
    """Return the positions around a site that share its names: a function's body, or a macro's."""
    function = view.function_of(site)
    if function is not None:
        return function.opening, function.closing
    return (0, len(site.code)) if site.macro is not None else (0, 0)


def uses_warps(view: View, site: Site) -> bool:
    """Say whether lanes work together in the function or macro of a site, or in what it calls."""
    function = view.function_of(site)
    if function is not None:
        return site.macro is None and function.opening in _working_functions(view)
    return site.macro is not None and any(map(_COLLECTIVE.fullmatch, site.code.lexemes))


@remembered
def _working_functions(view: View) -> frozenset[int]:
    """Return where the bodies open of the functions whose lanes work together."""
    main = view.document.code
    functions = view.functions()
    names = {f.name for f in functions.named}
    found: set[int] = set()
    work = list(view.matching(_COLLECTIVE))
    seen: set[str] = set()
    while work:
        site = work.pop()
        name = ""
        if site.macro is not None:
            name = site.macro.name
        elif site.code is main and (function := functions.at(site.position)) is not None:
            found.add(function.opening)
            name = function.name if function.name in names else ""
        if name and name not in seen:
            seen.add(name)
            work += [s for s in view.sites(name) if s.next() in ("(", "<")]
    return frozenset(found)


def thread_names(view: View, site: Site) -> frozenset[str]:
    """Return the variables at a site that hold a thread's place in its block, not in the grid."""
    function = view.function_of(site) if site.macro is None else None
    if function is None:
        first, last = bounds_of(view, site)
        return _assigned(site.code, first, last, frozenset())
    return _names_in(view, function, 0)


def _names_in(view: View, function: Function, depth: int) -> frozenset[str]:
    known = _names_by_function.setdefault(view, {})
    if function.opening not in known:
        known[function.opening] = frozenset()  # ends a recursion
        fed = frozenset(_fed_parameters(view, function, depth)) if depth < 4 else frozenset()
        code = view.document.code
        known[function.opening] = _assigned(code, function.opening, function.closing, fed)
    return known[function.opening]


def _fed_parameters(view: View, function: Function, depth: int) -> Iterator[str]:
    """Yield the parameters that a caller in the file gives a thread's place."""
    code = view.document.code
    if function.is_kernel or function.parameters < 0 or not function.name:
        return
    closing = code.partner(function.parameters)
    names = [
        view.source(span).partition("=")[0].split()[-1].lstrip("&*")
        for span in code.split(function.parameters, closing, declares=True)
        if view.source(span).partition("=")[0].strip()
    ]
    for call in view.calls(function.name):
        position = view.code_position(call.name_span.start)
        caller = view.functions().at(position) if call.macro is None else None
        if caller is None or caller is function:
            continue
        there = _names_in(view, caller, depth + 1)
        for name, argument in zip(names, call.arguments, strict=False):
            first, last = view.code_position(argument.start), view.code_position(argument.end)
            if is_thread_index(code, first, last, there):
                yield name


def _assigned(code: Code, first: int, last: int, given: frozenset[str]) -> frozenset[str]:
    names = set(given)
    for name, value, end in assignments(code, first, last):
        if is_thread_index(code, value, end, frozenset(names)):
            names.add(name)
    return frozenset(names)


def assignments(code: Code, first: int, last: int) -> Iterator[tuple[str, int, int]]:
    """Yield each name that is set with `=`, and the positions [start, end) of its value."""
    for position in range(first, last):
        if code.lexemes[position] != "=" or not code.is_name(position - 1):
            continue
        end = position + 1
        while end < last and code.lexemes[end] not in (";", ","):
            end += 1
        yield code.lexemes[position - 1], position + 1, end


def is_thread_index(code: Code, first: int, last: int, names: frozenset[str]) -> bool:
    """Say whether the expression at [first, last) is a thread's place in its block."""
    return _consists_of(code, first, last, names | {"threadIdx"}, _BLOCK)


def is_block_size(code: Code, first: int, last: int) -> bool:
    """Say whether the expression at [first, last) is the block's number of threads, or a bit
    more: `blockDim.x`, `(blockDim.x + 31)`.
    """
    return _consists_of(code, first, last, _BLOCK, frozenset())


def _consists_of(
    code: Code, first: int, last: int, wanted: frozenset[str], allowed: frozenset[str]
) -> bool:
    found = False
    for lexeme in code.lexemes[first:last]:
        if lexeme in wanted:
            found = True
        elif not (
            lexeme in _ARITHMETIC
            or lexeme in _TYPES
            or lexeme in allowed
            or _NUMBER.fullmatch(lexeme)
        ):
            return False
    return found


def left_operand(code: Code, operator: int) -> int:
    """Return where the operand that ends before a `/`, `%`, `&` or `>>` begins."""
    return min(postfix_start(code, operator - 1), max(operator - 1, 0))


def indexes_square_tile(code: Code, start: int, end: int) -> bool:
    """Say whether [start, end] is a whole subscript of a two-dimensional tile, `[32][33]`."""
    if code.lexeme(start - 1) != "[" or code.lexeme(end + 1) != "]":
        return False
    name = start - 2
    while code.lexeme(name) == "]":
        name = code.partner(name) - 1
    array = code.lexeme(name)
    for position, lexeme in enumerate(code.lexemes[:name]):
        if lexeme == array and code.lexeme(position + 1) == "[":
            closing = code.partner(position + 1)
            following = code.partner(closing + 1) if code.lexeme(closing + 1) == "[" else -1
            if closing < 0 or following < 0:
                return False
            rows = " ".join(code.lexemes[position + 2 : closing])
            columns = " ".join(code.lexemes[closing + 2 : following])
            return columns in (rows, f"{rows} + 1") or (rows, columns) == ("32", "33")
    return False


def is_only_tile_index(code: Code, start: int, end: int, last: int) -> bool:
    """Say whether an expression, or the variable set to it, does nothing but index such a tile."""
    if indexes_square_tile(code, start, end):
        return True
    if code.lexeme(start - 1) != "=" or code.lexeme(end + 1) not in (";", ","):
        return False
    name = code.lexeme(start - 2)
    uses = [p for p in range(end + 1, last) if code.lexemes[p] == name]
    return bool(uses) and all(indexes_square_tile(code, use, use) for use in uses)
