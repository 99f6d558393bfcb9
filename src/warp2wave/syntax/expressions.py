"""`#if` expressions in three-valued logic: true, false, or not known from what is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from warp2wave.syntax.lexer import tokenize
from warp2wave.syntax.patterns import spelling
from warp2wave.syntax.tokens import LAST_TRIVIA

Value = int | None
"""The value of an expression; None where it depends on something that is not known."""


@dataclass(frozen=True, slots=True)
class MacroFacts:
    """What a caller knows of the macros on one platform.

    `defined` maps names that are defined there to their integer value, None where the value is
    not known. `undefined` are the names that are not defined there. Of every other name nothing is
    known.
    """

    defined: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    undefined: frozenset[str] = frozenset()

    def is_defined(self, name: str) -> bool | None:
        """Say whether the macro is defined; None where that is not known."""
        if name in self.defined:
            return True
        return False if name in self.undefined else None

    def value(self, name: str) -> Value:
        """Return what the name stands for in `#if`: 0 where it is not defined."""
        return 0 if name in self.undefined else self.defined.get(name)


def _divide(a: int, b: int) -> Value:
    return int(abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1) if b else None


def _remainder(a: int, b: int) -> Value:
    return a - b * q if (q := _divide(a, b)) is not None else None


_BINARY: dict[str, tuple[int, Callable[[int, int], Value]]] = {
    "||": (1, lambda a, b: int(bool(a or b))),
    "&&": (2, lambda a, b: int(bool(a and b))),
    "|": (3, lambda a, b: a | b),
    "^": (4, lambda a, b: a ^ b),
    "&": (5, lambda a, b: a & b),
    "==": (6, lambda a, b: int(a == b)),
    "!=": (6, lambda a, b: int(a != b)),
    "<": (7, lambda a, b: int(a < b)),
    ">": (7, lambda a, b: int(a > b)),
    "<=": (7, lambda a, b: int(a <= b)),
    ">=": (7, lambda a, b: int(a >= b)),
    "<<": (8, lambda a, b: a << b if 0 <= b < 64 else None),
    ">>": (8, lambda a, b: a >> b if 0 <= b < 64 else None),
    "+": (9, lambda a, b: a + b),
    "-": (9, lambda a, b: a - b),
    "*": (10, lambda a, b: a * b),
    "/": (10, _divide),
    "%": (10, _remainder),
}
_UNARY: dict[str, Callable[[int], int]] = {
    "!": lambda a: int(not a),
    "~": lambda a: ~a,
    "-": lambda a: -a,
    "+": lambda a: a,
}
_UNARY_PRECEDENCE = 11
_ALTERNATIVE_WORDS = {
    "and": "&&",
    "or": "||",
    "not": "!",
    "bitand": "&",
    "bitor": "|",
    "xor": "^",
    "compl": "~",
    "not_eq": "!=",
}
_integer = re.compile(
    r"(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<bin>[01]+)|(?P<oct>0[0-7]*)|(?P<dec>[1-9][0-9]*))"
    r"(?:[uU](?:ll?|LL?|z|Z)?|(?:ll?|LL?|z|Z)[uU]?)?"
)
# No known value may grow without bound: `1 << 62` repeated would make arithmetic quadratic.
_LIMIT = 1 << 64


def integer(lexeme: str) -> Value:
    """Return the value of an integer literal, None for any other text."""
    match = _integer.fullmatch(spelling(lexeme).replace("'", ""))
    if match is None or len(lexeme) > 80:
        return None
    for group, base in (("hex", 16), ("bin", 2), ("oct", 8), ("dec", 10)):
        if match[group] is not None:
            return int(match[group], base)
    return None


def _lexemes(text: str) -> list[str]:
    tokens = tokenize(text)
    lexemes = [
        spelling(lexeme)
        for lexeme, kind in zip(tokens.lexemes, tokens.kinds, strict=True)
        if kind > LAST_TRIVIA
    ]
    joined: list[str] = []
    for lexeme in lexemes:
        # The lexer keeps closing angles apart; here `>>` is a shift.
        if lexeme == ">" and joined and joined[-1] == ">":
            joined[-1] = ">>"
        else:
            joined.append(_ALTERNATIVE_WORDS.get(lexeme, lexeme))
    return joined


def _apply(operator: str, a: Value, b: Value) -> Value:
    if operator == "&&" and (a == 0 or b == 0):
        return 0
    if operator == "||" and (a or b):
        return 1
    if a is None or b is None:
        return None
    result = _BINARY[operator][1](a, b)
    return result if result is not None and abs(result) < _LIMIT else None


class _MalformedError(Exception):
    """The expression is none; its value is then not known."""


@dataclass(slots=True)
class _Machine:
    """The two stacks of the shunting-yard method: no recursion, whatever the nesting."""

    values: list[Value] = field(default_factory=list)
    operators: list[tuple[str, int]] = field(default_factory=list)

    def reduce_to(self, precedence: int) -> None:
        """Apply what stands on the operator stack and binds at least as tightly."""
        while self.operators and self.operators[-1][1] >= precedence:
            self._reduce(*self.operators.pop())

    def _pop(self) -> Value:
        if not self.values:
            raise _MalformedError
        return self.values.pop()

    def _reduce(self, operator: str, precedence: int) -> None:
        if precedence == _UNARY_PRECEDENCE:
            value = self._pop()
            self.values.append(None if value is None else _UNARY[operator](value))
        elif operator == ":":
            otherwise, then, chosen = self._pop(), self._pop(), self._pop()
            if chosen is None:
                self.values.append(then if then == otherwise else None)
            else:
                self.values.append(then if chosen else otherwise)
        elif operator == "?":
            raise _MalformedError
        else:
            right, left = self._pop(), self._pop()
            self.values.append(_apply(operator, left, right))

    def turn_question_into_colon(self) -> None:
        """At `:`, finish the middle operand and wait for the last one."""
        self.reduce_to(0)
        if not self.operators or self.operators[-1][0] != "?":
            raise _MalformedError
        self.operators[-1] = (":", 0)

    def close_parenthesis(self) -> None:
        """At `)`, finish what stands since its `(`."""
        while self.operators and self.operators[-1][0] != "(":
            self._reduce(*self.operators.pop())
        if not self.operators:
            raise _MalformedError
        self.operators.pop()


def _skip_arguments(lexemes: list[str], position: int) -> int:
    """Return the position after the balanced parentheses that open at `position`."""
    depth = 0
    for index in range(position, len(lexemes)):
        depth += (lexemes[index] == "(") - (lexemes[index] == ")")
        if depth == 0:
            return index + 1
    raise _MalformedError


def _operand(lexemes: list[str], position: int, facts: MacroFacts) -> tuple[Value, int]:
    """Read one operand that is no parenthesis; return its value and the position after it."""
    lexeme = lexemes[position]
    following = lexemes[position + 1] if position + 1 < len(lexemes) else ""
    if lexeme == "defined":
        name_at = position + (2 if following == "(" else 1)
        after = name_at + (2 if following == "(" else 1)
        if after > len(lexemes) or (following == "(" and lexemes[after - 1] != ")"):
            raise _MalformedError
        known = facts.is_defined(lexemes[name_at])
        return (None if known is None else int(known)), after
    if lexeme[0].isdigit():
        return integer(lexeme), position + 1
    if lexeme in ("true", "false"):
        return int(lexeme == "true"), position + 1
    if lexeme[0].isalpha() or lexeme[0] in "_$'" or not lexeme.isascii():
        if following == "(":
            # A function-like macro or __has_include and its kin; 0 only if it must be undefined,
            # and then the call is ill-formed: not known either way.
            return None, _skip_arguments(lexemes, position + 1)
        return facts.value(lexeme), position + 1
    raise _MalformedError


def _evaluate(lexemes: list[str], facts: MacroFacts) -> Value:
    machine = _Machine()
    position, wants_operand = 0, True
    while position < len(lexemes):
        lexeme = lexemes[position]
        if wants_operand and lexeme == "(":
            machine.operators.append(("(", -2))
            position += 1
        elif wants_operand and lexeme in _UNARY:
            machine.operators.append((lexeme, _UNARY_PRECEDENCE))
            position += 1
        elif wants_operand:
            value, position = _operand(lexemes, position, facts)
            machine.values.append(value)
            wants_operand = False
        else:
            position += 1
            if lexeme == ")":
                machine.close_parenthesis()
            elif lexeme == "?":
                machine.reduce_to(1)
                machine.operators.append(("?", -1))
                wants_operand = True
            elif lexeme == ":":
                machine.turn_question_into_colon()
                wants_operand = True
            elif lexeme in _BINARY:
                precedence = _BINARY[lexeme][0]
                machine.reduce_to(precedence)
                machine.operators.append((lexeme, precedence))
                wants_operand = True
            else:
                raise _MalformedError
    if wants_operand:
        raise _MalformedError
    machine.reduce_to(-1)
    if machine.operators or len(machine.values) != 1:
        raise _MalformedError
    return machine.values[0]


def evaluate(expression: str, facts: MacroFacts) -> Value:
    """Return the integer value of a `#if` expression, None where the facts do not decide it.

    Operators whose outcome one operand settles (`&&`, `||`, `?:`) use that. An expression that
    is malformed has no known value; nothing is raised, and nesting costs no recursion.
    """
    try:
        return _evaluate(_lexemes(expression), facts)
    except _MalformedError:
        return None
