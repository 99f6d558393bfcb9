"""Kernels: functions declared `__global__`, with their attributes, bounds and parameters."""

from __future__ import annotations

from dataclasses import dataclass

from warp2wave.syntax.code import Code, Span
from warp2wave.syntax.conditions import Condition
from warp2wave.syntax.document import Document
from warp2wave.syntax.keywords import ATTRIBUTES
from warp2wave.syntax.macros import Macro
from warp2wave.syntax.patterns import spelling
from warp2wave.syntax.postfix import qualified_start
from warp2wave.syntax.tokens import TokenKind

_KEYWORD = "__global__"
_NO_SPECIFIERS = frozenset(("else", "do", "return", _KEYWORD))


@dataclass(frozen=True, slots=True)
class Kernel:
    """One declaration or definition of a kernel; all spans are characters of the text.

    [start, end) goes from the template header or first specifier to the closing parenthesis of
    the parameters. `name` is the name as written, qualified or pasted with `##`. `keyword` covers
    `__global__`. `template` covers `template <...>` (the innermost one), `template_parameters` is
    that split. `launch_bounds` holds the arguments of `__launch_bounds__`, None without one.
    `template_arguments` are those of an explicit specialisation. `body` covers the braces, None
    for a declaration.
    """

    name: str
    name_span: Span
    keyword: Span
    start: int
    end: int
    template: Span | None
    template_parameters: tuple[Span, ...]
    template_arguments: tuple[Span, ...]
    launch_bounds: tuple[Span, ...] | None
    parameters: tuple[Span, ...]
    parameters_span: Span
    body: Span | None
    condition: Condition | None
    macro: Macro | None


def _skip_template_arguments(code: Code, position: int) -> int:
    """Return the position after `<...>` if that stands at `position`, else the position."""
    if code.lexeme(position) == "<":
        return code.angles.partners.get(position, position - 1) + 1
    return position


def _find_name(code: Code, position: int) -> tuple[int, int]:
    """Return the positions of the kernel's last identifier and of the `(` of its parameters.

    (-1, -1) if the declaration ends before both are seen.
    """
    while position < len(code):
        lexeme, kind = code.lexemes[position], code.kinds[position]
        # Another __global__ starts another declaration (and would make the search quadratic).
        if lexeme in (";", "{", "}", ")", "=", _KEYWORD) or (lexeme == "(" and not code.directive):
            return -1, -1
        if kind == TokenKind.OPEN:
            position = max(code.partner(position), position) + 1
            continue
        if kind != TokenKind.NAME:
            position += 1
            continue
        opening = _skip_template_arguments(code, position + 1)
        if code.lexeme(opening) != "(":
            position = opening
            continue
        closing = code.partner(opening)
        if closing < 0:
            return -1, -1
        after = code.lexeme(closing + 1)
        if after == "(" and lexeme not in ATTRIBUTES:
            # The name comes out of a macro: `__global__ void KERNEL(scan)(int n)`.
            return closing, closing + 1
        continues = code.is_name(closing + 1) and after not in ("noexcept", "const", "requires")
        if lexeme in ATTRIBUTES or continues:
            # An attribute, or a macro that stands for one: C10_LAUNCH_BOUNDS_1(512).
            position = closing + 1
            continue
        return position, opening
    return -1, -1


def _find_start(code: Code, keyword: int) -> tuple[int, int, int]:
    """Return where the declaration starts and the positions of its template header's `<` and `>`.

    The header's are -1 where there is none.
    """
    start = position = keyword
    header = (-1, -1)
    while position > 0:
        position -= 1
        kind, lexeme = code.kinds[position], code.lexemes[position]
        if kind in (TokenKind.NAME, TokenKind.STRING) and lexeme not in _NO_SPECIFIERS:
            start = position
            continue
        if lexeme in (")", "]"):
            opening = code.partner(position)
            # [[attribute]] or attribute(...): otherwise it ends what came before.
            if opening < 0 or (lexeme == ")" and not code.is_name(opening - 1)):
                break
            start = position = opening
            continue
        opening = code.angles.partners.get(position, -1) if kind == TokenKind.GREATER else -1
        if opening < 1 or code.lexemes[opening - 1] != "template":
            break
        header = header if header[0] >= 0 else (opening, position)
        start = position = opening - 1
    return start, *header


def _launch_bounds(code: Code, first: int, last: int) -> tuple[Span, ...] | None:
    for position in range(first, last):
        if code.lexemes[position] == "__launch_bounds__" and code.lexeme(position + 1) == "(":
            closing = code.partner(position + 1)
            return code.split(position + 1, closing) if closing > 0 else None
    return None


def _read_kernel(
    document: Document, code: Code, macro: Macro | None, keyword: int
) -> Kernel | None:
    name, opening = _find_name(code, keyword + 1)
    if name < 0:
        return None
    closing = code.partner(opening)
    start, angle, angle_end = _find_start(code, keyword)
    first = name
    if code.kinds[name] == TokenKind.CLOSE:
        first = code.partner(name) - 1
    first = qualified_start(code, first)
    arguments_angle = name + 1 if code.lexeme(name + 1) == "<" else -1
    body = None
    after = closing + 1
    while code.is_name(after) and code.lexemes[after] in ("noexcept", "const"):
        after += 1
    if code.lexeme(after) in ("{", "<%") and code.partner(after) > 0:
        body = code.span(after, code.partner(after))
    return Kernel(
        name=spelling("".join(code.lexemes[first : name + 1])),
        name_span=code.span(first, name),
        keyword=code.span(keyword, keyword),
        start=code.starts[start],
        end=code.ends[closing],
        template=code.span(angle - 1, angle_end) if angle > 0 else None,
        template_parameters=code.split(angle, angle_end, declares=True) if angle > 0 else (),
        template_arguments=code.split(name + 1, opening - 1) if arguments_angle > 0 else (),
        launch_bounds=_launch_bounds(code, start, opening),
        parameters=code.split(opening, closing, declares=True),
        parameters_span=code.span(opening, closing),
        body=body,
        condition=document.conditions.at(code.starts[keyword]),
        macro=macro,
    )


def find_kernels(document: Document) -> tuple[Kernel, ...]:
    """Return the kernels of a document in order: definitions, declarations, those in macros.

    `__global__` on what is no function with a parameter list (a macro that hides it, a name that
    is missing) makes no kernel.
    """
    if "global" not in document.text:
        return ()
    found = [
        kernel
        for code, macro in document.pieces
        for position, lexeme in enumerate(code.lexemes)
        if spelling(lexeme) == _KEYWORD
        and (kernel := _read_kernel(document, code, macro, position)) is not None
    ]
    return tuple(sorted(found, key=lambda kernel: kernel.keyword.start))
