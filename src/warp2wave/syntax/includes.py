"""`#include` lines: which header, how it is quoted, and where its name stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from warp2wave.syntax.conditions import Condition
from warp2wave.syntax.document import Document

_HEADER = re.compile(r'<([^>\r\n]*)>|"([^"\r\n]*)"')
_KEYWORDS = frozenset(("include", "include_next", "import"))


@dataclass(frozen=True, slots=True)
class Include:
    """One include directive: the characters [start, end), from the hash to the closing quote.

    `quote` is `<` or `"`, "" for an include of a macro. `name` is what stands between the quotes
    (or the macro's tokens) and covers [name_start, name_end). `is_next` marks #include_next.
    """

    name: str
    quote: str
    name_start: int
    name_end: int
    start: int
    end: int
    is_next: bool
    condition: Condition | None


def find_includes(document: Document) -> tuple[Include, ...]:
    """Return the includes of a document in order; those without any operand are left out."""
    found = []
    text, tokens = document.text, document.tokens
    for directive in document.directives:
        if directive.keyword not in _KEYWORDS or directive.body >= directive.last:
            continue
        body_start = tokens.starts[directive.body]
        # Read from the text, not from tokens: `//` or a quote in a header's name starts nothing.
        header = _HEADER.match(text, body_start)
        if header is not None:
            quote = text[body_start]
            name_start, name_end = header.span(1 if quote == "<" else 2)
            end = header.end()
        else:
            quote = ""
            name_start, end = body_start, directive.end
            name_end = end
        found.append(
            Include(
                name=text[name_start:name_end],
                quote=quote,
                name_start=name_start,
                name_end=name_end,
                start=directive.start,
                end=end,
                is_next=directive.keyword == "include_next",
                condition=document.conditions.at(directive.start),
            )
        )
    return tuple(found)
