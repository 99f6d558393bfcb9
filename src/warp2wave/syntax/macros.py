"""Macro definitions: object-like or function-like, their parameters and their body."""

from __future__ import annotations

from dataclasses import dataclass

from warp2wave.syntax.conditions import Condition
from warp2wave.syntax.directives import Directive
from warp2wave.syntax.patterns import spelling
from warp2wave.syntax.tokens import LAST_TRIVIA, TokenKind, Tokens


@dataclass(frozen=True, slots=True)
class Macro:
    """One `#define`.

    `parameters` is None for an object-like macro; `...` is one of them where it is variadic. The
    name covers the characters [name_start, name_end), the body [body_start, body_end) (empty, both
    at the directive's end, where there is none). `body` is the body's first token's index.
    """

    name: str
    parameters: tuple[str, ...] | None
    name_start: int
    name_end: int
    body_start: int
    body_end: int
    body: int
    directive: Directive
    condition: Condition | None


@dataclass(frozen=True, slots=True)
class Undefinition:
    """One `#undef`; the name covers the characters [name_start, name_end)."""

    name: str
    name_start: int
    name_end: int
    condition: Condition | None


def _parameters(tokens: Tokens, opening: int, last: int) -> tuple[tuple[str, ...], int]:
    """Read a parameter list; return the names and the index after its closing parenthesis."""
    names: list[str] = []
    index = opening + 1
    while index < last and tokens.lexemes[index] != ")":
        kind, lexeme = tokens.kinds[index], spelling(tokens.lexemes[index])
        if kind == TokenKind.NAME or lexeme == "...":
            names.append(lexeme)
        index += 1
    return tuple(names), min(index + 1, last)


def read_macro(tokens: Tokens, directive: Directive, condition: Condition | None) -> Macro:
    """Read the `#define` directive; its name may be missing or no name, as in any bad input."""
    name = directive.body
    body, parameters = name + 1, None
    # Only a parenthesis right after the name makes the macro function-like.
    if body < directive.last and tokens.lexemes[body] == "(":
        parameters, body = _parameters(tokens, body, directive.last)
    while body < directive.last and tokens.kinds[body] <= LAST_TRIVIA:
        body += 1
    return Macro(
        name=spelling(tokens.lexemes[name]),
        parameters=parameters,
        name_start=tokens.starts[name],
        name_end=tokens.starts[name + 1],
        body_start=min(tokens.starts[body], directive.end),
        body_end=directive.end,
        body=body,
        directive=directive,
        condition=condition,
    )


def read_undefinition(
    tokens: Tokens, directive: Directive, condition: Condition | None
) -> Undefinition:
    """Read an `#undef` directive that has an operand."""
    name = directive.body
    return Undefinition(
        spelling(tokens.lexemes[name]), tokens.starts[name], tokens.starts[name + 1], condition
    )
