"""Preprocessor directives: where each starts and ends, its keyword, and what follows that."""

from __future__ import annotations

from dataclasses import dataclass

from warp2wave.syntax.patterns import spelling
from warp2wave.syntax.tokens import LAST_TRIVIA, TokenKind, Tokens


@dataclass(frozen=True, slots=True)
class Directive:
    """One directive line, continued lines included.

    `keyword` is the word after the hash ("" for the null directive). The token indices:
    `first` is the hash, `body` the first token after the keyword that is no trivia, and `last` is
    one past the directive's last token: the NEWLINE token that ends it, or the end of the text.
    `start` and `end` are the character offsets of the same, `end` without trailing trivia.
    """

    keyword: str
    first: int
    body: int
    last: int
    start: int
    end: int


def _starts_line(tokens: Tokens, index: int) -> bool:
    kinds = tokens.kinds
    before = index - 1
    while before >= 0 and kinds[before] in (TokenKind.BLANK, TokenKind.COMMENT):
        before -= 1
    return before < 0 or kinds[before] == TokenKind.NEWLINE


def find_directives(tokens: Tokens) -> tuple[Directive, ...]:
    """Return the directives of a text in order."""
    kinds, lexemes, starts = tokens.kinds, tokens.lexemes, tokens.starts
    found: list[Directive] = []
    index = kinds.find(TokenKind.HASH)
    while index >= 0:
        if not _starts_line(tokens, index):
            index = kinds.find(TokenKind.HASH, index + 1)
            continue
        last = kinds.find(TokenKind.NEWLINE, index)
        last = len(kinds) if last < 0 else last
        word = index + 1
        while word < last and kinds[word] <= LAST_TRIVIA:
            word += 1
        named = word < last and kinds[word] == TokenKind.NAME
        body = word + 1 if named else word
        while body < last and kinds[body] <= LAST_TRIVIA:
            body += 1
        end = last
        while kinds[end - 1] <= LAST_TRIVIA:
            end -= 1
        keyword = spelling(lexemes[word]) if named else ""
        found.append(Directive(keyword, index, body, last, starts[index], starts[end]))
        index = kinds.find(TokenKind.HASH, last)
    return tuple(found)
