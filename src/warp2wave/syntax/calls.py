"""Calls: a name, its template arguments and its arguments, split."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from warp2wave.syntax.code import Code, Span
from warp2wave.syntax.conditions import Condition
from warp2wave.syntax.document import Document
from warp2wave.syntax.keywords import ATTRIBUTES, KEYWORDS
from warp2wave.syntax.macros import Macro
from warp2wave.syntax.patterns import spelling
from warp2wave.syntax.postfix import qualified_start
from warp2wave.syntax.tokens import TokenKind


@dataclass(frozen=True, slots=True)
class Call:
    """One call; all spans are characters of the document's text.

    `name` is the last identifier, `qualified` the name with its qualifiers as written, without
    blanks. `name_span` covers the last identifier, [start, end) the whole from the first qualifier
    to the closing parenthesis. `arguments_span` covers the parentheses. `is_member` says that it
    follows `.` or `->`. `macro` is the macro in whose body the call stands.
    """

    name: str
    qualified: str
    name_span: Span
    start: int
    end: int
    template_arguments: tuple[Span, ...]
    arguments: tuple[Span, ...]
    arguments_span: Span
    is_member: bool
    condition: Condition | None
    macro: Macro | None


# After these, a name with parentheses is a call, not what they declare.
# fmt: off
_BEFORE_EXPRESSION = frozenset((
    "return", "else", "do", "throw", "case", "new", "delete", "co_await", "co_return",
    "co_yield", "and", "or", "not", "xor", "in",
))
# fmt: on
_NO_FUNCTIONS = KEYWORDS | ATTRIBUTES
_AFTER_PARAMETERS = frozenset(("const", "noexcept", "override", "final", "volatile"))


def _declares(code: Code, first: int, closing: int) -> bool:
    """Say whether `Type name(...)` declares: a type stands directly before the name."""
    before = first - 1
    if before < 0:
        return False
    lexeme = code.lexemes[before]
    if lexeme in ("template", "typename"):
        return False
    if lexeme in ("]", ":>"):
        # The attribute of a lambda: `[=] __device__ (int i) {`.
        return True
    if lexeme == ")" and code.lexeme(code.partner(before) - 1) in ATTRIBUTES:
        # `__global__ void __launch_bounds__(256) kernel(...)`.
        return True
    if code.is_name(before):
        return lexeme not in _BEFORE_EXPRESSION
    if code.kinds[before] == TokenKind.GREATER:
        # `vector<int> f(...)`; a comparison `a > f(x)` has no partner.
        return before in code.angles.partners
    if lexeme == "~":
        return code.lexeme(closing + 1) in ("{", ";") and code.lexeme(before - 1) in ("{", ";", "}")
    if lexeme in ("*", "&", "&&"):
        # `T* f(int) {`, `T& f() const`: as an expression, no body could follow.
        follows = code.lexeme(closing + 1)
        return follows == "{" or follows in _AFTER_PARAMETERS
    return False


def _is_member(code: Code, first: int) -> bool:
    before = first - 2 if code.lexeme(first - 1) == "template" else first - 1
    return code.lexeme(before) in (".", "->")


def _argument_brackets(code: Code, name: int) -> tuple[int, int, int]:
    """Return the positions of `<` (or -1), `(` and `)` after a name; -1 where no call is."""
    angle, opening = -1, name + 1
    if code.lexeme(opening) == "<":
        angle = opening
        opening = code.angles.partners.get(angle, -2) + 1
    if opening <= name or code.lexeme(opening) != "(":
        return -1, -1, -1
    return angle, opening, code.partner(opening)


def call_at(document: Document, code: Code, macro: Macro | None, position: int) -> Call | None:
    """Return the call whose last identifier is at a position of `code`, None where none is."""
    lexeme = spelling(code.lexemes[position])
    if lexeme in _NO_FUNCTIONS or code.lexeme(position + 1) not in ("(", "<"):
        return None
    angle, opening, closing = _argument_brackets(code, position)
    if closing < 0:
        return None
    first = qualified_start(code, position)
    if _declares(code, first, closing):
        return None
    return Call(
        name=lexeme,
        qualified="".join(map(spelling, code.lexemes[first : position + 1])),
        name_span=code.span(position, position),
        start=code.starts[first],
        end=code.ends[closing],
        template_arguments=code.split(angle, opening - 1) if angle >= 0 else (),
        arguments=code.split(opening, closing),
        arguments_span=code.span(opening, closing),
        is_member=_is_member(code, first),
        condition=document.conditions.at(code.starts[position]),
        macro=macro,
    )


def _calls_in(
    document: Document, code: Code, macro: Macro | None, names: Collection[str] | None
) -> Iterator[Call]:
    for position, (kind, lexeme) in enumerate(zip(code.kinds, code.lexemes, strict=True)):
        if kind != TokenKind.NAME:
            continue
        if names is not None and (spelling(lexeme) if "\\" in lexeme else lexeme) not in names:
            continue
        call = call_at(document, code, macro, position)
        if call is not None:
            yield call


def find_calls(document: Document, names: Collection[str] | None = None) -> tuple[Call, ...]:
    """Return the calls of a document by where their names start; only of `names`, if given.

    Calls of macros, constructors (`dim3(1, 2)`) and calls in macro bodies count; keywords with
    parentheses, declarations (`int f(int);`, `dim3 grid(1, 2);`) and launches do not. Parentheses
    that are never closed make no call.
    """
    if names is not None:
        names = frozenset(names)
    found = [
        call for code, macro in document.pieces for call in _calls_in(document, code, macro, names)
    ]
    return tuple(sorted(found, key=lambda call: call.name_span.start))
