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
_plain_prefixes = re.compile(r"[A-Za-z0-9_]+(?:\|[A-Za-z0-9_]+)*")
# A quote right after a word starts a character literal (`u8'a'`) or separates digits (`1'000`).
_number_start = re.compile(r"\.?[0-9]")
_number_rest = re.compile(p.NUMBER_REST)
_character = re.compile(p.CHARACTER)
_name_char = re.compile(rf"{p.NAME_CHAR}|\.")
_OPAQUE_STARTS = frozenset("/\"'")
_RAW_PREFIXES = ("R", "LR", "uR", "UR", "u8R")


def _raw_alternatives() -> list[str]:
    return [
        rf'{prefix}"(?<!{p.NAME_CHAR}{prefix}")'
        + p.RAW_STRING.partition('R"')[2].replace("delimiter", f"delimiter{index}")
        for index, prefix in enumerate(_RAW_PREFIXES)
    ]


def _name_alternatives(names: str | tuple[str, ...]) -> list[str]:
    if isinstance(names, str):
        return [rf"(?<!{p.NAME_CHAR})(?=[^\"'/\\])(?:{names}){p.NAME_REST}"]
    return [rf"{q}(?<!{p.NAME_CHAR}{q}){p.NAME_REST}" for q in map(re.escape, names)]


@lru_cache(maxsize=64)
def _scanner(names: str | tuple[str, ...], raw_strings: bool) -> re.Pattern[str]:
    """Compile comments, strings and names into one alternation.

    Where `names` are prefixes, every alternative begins with a literal character: only then does
    `re` build a character set from these and skip everything else in a tight loop, which made this
    four times as fast. Hence the lookbehinds after what they guard.
    """
    alternatives = [
        p.LINE_COMMENT,
        p.BLOCK_COMMENT,
        *(_raw_alternatives() if raw_strings else ()),
        p.STRING,
        rf"'(?<={p.NAME_CHAR}')",
        p.CHARACTER,
        p.SPLICED_COMMENT,
        *_name_alternatives(names),
    ]
    return re.compile("|".join(alternatives))


def _after_quote(text: str, quote: int) -> int:
    """Return where the number or the character literal ends that has a quote after a word."""
    word = quote
    while word > 0 and _name_char.match(text, word - 1):
        word -= 1
    if _number_start.match(text, word):
        rest = _number_rest.match(text, quote)
        if rest is not None and rest.end() > quote:
            return rest.end()
    literal = _character.match(text, quote)
    return quote + 1 if literal is None else literal.end()


def _wanted(names: str | Iterable[str]) -> str | tuple[str, ...]:
    if isinstance(names, str):
        if not _plain_prefixes.fullmatch(names):
            return names
        names = names.split("|")
    # A longer prefix first would do no harm; a shorter one makes it needless.
    kept: list[str] = []
    for prefix in sorted(set(names)):
        if not (kept and prefix.startswith(kept[-1])):
            kept.append(prefix)
    return tuple(kept)


def _expression(wanted: str | tuple[str, ...]) -> str:
    return wanted if isinstance(wanted, str) else "|".join(map(re.escape, wanted))


def scan_names(text: str, names: str | Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield (name, offset) for each name outside comments and strings that starts as asked.

    `names` is a regular expression without groups that matches how such names begin, or a number
    of prefixes; what is yielded is always the whole name. Names inside macro bodies, inactive
    branches and directives count. A name at the end of the text counts. A name split by a line
    continuation is yielded as the compiler spells it. Header names in `<...>` are seen as if
    they were code.
    """
    wanted = _wanted(names)
    if not wanted:
        return
    if _spliced_name.search(text):
        start = re.compile(_expression(wanted))
        tokens = tokenize(text)
        for lexeme, kind, offset in zip(tokens.lexemes, tokens.kinds, tokens.starts, strict=False):
            if kind == TokenKind.NAME and start.match(spelled := p.spelling(lexeme)):
                yield spelled, offset
        return
    # A byte-order mark would look like the start of the first name.
    text, base = (text[1:], 1) if text.startswith("\ufeff") else (text, 0)
    scanner = _scanner(wanted, 'R"' in text)
    position: int | None = 0
    while position is not None:
        matches = scanner.finditer(text, position)
        position = None
        for match in matches:
            # Groups are the delimiters of raw strings.
            if match.lastindex is None and (name := match.group())[0] not in _OPAQUE_STARTS:
                yield name, match.start() + base
            elif match.end() - match.start() == 1:
                # Which of its two meanings the quote has needs a look back that `re` cannot take.
                position = _after_quote(text, match.start())
                break


def used_names(text: str, names: str | Iterable[str]) -> frozenset[str]:
    """Return the distinct names that `scan_names` finds, faster where no offsets are needed."""
    wanted = _wanted(names)
    if not wanted or 'R"' in text or text.startswith("\ufeff") or _spliced_name.search(text):
        return frozenset(name for name, _ in scan_names(text, names))
    found = set(_scanner(wanted, False).findall(text))
    if "'" in found:
        return frozenset(name for name, _ in scan_names(text, names))
    return frozenset(name for name in found if name[0] not in _OPAQUE_STARTS)
