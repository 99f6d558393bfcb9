"""The inline assembly of a file, each statement with its translation: for the rules about it."""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.ptx.statement import Statement, read_statement
from warp2wave.ptx.translate import Translation, translate
from warp2wave.rules.view import Site, View

WORDS = frozenset({"asm", "__asm__", "__asm"})


def assembly_of(view: View) -> Iterator[tuple[Site, Statement, Translation | None]]:
    """Yield every statement; asm labels of declarations and AMD's own assembly are read too."""
    for site in view.sites(*sorted(WORDS)):
        statement = read_statement(site.code, view.text, site.position)
        if statement is not None:
            yield site, statement, translate(statement)
