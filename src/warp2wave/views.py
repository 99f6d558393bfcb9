"""What the command line shows people: lines of text and rich tables, for `cli` to print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.table import Table

from warp2wave.port.plan import OpenItem
from warp2wave.port.single_source import Port, UndoneFiles
from warp2wave.records import MapAnswer

Line = str | Table
_PLACES_SHOWN = 3


def port_text(port: Port, *, check: bool) -> Iterable[Line]:
    """The summary of one port: what was read, what was done, what is left, what comes next."""
    counts = port.counts
    yield f"{port.project.name}  ({port.root})"
    yield f"  read     {_n(counts.files, 'file')}, {_n(counts.lines, 'line')}, " + (
        f"{_n(len(port.project.sources), 'device source')}"
    )
    yield f"  headers  {_n(len(port.plan.wrappers), 'header')} served from gpu_compat/hip"
    yield (
        f"  names    {_n(counts.names, 'CUDA name')}: {counts.same} the same on HIP, "
        f"{counts.renamed} renamed, {counts.shimmed} with a definition of ours, "
        f"{counts.open_names} open"
    )
    if counts.warp_sites:
        yield f"  warps    {_n(counts.warp_sites, 'use')} of warp functions keep 32-lane meaning"
    changed = sum(edited.lines_changed for edited in port.edited)
    yield f"  lines    {changed} changed in your sources" + (":" if port.edited else "")
    for edited in port.edited:
        for fix in edited.fixes:
            yield f"             {edited.path}:{fix.line}  {fix.code} {fix.title}"
    for skipped in port.project.skipped:
        yield f"  left     {skipped.path}: {skipped.reason}"
    for warning in port.warnings:
        yield f"  note     {warning}"
    if port.plan.open_items:
        yield f"  open     {_n(len(port.plan.open_items), 'item')} for a person:"
        for item in port.plan.open_items:
            yield f"             {item.subject}: {item.reason}{_where(item)}"
    else:
        yield "  open     nothing"
    if check:
        yield (
            "  state    out of date: run `warp2wave port`"
            if port.changes_anything
            else "  state    up to date"
        )
    else:
        written = len(port.writes)
        yield f"  written  {_n(written, 'file')}" + (" (nothing to do)" if not written else "")
        yield f"  next     warp2wave build --compile-only --target hip:gfx90a {port.root}"


def undo_text(undone: UndoneFiles) -> Iterable[Line]:
    """What an undo gave back."""
    yield f"{undone.root}: {_n(len(undone.paths), 'file')} restored or removed; the port is undone"


def map_text(answers: Sequence[MapAnswer]) -> Iterable[Line]:
    """Each asked name with its counterpart and source, or what is spelled like it."""
    for query, entry, near in answers:
        if entry is None:
            yield f"{query}: not in the map"
            if near:
                yield "  near: " + ", ".join(item.cuda for item in near)
            continue
        hip = entry.hip if entry.hip is not None else "no counterpart"
        yield f"{entry.cuda} -> {hip}"
        yield f"  {entry.kind}, {entry.library}, {entry.status}"
        yield f"  CUDA: {entry.header or 'built in'}{_versions(entry.since_cuda, entry.until_cuda)}"
        if entry.hip is not None:
            yield f"  HIP:  {entry.hip_header or 'built in'}{_versions(entry.since_hip, '')}"
        yield f"  source: {entry.source}"
        if entry.note:
            yield f"  note: {entry.note}"


def _versions(since: str, until: str) -> str:
    if since and until:
        return f" (from {since}, before {until})"
    if since:
        return f" (from {since} or earlier)"
    return f" (before {until})" if until else ""


def _n(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _where(item: OpenItem) -> str:
    if not item.places:
        return ""
    shown = ", ".join(str(place) for place in item.places[:_PLACES_SHOWN])
    more = len(item.places) - _PLACES_SHOWN
    return f"  [{shown}{f' and {more} more' if more > 0 else ''}]"
