"""The quick scan: which names that can matter occur in a text, outside comments and strings.

It sees only comments, strings and the names asked for, so it costs a fraction of the full tokens;
whether a file needs those at all is decided here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from warp2wave.syntax import patterns as p
from warp2wave.syntax.lexer import tokenize
from warp2wave.syntax.tokens import TokenKind

# A name cut in two by a line continuation is too rare to slow every scan down for it, but must
# not be missed or taken for its first half.
_spliced_name = re.compile(rf"\\(?<={p.NAME_CHAR}\\)[ \t\f\v]*(?:\r\n?|\n)(?={p.NAME_CHAR})")
# Digit separators look like the start of a character literal, so such numbers are stepped over.
_SEPARATED_NUMBER = rf"(?<!{p.NAME_CHAR})[0-9][0-9a-fA-FxX]*'{p.NUMBER_REST}"
_PREFIX = rf"(?:(?<!{p.NAME_CHAR})(?:u8|[uUL]))?"


@lru_cache(maxsize=64)
def _scanner(name: str, raw_strings: bool) -> re.Pattern[str]:
    alternatives = [
        rf"(?<!{p.NAME_CHAR})(?P<name>(?:{name}){p.NAME_REST})",
        p.LINE_COMMENT,
        p.BLOCK_COMMENT,
        *([rf"(?<!{p.NAME_CHAR}){p.RAW_STRING}"] if raw_strings else []),
        p.STRING,
        _SEPARATED_NUMBER,
        p.CHARACTER,
        p.SPLICED_COMMENT,
    ]
    return re.compile("|".join(alternatives))


def _name_pattern(names: str | Iterable[str]) -> str:
    if isinstance(names, str):
        return names
    return "|".join(map(re.escape, sorted(set(names))))


def scan_names(text: str, names: str | Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield (name, offset) for each name outside comments and strings that starts as asked.

    `names` is a regular expression without groups that matches how such names begin, or a number
    of prefixes; what is yielded is always the whole name. Names inside macro bodies, inactive
    branches and directives count. A name at the end of the text counts. A name split by a line
    continuation is yielded as the compiler spells it. Header names in `<...>` are seen as if
    they were code.
    """
    wanted = _name_pattern(names)
    if _spliced_name.search(text):
        start = re.compile(wanted)
        tokens = tokenize(text)
        for lexeme, kind, offset in zip(tokens.lexemes, tokens.kinds, tokens.starts, strict=False):
            if kind == TokenKind.NAME and start.match(spelled := p.spelling(lexeme)):
                yield spelled, offset
        return
    for match in _scanner(wanted, 'R"' in text).finditer(text):
        if (name := match["name"]) is not None:
            yield name, match.start()


def used_names(text: str, names: str | Iterable[str]) -> frozenset[str]:
    """Return the distinct names that `scan_names` finds, faster where no offsets are needed."""
    wanted = _name_pattern(names)
    if 'R"' in text or _spliced_name.search(text):
        return frozenset(name for name, _ in scan_names(text, wanted))
    return frozenset(filter(None, _scanner(wanted, False).findall(text)))
