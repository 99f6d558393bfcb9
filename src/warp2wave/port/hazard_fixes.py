"""The hazards that a single-source port mends in the user's own lines: what no header can serve.

The rules find them and say how to mend them. Renames and warp semantics are the compat layer's
work: what it keeps right is not touched here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from warp2wave.config import Config
from warp2wave.model import Applicability, Edit, Finding, Fix
from warp2wave.port.edits import apply_edits, source_line
from warp2wave.rules.check import check_views
from warp2wave.rules.context import Context
from warp2wave.rules.view import View
from warp2wave.scanning import chosen_rules, kept_findings, scanned_targets

LEVELS: Mapping[str, tuple[Applicability, ...]] = {
    "none": (),
    "safe": ("safe",),
    "unsafe": ("safe", "unsafe"),
}
"""What each value of `--fix` may apply."""

# A fix that overlaps an earlier one gets its turn on the mended text; rules whose fixes undo one
# another must not go on for ever.
_MOST_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class AppliedFix:
    """One fix with the code of its hazard and the line, from 1, of the text before any fix."""

    code: str
    title: str
    line: int
    fix: Fix


@dataclass(frozen=True, slots=True)
class MendedFile:
    """A file before and after its fixes."""

    path: PurePosixPath
    old: str
    new: str
    fixes: tuple[AppliedFix, ...]


@dataclass(frozen=True, slots=True)
class Mended:
    """The files that fixes change, and how many findings stay open in the mended tree."""

    files: tuple[MendedFile, ...]
    open_findings: int


def mend(views: Sequence[View], config: Config, level: str) -> Mended:
    """Apply the fixes of a level to files until none is left: mending twice is mending once.

    Findings that are handled, or that comments or the configuration silence, are left alone. Where
    fixes overlap, the earlier wins; the other is looked for again in the text that results.
    """
    files = {view.path: MendedFile(view.path, view.text, view.text, ()) for view in views}
    current = list(views)
    found = _open_findings(current, config)
    for _ in range(_MOST_ROUNDS):
        chosen = _chosen_fixes(found, LEVELS[level])
        if not chosen:
            break
        for index, view in enumerate(current):
            if view.path in chosen:
                files[view.path] = _with_fixes(files[view.path], chosen[view.path])
                text = files[view.path].new
                current[index] = View(view.path, text, view.kind, native=view.native)
        found = _open_findings(current, config)
    return Mended(tuple(file for file in files.values() if file.old != file.new), len(found))


def _open_findings(views: Sequence[View], config: Config) -> list[Finding]:
    rules = chosen_rules(config.select, config.ignore)
    found = check_views(views, rules, Context(views, scanned_targets(config)))
    return [finding for finding in kept_findings(found, views, config) if not finding.handled]


def _chosen_fixes(
    findings: Iterable[Finding], wanted: Sequence[Applicability]
) -> dict[PurePosixPath, list[tuple[Finding, Fix]]]:
    """By file, the fixes that do not overlap an earlier one."""
    chosen: dict[PurePosixPath, list[tuple[Finding, Fix]]] = {}
    edits: dict[PurePosixPath, set[Edit]] = {}
    for finding in findings:
        fix = finding.fix
        if fix is None or fix.applicability not in wanted or not fix.edits:
            continue
        taken = edits.setdefault(finding.path, set())
        if not any(_conflict(edit, other) for edit in fix.edits for other in taken):
            taken.update(fix.edits)
            chosen.setdefault(finding.path, []).append((finding, fix))
    return chosen


def _conflict(edit: Edit, other: Edit) -> bool:
    if edit == other:  # two findings that want the same include are content with one
        return False
    if (edit.start, edit.end) == (other.start, other.end):
        return True
    return edit.start < other.end and other.start < edit.end


def _with_fixes(file: MendedFile, chosen: Sequence[tuple[Finding, Fix]]) -> MendedFile:
    applied = [
        AppliedFix(finding.code, fix.title, source_line(file.old, file.new, finding.line), fix)
        for finding, fix in chosen
    ]
    text = apply_edits(file.new, [edit for _, fix in chosen for edit in fix.edits])
    return MendedFile(file.path, file.old, text, (*file.fixes, *applied))
