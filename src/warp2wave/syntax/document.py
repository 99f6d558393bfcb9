"""A text with what syntax finds in it, each part worked out when first asked for."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from warp2wave.syntax.brackets import Brackets
from warp2wave.syntax.code import Code, body_code, main_code
from warp2wave.syntax.conditions import Conditions, find_conditions
from warp2wave.syntax.directives import Directive, find_directives
from warp2wave.syntax.lexer import tokenize
from warp2wave.syntax.macros import Macro, Undefinition, read_macro, read_undefinition
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
    def code(self) -> Code:
        """The text outside directives, as code."""
        return main_code(self.tokens, self.directives)

    @cached_property
    def brackets(self) -> Brackets:
        """The bracket tree of `code`, by positions there."""
        return self.code.brackets

    @cached_property
    def macros(self) -> tuple[Macro, ...]:
        """The macro definitions in order."""
        return tuple(
            read_macro(self.tokens, directive, self.conditions.at(directive.start))
            for directive in self.directives
            if directive.keyword == "define" and directive.body < directive.last
        )

    @cached_property
    def undefinitions(self) -> tuple[Undefinition, ...]:
        """The `#undef`s in order."""
        return tuple(
            read_undefinition(self.tokens, directive, self.conditions.at(directive.start))
            for directive in self.directives
            if directive.keyword == "undef" and directive.body < directive.last
        )

    @cached_property
    def pieces(self) -> tuple[tuple[Code, Macro | None], ...]:
        """All code: that outside directives, then the body of each macro."""
        bodies = ((body_code(self.tokens, m.directive, m.body), m) for m in self.macros)
        return ((self.code, None), *bodies)

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
