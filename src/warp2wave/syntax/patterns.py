"""Regular expressions that lexer and names scan share: what a comment, a string, a name is.

Every piece matches in linear time and, where something is unterminated, matches up to where a
compiler would give up (line end for strings, end of text for comments), so nothing is ever lost.
Names follow C++'s annex on identifiers loosely: every character from U+00AA on counts, also the
surrogates that stand for undecodable bytes, so that no rename ever cuts such a name in two.
"""

from __future__ import annotations

import re
import sys

# What a repeated group has matched is never given back, so `re` need not remember each turn: for
# one string with 25 million escapes that is gigabytes. Before 3.11.5 possessive groups were wrong.
_MANY = "*+" if sys.version_info >= (3, 11, 5) else "*"

# Phase 2 of translation: a backslash at the end of a line joins it with the next. GCC and clang
# also accept blanks between the two.
SPLICE = r"\\[ \t\f\v]*(?:\r\n?|\n)"
# Written as what they exclude: `re` compiles and matches sets below U+0100 much faster.
_NO_NAME_CHAR = r"\x00-#%-\-/:-@\[-\^`{-\xa9"
NAME_START = rf"[^{_NO_NAME_CHAR}.0-9]"
NAME_CHAR = rf"[^{_NO_NAME_CHAR}.]"
UNIVERSAL_NAME = r"\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}"
NAME_REST = rf"{NAME_CHAR}*(?:(?:(?:{SPLICE})+(?={NAME_CHAR})|{UNIVERSAL_NAME}){NAME_CHAR}*){_MANY}"

LINE_COMMENT_BODY = rf"[^\\\r\n]*(?:(?:{SPLICE}|\\)[^\\\r\n]*){_MANY}"
BLOCK_COMMENT_BODY = rf"[^*]*(?:\*(?!(?:{SPLICE})*/)[^*]*){_MANY}(?:\*(?:{SPLICE})*/)?"
LINE_COMMENT = rf"//{LINE_COMMENT_BODY}"
BLOCK_COMMENT = rf"/\*{BLOCK_COMMENT_BODY}"
# The two characters that open a comment may themselves be split over lines.
SPLICED_COMMENT = rf"/(?:{SPLICE})+(?:/{LINE_COMMENT_BODY}|\*{BLOCK_COMMENT_BODY})"

_ESCAPE = rf"(?:{SPLICE}|\\(?:{SPLICE})*[^\r\n])"
# A suffix that neither starts with an underscore nor is a standard one is a token of its own
# (clang's rule: `"%"PRId64` is a string and a macro).
_STRING_SUFFIX = rf"(?:_{NAME_CHAR}*|sv?(?!{NAME_CHAR}))?"
STRING = rf'"[^"\\\r\n]*(?:{_ESCAPE}[^"\\\r\n]*){_MANY}(?:"{_STRING_SUFFIX})?'
CHARACTER = rf"'[^'\\\r\n]*(?:{_ESCAPE}[^'\\\r\n]*){_MANY}(?:'(?:_{NAME_CHAR}*)?)?"
STRING_PREFIX = r"(?:u8|[uUL])"

# A raw string has no splices and no escapes; unterminated, it takes the rest of the text. Group
# `delimiter` is referred back to.
RAW_OPENING = r'(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s"]{0,16})\('
RAW_STRING = rf'{RAW_OPENING}(?:[\s\S]*?\)(?P=delimiter)"{_STRING_SUFFIX}|[\s\S]*)'

# A preprocessing number takes suffixes, exponents with their sign and digit separators with it.
_NUMBER_CHAR = rf"[^{_NO_NAME_CHAR}]"
NUMBER_REST = (
    rf"{_NUMBER_CHAR}*"
    rf"(?:(?:(?<=[eEpP])[+\-]|'(?={NAME_CHAR})|(?:{SPLICE})+(?={_NUMBER_CHAR})){_NUMBER_CHAR}*){_MANY}"
)
NUMBER = rf"\.?[0-9]{NUMBER_REST}"

BLANK = rf"[ \t\n\r\f\v]+(?:{SPLICE}[ \t\n\r\f\v]*){_MANY}"
BLANK_AFTER_SPLICE = rf"(?:{SPLICE}[ \t\n\r\f\v]*)+"

_splice = re.compile(SPLICE)


def spelling(lexeme: str) -> str:
    """Return the lexeme as the compiler spells it: without its line continuations."""
    return _splice.sub("", lexeme) if "\\" in lexeme else lexeme
