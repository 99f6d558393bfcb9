"""A text with what syntax finds in it, each part worked out when first asked for."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from warp2wave.syntax.conditions import Conditions, find_conditions
from warp2wave.syntax.directives import Directive, find_directives
from warp2wave.syntax.lexer import tokenize
from warp2wave.syntax.tokens import Tokens

_line_end = re.compile(r"\r\n?|\n")


class Document:
    """One text and its lazily computed tokens, directives, conditions and brackets.

    The text is never changed. All offsets are in characters of it.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def tokens(self) -> Tokens:
        """All tokens of the text."""
        return tokenize(self.text)

    @cached_property
    def directives(self) -> tuple[Directive, ...]:
        """The preprocessor directives in order."""
        return find_directives(self.tokens)

    @cached_property
    def conditions(self) -> Conditions:
        """Under which `#if` each part of the text stands."""
        return find_conditions(self.text, self.tokens, self.directives)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in _line_end.finditer(self.text))]

    def line_column(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset, both counted from 1, columns in characters.

        Lines end at LF, CR LF or a lone CR. The offset may be the text's length; raises
        IndexError outside of that.
        """
        if not 0 <= offset <= len(self.text):
            raise IndexError(offset)
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1
