"""Inline assembly statements: the template, the operands and the clobbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from warp2wave.syntax.code import Code
from warp2wave.syntax.tokens import TokenKind

_RAW = re.compile(r'(?:u8|[uUL])?R"([^()\\\s"]*)\((.*)\)\1"', re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand: its constraint without quotes, and the C++ expression."""

    constraint: str
    expression: str


@dataclass(frozen=True, slots=True)
class Statement:
    """One `asm` statement: the characters [start, end), its closing semicolon included if there.

    `template` joins the string pieces, escapes resolved. `is_literal` says that it is nothing but
    string literals; otherwise (stringized macro operands) the template has gaps.
    """

    start: int
    end: int
    template: str
    is_literal: bool
    outputs: tuple[Operand, ...]
    inputs: tuple[Operand, ...]
    terminated: bool


def read_statement(code: Code, text: str, position: int) -> Statement | None:
    """Return the statement whose keyword stands at `position`, None where none starts there."""
    opening = position + 1
    while code.lexeme(opening) in ("volatile", "__volatile__", "__volatile", "goto", "inline"):
        opening += 1
    closing = code.partner(opening) if code.lexeme(opening) == "(" else -1
    if closing < 0:
        return None
    sections = _sections(code, opening, closing)
    first, last = sections[0]
    strings = [i for i in range(first, last) if code.kinds[i] == TokenKind.STRING]
    template = "".join(_string_value(code.lexemes[i]) for i in strings)
    operands = [_operands(code, text, *section) for section in sections[1:3]]
    terminated = code.lexeme(closing + 1) == ";"
    return Statement(
        code.starts[position],
        code.ends[closing + terminated],
        template,
        bool(strings) and len(strings) == last - first,
        operands[0] if operands else (),
        operands[1] if len(operands) > 1 else (),
        terminated,
    )


def _sections(code: Code, opening: int, closing: int) -> list[tuple[int, int]]:
    """Return the parts between colons; `::` outside brackets is two of them."""
    found, first, position = [], opening + 1, opening + 1
    # Inside a template or operand, colons stand in brackets; `a::b` does not occur outside them.
    while position < closing:
        if code.lexemes[position] in (":", "::"):
            found.append((first, position))
            if code.lexemes[position] == "::":
                found.append((position, position))
            first = position + 1
        elif code.kinds[position] == TokenKind.OPEN:
            position = max(position, code.partner(position))
        position += 1
    return [*found, (first, closing)]


def _operands(code: Code, text: str, first: int, last: int) -> tuple[Operand, ...]:
    found, position = [], first
    while position < last:
        if code.kinds[position] == TokenKind.STRING and code.lexeme(position + 1) == "(":
            closing = code.partner(position + 1)
            if closing < 0:
                break
            inside = text[code.ends[position + 1] : code.starts[closing]].strip()
            found.append(Operand(_string_value(code.lexemes[position]), inside))
            position = closing
        position += 1
    return tuple(found)


def _string_value(lexeme: str) -> str:
    raw = _RAW.match(lexeme)
    if raw is not None:
        return raw[2]
    body = lexeme.partition('"')[2].rpartition('"')[0]
    body = re.sub(r"\\\r?\n", "", body)
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[0]), body)
