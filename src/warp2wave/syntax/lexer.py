"""The lossless lexer: any text becomes tokens that, joined, are the text again."""

from __future__ import annotations

import re
from array import array
from itertools import accumulate

from warp2wave.syntax import patterns as p
from warp2wave.syntax.tokens import TokenKind, Tokens

# Ordered by how often each alternative occurs in CUDA sources, as far as longest match allows.
_TOKEN = re.compile(
    "|".join(
        (
            p.BLANK,
            rf"[uUL]8?(?:{p.STRING}|{p.CHARACTER})",
            # A byte-order mark at the start; elsewhere it is part of a name, however odd.
            r"\ufeff",
            rf"{p.NAME_START}{p.NAME_REST}",
            r"[(){}\[\],;]",
            p.NUMBER,
            p.LINE_COMMENT,
            p.BLOCK_COMMENT,
            p.STRING,
            p.CHARACTER,
            # A header name is one token, so that `//` or `'` in it start nothing.
            r"(?:(?<=#include)|(?<=include )|(?<=include_next ))<[^>\r\n]*>",
            # `<::` is `<` and `::` unless `:` or `>` follows ([lex.pptoken]).
            r"<(?:<[<=]?|=>?|%|:(?!:(?![:>])))?",
            r">(?:>=|=)?",
            r"::|:>?|\.(?:\.\.|\*)?|-(?:>\*?|[-=])?|\+[+=]?|&[&=]?|\|[|=]?|==?|[!*^]=?|##?"
            r"|%:(?:%:)?|%[>=]?|[~?]",
            p.SPLICED_COMMENT,
            r"/=?",
            p.BLANK_AFTER_SPLICE,
            rf"(?:{p.UNIVERSAL_NAME}){p.NAME_REST}",
            r"[\s\S]",
        )
    )
)

_raw_string = re.compile(rf"(?<!{p.NAME_CHAR}){p.RAW_STRING}")
_raw_opening = re.compile(rf"(?<!{p.NAME_CHAR}){p.RAW_OPENING}")

_FIRST_CHARACTER = {
    **dict.fromkeys(" \t\n\r\f\v\ufeff", TokenKind.BLANK),
    **dict.fromkeys("0123456789", TokenKind.NUMBER),
    **dict.fromkeys("([{", TokenKind.OPEN),
    **dict.fromkeys(")]}", TokenKind.CLOSE),
    **dict.fromkeys("~!%^&*-+=|:;,.?/", TokenKind.PUNCTUATION),
    '"': TokenKind.STRING,
    "'": TokenKind.CHARACTER,
    "#": TokenKind.HASH,
    "<": TokenKind.LESS,
    ">": TokenKind.GREATER,
}
_WHOLE = {
    **dict.fromkeys(("<:", "<%"), TokenKind.OPEN),
    **dict.fromkeys((":>", "%>"), TokenKind.CLOSE),
    **dict.fromkeys(("<=", "<=>", "<<=", ">=", ">>=", "##", "%:%:"), TokenKind.PUNCTUATION),
    "%:": TokenKind.HASH,
}
_name_start = re.compile(rf"{p.NAME_START}|{p.UNIVERSAL_NAME}")
_prefixed_literal = re.compile(r"(?:u8|[uUL])?R?([\"'])")
_line_end = re.compile(r"[\r\n]")
_number_start = re.compile(r"\.?[0-9]")
_comment_start = re.compile(rf"/(?:{p.SPLICE})*[/*]")


def _blank_kind(lexeme: str) -> TokenKind:
    return TokenKind.NEWLINE if _line_end.search(p.spelling(lexeme)) else TokenKind.BLANK


def _kind_of(lexeme: str) -> TokenKind:
    """Classify one lexeme that the token pattern produced."""
    if (whole := _WHOLE.get(lexeme)) is not None:
        return whole
    first = lexeme[0]
    if first == "<" and len(lexeme) > 1 and lexeme[-1] == ">":
        return TokenKind.HEADER
    if first == "/" and _comment_start.match(lexeme):
        return TokenKind.COMMENT
    if first == "." and _number_start.match(lexeme):
        return TokenKind.NUMBER
    if first == "\\" and len(lexeme) > 1 and not _name_start.match(lexeme):
        return _blank_kind(lexeme)
    kind = _FIRST_CHARACTER.get(first)
    if kind is TokenKind.BLANK:
        return _blank_kind(lexeme)
    if kind is not None:
        return kind
    if first in "uULR" and (literal := _prefixed_literal.match(lexeme)):
        return TokenKind.STRING if literal.group(1) == '"' else TokenKind.CHARACTER
    return TokenKind.NAME if _name_start.match(lexeme) else TokenKind.OTHER


class _Kinds(dict[str, int]):
    """Kinds by lexeme: the same few thousand make up most of all texts; each is classified once."""

    def __missing__(self, lexeme: str) -> int:
        kind = int(_kind_of(lexeme))
        # Bounded: comments and strings seldom come twice, and a long run must not grow for ever.
        if len(lexeme) <= 32 and len(self) < 1 << 16:
            self[lexeme] = kind
        return kind


_kinds = _Kinds()


def _lexemes(text: str) -> list[str]:
    if 'R"' not in text:
        return _TOKEN.findall(text)
    # A raw string needs a group for its delimiter, which would make findall return tuples and
    # halve its speed. So the text is cut at what looks like the opening of one, and it is one
    # unless the token before it reaches over it (a comment or another string).
    lexemes: list[str] = []
    position = 0
    while (opening := _raw_opening.search(text, position)) is not None:
        start = opening.start()
        lexemes += _TOKEN.findall(text, position, start)
        if start > position:
            last = start - len(lexemes[-1])
            around = _TOKEN.match(text, last)
            if around is not None and around.end() > start:
                lexemes[-1] = around.group()
                position = around.end()
                continue
        raw = _raw_string.match(text, start)
        assert raw is not None  # its opening matched, and the rest takes anything
        lexemes.append(raw.group())
        position = raw.end()
    lexemes += _TOKEN.findall(text, position)
    return lexemes


def tokenize(text: str) -> Tokens:
    """Cut a text into tokens. Any text: what is unterminated or no C++ becomes tokens all the same.

    The text is expected as decoded (bytes that are no UTF-8 as surrogates), with its line ends as
    they were: LF, CR LF or CR. Takes time linear in the text's length; raises nothing.
    """
    lexemes = _lexemes(text)
    kinds = bytes(map(_kinds.__getitem__, lexemes))
    starts = array("Q", list(accumulate(map(len, lexemes), initial=0)))
    return Tokens(lexemes, kinds, starts)
