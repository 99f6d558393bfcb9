"""Port a tree to one source for CUDA and HIP: plan from what it uses, write `gpu_compat/`, undo.

Planning reads and never writes; what it returns says every byte that writing would change. Nothing
of the tree is executed.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from warp2wave import writes
from warp2wave.apimap import load
from warp2wave.config import load_config
from warp2wave.errors import UsageError
from warp2wave.model import Project, SourceFile
from warp2wave.port.compat_headers import COMPAT_DIR, GENERATED_MARK, render_compat
from warp2wave.port.edits import changed_lines, unified_diff
from warp2wave.port.hazard_fixes import AppliedFix, mend
from warp2wave.port.plan import CompatPlan
from warp2wave.port.planning import make_plan
from warp2wave.port.support import support_texts
from warp2wave.port.usage import Usage, collect_usage
from warp2wave.port.vocabulary import vocabulary
from warp2wave.project import read_project
from warp2wave.scanning import project_views
from warp2wave.tree import decode, digest, encode, read_bytes

PORT_RECORD = PurePosixPath(".warp2wave/port.json")


@dataclass(frozen=True, slots=True)
class EditedFile:
    """One of the user's files with fixes applied: a source, or a file that builds it."""

    path: PurePosixPath
    old: str
    new: str
    fixes: tuple[AppliedFix, ...]

    @property
    def lines_changed(self) -> int:
        """Lines that the new text adds, the measure of what a reviewer reads."""
        return changed_lines(self.old, self.new)[1]


@dataclass(frozen=True, slots=True)
class Counts:
    """The port in figures. Names count once each, warp sites each time they occur."""

    files: int
    lines: int
    names: int
    same: int
    renamed: int
    shimmed: int
    open_names: int
    warp_sites: int


@dataclass(frozen=True, slots=True)
class Port:
    """One planned port: what will be written, and everything its summary says.

    `open_findings` counts the hazards that neither the compat layer nor a fix has taken care of.
    """

    root: Path
    project: Project
    plan: CompatPlan
    edited: tuple[EditedFile, ...]
    generated: Mapping[PurePosixPath, str]
    writes: tuple[writes.Write, ...]
    warnings: tuple[str, ...]
    counts: Counts
    open_findings: int

    @property
    def changes_anything(self) -> bool:
        """False when the tree is ported and up to date."""
        return bool(self.writes)


@dataclass(frozen=True, slots=True)
class UndoneFiles:
    """What an undo restored or removed."""

    root: Path
    paths: tuple[PurePosixPath, ...]


def plan_port(root: Path, *, fix: str = "safe") -> Port:
    """Plan the single-source port of the tree at `root`.

    `fix` is "none", "safe" or "unsafe": which fixes may change the user's lines. Raises UsageError
    when the root is no readable folder, its configuration is not valid, or a `gpu_compat/` stands
    there that is not ours.
    """
    config = load_config(root)
    reading = read_project(root, config)
    project = reading.project
    api = load()
    pattern, cub_names = vocabulary()
    views, _ = project_views(root, reading, config)
    documents = {view.path: view.document for view in views if view.kind == "source"}
    usage = collect_usage(project.files, pattern, cub_names, documents)
    plan = make_plan(usage, api, _tree_headers(project), support_texts(), project.undefines)
    mended = mend(views, config, fix)
    edited = tuple(EditedFile(m.path, m.old, m.new, m.fixes) for m in mended.files)
    generated = render_compat(plan, support_texts())
    return Port(
        root=root,
        project=project,
        plan=plan,
        edited=edited,
        generated=generated,
        writes=tuple(_writes(root, generated, edited)),
        warnings=reading.warnings,
        counts=_count(project, usage, plan),
        open_findings=mended.open_findings,
    )


def write_port(port: Port, record: Mapping[str, Any]) -> tuple[PurePosixPath, ...]:
    """Write what the plan says and its record, all or nothing; return the files that changed.

    The record goes to `.warp2wave/port.json`, for later stages and other machines. There it names
    the fixes of all ports since the tree was whole, so that a second port leaves it as it is.
    """
    text = json.dumps(_with_earlier_fixes(port.root, record), indent=1) + "\n"
    state = writes.Write(PORT_RECORD, text.encode("ascii"), "")
    return writes.write_files(port.root, (*port.writes, state))


def _with_earlier_fixes(root: Path, record: Mapping[str, Any]) -> dict[str, Any]:
    """Add the fixes that an earlier port's record names; a damaged record names none."""
    merged = dict(record)
    content = _present(root, PORT_RECORD)
    if content is not None and writes.can_undo(root):
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
            earlier = json.loads(content)
            fixes, lines = [*earlier["fixes"]], int(earlier["lines_changed"])
            merged["fixes"] = [*fixes, *merged["fixes"]]
            merged["lines_changed"] += lines
    return merged


def undo_port(root: Path) -> UndoneFiles:
    """Give the tree back as it was before its first port, byte for byte."""
    return UndoneFiles(root, writes.undo(root))


def diff_text(port: Port) -> str:
    """The whole port as one patch that `git apply` takes."""
    before = {edited.path: edited.old for edited in port.edited}
    pieces: list[str] = []
    for write in port.writes:
        old = before.get(write.path)
        if old is None:
            content = read_bytes(port.root, write.path)
            old = decode(content) if isinstance(content, bytes) else None
        new = None if write.content is None else decode(write.content)
        pieces.append(unified_diff(write.path, old, new))
    return "".join(pieces)


def _tree_headers(project: Project) -> frozenset[str]:
    """Every name by which the tree's own files can be included."""
    names: set[str] = set()
    for file in project.files:
        parts = file.path.parts
        names.update("/".join(parts[start:]) for start in range(len(parts)))
    return frozenset(names)


def _writes(
    root: Path, generated: Mapping[PurePosixPath, str], edited: tuple[EditedFile, ...]
) -> Iterator[writes.Write]:
    """Only what differs from the disk; files of an earlier port that are not wanted any more go."""
    for path, text in generated.items():
        content = encode(text)
        present = _present(root, path)
        if present is not None and not _is_generated(present):
            raise UsageError(f"{path}: stands there already and was not {GENERATED_MARK}")
        if present != content:
            yield writes.Write(path, content, None if present is None else "")
    for path in _earlier(root):
        if path not in generated:
            yield writes.Write(path, None, "")
    for file in edited:
        yield writes.Write(file.path, encode(file.new), digest(encode(file.old)))


def _present(root: Path, path: PurePosixPath) -> bytes | None:
    if not (root / path).exists():
        return None
    content = read_bytes(root, path)
    if isinstance(content, bytes):
        return content
    raise UsageError(f"{path}: {content.reason}")


def _earlier(root: Path) -> Iterator[PurePosixPath]:
    """Files below gpu_compat/ that an earlier port wrote, here or before the tree was cloned."""
    top = root / COMPAT_DIR
    known = set(writes.written_files(root))
    for place in sorted(top.rglob("*")) if top.is_dir() and not top.is_symlink() else ():
        if place.is_symlink() or not place.is_file():
            continue
        path = PurePosixPath(place.relative_to(root))
        content = read_bytes(root, path)
        if path in known or (isinstance(content, bytes) and _is_generated(content)):
            yield path


def _is_generated(content: bytes) -> bool:
    return GENERATED_MARK in decode(content[:4096])


def _count(project: Project, usage: Usage, plan: CompatPlan) -> Counts:
    shimmed = {mapping.cuda for mapping in plan.device}
    renamed = {mapping.cuda for mapping in plan.api}
    same = set(plan.same)
    open_names = {item.subject for item in plan.open_items} & set(usage.names) - renamed - same
    warp = {m.cuda for m in plan.device if m.origin.endswith("warp32.h")}
    return Counts(
        files=len(project.files),
        lines=sum(_lines(file) for file in project.files),
        names=len(shimmed | renamed | same | open_names),
        same=len(same),
        renamed=len(renamed),
        shimmed=len(shimmed),
        open_names=len(open_names),
        warp_sites=sum(len(usage.names.get(name, ())) for name in warp),
    )


def _lines(file: SourceFile) -> int:
    return file.text.count("\n") + (not file.text.endswith("\n") and bool(file.text))
