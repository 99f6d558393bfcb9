"""Tokens: what kinds there are, and the columns in which a text's tokens are held."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import repeat
from typing import NamedTuple, overload


class TokenKind(IntEnum):
    """The kind of one token. Kinds up to COMMENT are trivia: they separate, and mean nothing."""

    BLANK = 0
    """Blanks and line continuations, all on one logical line (a byte-order mark too)."""
    NEWLINE = 1
    """Blanks with at least one line end among them: it ends a preprocessor directive."""
    COMMENT = 2
    STRING = 3
    """String literal with prefix and suffix, raw ones too; unterminated: up to the line's end."""
    CHARACTER = 4
    NUMBER = 5
    NAME = 6
    """Identifier or keyword, its line continuations included (see `patterns.spelling`)."""
    HEADER = 7
    """`<...>` directly after the word include."""
    HASH = 8
    """`#` or `%:`."""
    OPEN = 9
    """`(`, `[`, `{` and the digraphs `<:`, `<%`."""
    CLOSE = 10
    """`)`, `]`, `}` and the digraphs `:>`, `%>`."""
    LESS = 11
    """`<`, `<<` or `<<<`."""
    GREATER = 12
    """A single `>`: closing angles are never joined."""
    PUNCTUATION = 13
    """Every other operator or separator."""
    OTHER = 14
    """A character that starts no token of C++, such as a stray backslash or NUL."""


LAST_TRIVIA = TokenKind.COMMENT


class Token(NamedTuple):
    """One token: the characters [start, end) of its text."""

    kind: TokenKind
    start: int
    end: int


_KINDS = tuple(TokenKind)


@dataclass(frozen=True, slots=True)
class Tokens(Sequence[Token]):
    """All tokens of a text, as columns of equal length; joined, the lexemes are the text.

    `lexemes[i]` is the text of token i and `kinds[i]` its kind's number. `starts` has one more
    entry than there are tokens: token i covers the characters [starts[i], starts[i + 1]).
    """

    lexemes: list[str]
    kinds: bytes
    starts: array[int]

    def __len__(self) -> int:
        return len(self.kinds)

    @overload
    def __getitem__(self, index: int) -> Token: ...
    @overload
    def __getitem__(self, index: slice) -> list[Token]: ...
    def __getitem__(self, index: int | slice) -> Token | list[Token]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        return Token(_KINDS[self.kinds[index]], self.starts[index], self.starts[index + 1])

    def __iter__(self) -> Iterator[Token]:
        starts = self.starts
        columns = zip(map(_KINDS.__getitem__, self.kinds), starts, starts[1:], strict=False)
        # Stays in C throughout, which Token(...) in a loop or Token._make would not.
        return map(tuple.__new__, repeat(Token), columns)

    def rows(self) -> Iterator[tuple[int, int, int]]:
        """Yield (kind, start, end) of each token as plain numbers: twice as fast as iteration."""
        return zip(self.kinds, self.starts, self.starts[1:], strict=False)

    def at(self, offset: int) -> int:
        """Return the index of the token that covers the character at `offset`.

        Raises IndexError where the text has no such character.
        """
        if not 0 <= offset < self.starts[-1]:
            raise IndexError(offset)
        return bisect_right(self.starts, offset) - 1
