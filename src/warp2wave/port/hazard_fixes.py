"""The hazards that a single-source port mends in the user's own lines: what no header can serve.

Renames and warp semantics are the compat layer's work. What stays is syntax that clang refuses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from warp2wave.model import Edit, Fix, SourceFile
from warp2wave.port.platform import HIP_FACTS
from warp2wave.syntax.conditions import is_active
from warp2wave.syntax.document import Document
from warp2wave.syntax.launches import Launch, find_launches


@dataclass(frozen=True, slots=True)
class AppliedFix:
    """One fix with the code of its hazard and the line, from 1, that it changes."""

    code: str
    title: str
    line: int
    fix: Fix


def find_fixes(file: SourceFile) -> tuple[AppliedFix, ...]:
    """Return the fixes for one file, in the order of its text."""
    if "<<" not in file.text:
        return ()
    document = Document(file.text)
    launches = [
        launch
        for launch in find_launches(document)
        if is_active(launch.condition, HIP_FACTS) is not False
    ]
    fixes = (*_spaced_launches(document, launches), *_braced_sizes(document, launches))
    return tuple(sorted(fixes, key=lambda fix: fix.fix.edits[0].start))


def _spaced_launches(document: Document, launches: Iterable[Launch]) -> Iterator[AppliedFix]:
    """W2W101: `<< <` and `>> >`, which nvcc joins and clang does not."""
    for launch in launches:
        if not launch.is_spaced:
            continue
        edits = tuple(
            Edit(span.start, span.end, brackets)
            for span, brackets in ((launch.opening, "<<<"), (launch.closing, ">>>"))
            if document.text[span.start : span.end] != brackets
        )
        line, _ = document.line_column(launch.opening.start)
        title = "join the launch brackets: clang does not take `<< <`"
        yield AppliedFix("W2W101", title, line, Fix(title, edits, "safe"))


def _braced_sizes(document: Document, launches: Iterable[Launch]) -> Iterator[AppliedFix]:
    """W2W102: `<<<grid, {32, 8}>>>`, a grid or block that clang wants to have its type named."""
    for launch in launches:
        for size in (launch.grid, launch.block):
            if size is not None and document.text.startswith("{", size.start):
                line, _ = document.line_column(size.start)
                title = "name the type of a braced grid or block: clang does not take it bare"
                edit = Edit(size.start, size.start, "dim3")
                yield AppliedFix("W2W102", title, line, Fix(title, (edit,), "safe"))
