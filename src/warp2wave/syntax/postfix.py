"""Reading backwards: the postfix expression or the qualified name that ends at a position."""

from __future__ import annotations

from warp2wave.syntax.code import Code
from warp2wave.syntax.keywords import KEYWORDS
from warp2wave.syntax.patterns import spelling
from warp2wave.syntax.tokens import TokenKind

_CONNECTORS = frozenset(("::", ".", "->", "##"))
_TAKES_PARENTHESES = frozenset(("if", "while", "for", "switch"))
_GROUP_ENDS = frozenset((")", "]", ":>"))


def is_plain_name(code: Code, position: int) -> bool:
    """Say whether a name that is no keyword stands at a position."""
    return code.is_name(position) and spelling(code.lexemes[position]) not in KEYWORDS


def template_opening(code: Code, closing: int) -> int:
    """Return the position of the `<` of the template arguments that end at `closing`, or -1."""
    if not 0 <= closing < len(code) or code.kinds[closing] != TokenKind.GREATER:
        return -1
    opening = code.angles.partners.get(closing, -1)
    # `k<N<2>`: the only `>` was taken for the end of `N<2>`, and the first `<` has none.
    while opening > 0:
        name = qualified_start(code, opening - 1)
        outer = name - 1
        if code.lexeme(outer) != "<" or outer in code.angles.partners:
            break
        if not is_plain_name(code, outer - 1):
            break
        opening = outer
    return opening


def qualified_start(code: Code, last: int) -> int:
    """Return where the qualified name whose last identifier is at `last` begins (`at::cuda::f`).

    Template arguments of the qualifiers belong to it, and so does a leading `::`.
    """
    start = last
    while code.lexeme(start - 1) in ("::", "##") or (
        code.lexeme(start - 1) == "template" and code.lexeme(start - 2) == "::"
    ):
        connector = start - 1 - (code.lexeme(start - 1) == "template")
        before = connector - 1
        if (opening := code.angles.partners.get(before, -1)) > 0 and opening < before:
            before = opening - 1
        if not is_plain_name(code, before):
            return connector if code.lexeme(connector) == "::" else start
        start = before
    return start


def _operand_start(code: Code, last: int) -> int:
    """Return where a name with template arguments, calls and subscripts begins, or -1."""
    position = last
    groups: list[int] = []
    while code.lexeme(position) in _GROUP_ENDS:
        opening = code.partner(position)
        if opening < 0:
            return -1
        groups.append(opening)
        position = opening - 1
    name = position
    if (opening := template_opening(code, position)) > 0:
        name = opening - 1
    if is_plain_name(code, name):
        return name
    if code.lexeme(position) in _TAKES_PARENTHESES and groups:
        # `if (x) (kernel)<<<...>>>()`: the outermost parentheses belong to the keyword.
        groups.pop()
    return groups[-1] if groups and code.lexemes[groups[-1]] == "(" else -1


def postfix_start(code: Code, last: int) -> int:
    """Return where the postfix expression that ends at `last` begins; last + 1 if there is none.

    Such an expression is a chain of names with template arguments, calls, subscripts and
    parentheses, linked by `::`, `.`, `->` or the preprocessor's `##`.
    """
    start, position = last + 1, last
    while (operand := _operand_start(code, position)) >= 0:
        start, position = operand, operand - 1
        if code.lexeme(position) == "template":
            position -= 1
        connector = code.lexeme(position)
        if connector not in _CONNECTORS:
            break
        if connector == "::":
            start = position
        position -= 1
    return start
