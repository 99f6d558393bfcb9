"""Code: tokens that mean something, read in one go, as a parser would see them.

The text outside directives is one piece of code (all branches of its `#if` groups one after the
other); the body of each `#define` is one of its own.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

from warp2wave.syntax.angles import Angles, match_angles
from warp2wave.syntax.brackets import Brackets, BranchPoint, match_brackets
from warp2wave.syntax.directives import Directive
from warp2wave.syntax.tokens import LAST_TRIVIA, TokenKind, Tokens

_IS_SIGNIFICANT = bytes(kind > LAST_TRIVIA for kind in range(256))
_BRANCHING = frozenset(("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif"))

_OPERANDS = (bytes([TokenKind.NAME]), bytes([TokenKind.NUMBER]))


@dataclass(frozen=True, slots=True)
class Span:
    """The characters [start, end) of a text."""

    start: int
    end: int


class Code:
    """A sequence of tokens without trivia, as columns; positions are indices into these.

    `starts` and `ends` are character offsets in the text. `directive` is the `#define` whose body
    this is, None for the text outside directives.
    """

    def __init__(
        self,
        tokens: Tokens,
        mask: bytes | bytearray,
        first: int,
        directive: Directive | None,
        branch_points: Sequence[BranchPoint] = (),
    ) -> None:
        last = first + len(mask)
        self.directive = directive
        self.lexemes = list(compress(tokens.lexemes[first:last], mask))
        self.kinds = bytes(compress(tokens.kinds[first:last], mask))
        self.starts = array("Q", compress(tokens.starts[first:last], mask))
        self.ends = array("Q", compress(tokens.starts[first + 1 : last + 1], mask))
        self._branch_points = branch_points

    def __len__(self) -> int:
        return len(self.kinds)

    @cached_property
    def brackets(self) -> Brackets:
        """The bracket tree, by positions."""
        return match_brackets(self.lexemes, self.kinds, self._branch_points)

    @cached_property
    def angles(self) -> Angles:
        """Template angles and launch brackets, by positions."""
        return match_angles(
            self.lexemes, self.kinds, self.brackets.partners, in_macro=self.directive is not None
        )

    def lexeme(self, position: int) -> str:
        """Return the token at a position, "" outside of the code."""
        return self.lexemes[position] if 0 <= position < len(self.lexemes) else ""

    def is_name(self, position: int) -> bool:
        """Say whether a name or keyword stands at a position."""
        return 0 <= position < len(self.kinds) and self.kinds[position] == TokenKind.NAME

    def partner(self, position: int) -> int:
        """Return the position of the partner of the bracket there, -1 where there is none."""
        return self.brackets.partners[position] if 0 <= position < len(self.kinds) else -1

    def span(self, first: int, last: int) -> Span:
        """Return the characters from the token at `first` to the one at `last`, both included."""
        return Span(self.starts[first], self.ends[last])

    def split(self, opening: int, closing: int, *, declares: bool = False) -> tuple[Span, ...]:
        """Return the parts between commas between two positions, both excluded.

        Commas inside brackets and template arguments do not split. `declares` says that these are
        parameters, where a name may follow a closing angle (in an expression, that makes the angle
        a comparison). An empty part is an empty span; no tokens at all make no part.
        """
        if closing - opening < 2:
            return ()
        parts: list[Span] = []
        first = position = opening + 1
        while position <= closing:
            if position == closing or self.lexemes[position] == ",":
                at = self.ends[position - 1] if position == first else 0
                empty = position == first
                parts.append(Span(at, at) if empty else self.span(first, position - 1))
                first = position + 1
            position = self._after_group(position, closing, declares) + 1
        return tuple(parts)

    def _after_group(self, position: int, limit: int, declares: bool) -> int:
        """Return the last position of the bracketed group that opens here, else the position."""
        kind = self.kinds[position]
        end = -1
        if kind == TokenKind.OPEN:
            end = self.partner(position)
        elif kind == TokenKind.LESS:
            end = self.angles.partners.get(position, -1)
            if not declares and self.kinds[end + 1 : end + 2] in _OPERANDS:
                end = -1
        return end if position < end < limit else position


def main_code(tokens: Tokens, directives: Sequence[Directive]) -> Code:
    """Return the code outside all directives."""
    mask = bytearray(tokens.kinds.translate(_IS_SIGNIFICANT))
    for directive in directives:
        mask[directive.first : directive.last] = bytes(directive.last - directive.first)
    starts = array("Q", compress(tokens.starts, mask))
    points = [
        (bisect_left(starts, directive.start), directive.keyword)
        for directive in directives
        if directive.keyword in _BRANCHING
    ]
    return Code(tokens, mask, 0, None, points)


def body_code(tokens: Tokens, directive: Directive, first: int) -> Code:
    """Return the tokens of a directive from the token index `first` on as code."""
    mask = tokens.kinds[first : directive.last].translate(_IS_SIGNIFICANT)
    return Code(tokens, mask, first, directive)
