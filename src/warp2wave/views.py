"""What the command line shows people: lines of text and rich tables, for `cli` to print."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from warp2wave.model import BuildResult, UnitResult
from warp2wave.records import MapAnswer

if TYPE_CHECKING:  # each command loads what it needs itself, so that `map` is quick
    from warp2wave.build.compile import Progress as BuildProgress
    from warp2wave.doctor import Diagnosis
    from warp2wave.port.plan import OpenItem
    from warp2wave.port.single_source import Port, UndoneFiles

Line = str | Table
_PLACES_SHOWN = 3


def port_text(port: Port, *, check: bool) -> Iterable[Line]:
    """The summary of one port: what was read, what was done, what is left, what comes next."""
    counts = port.counts
    yield f"{port.project.name}  ({port.root})"
    yield f"  read     {plural(counts.files, 'file')}, {plural(counts.lines, 'line')}, " + (
        f"{plural(len(port.project.sources), 'device source')}"
    )
    yield f"  headers  {plural(len(port.plan.wrappers), 'header')} served from gpu_compat/hip"
    yield (
        f"  names    {plural(counts.names, 'CUDA name')}: {counts.same} the same on HIP, "
        f"{counts.renamed} renamed, {counts.shimmed} with a definition of ours, "
        f"{counts.open_names} open"
    )
    if counts.warp_sites:
        uses = plural(counts.warp_sites, "use")
        yield f"  warps    {uses} of warp functions keep 32-lane meaning"
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
        yield f"  open     {plural(len(port.plan.open_items), 'item')} for a person:"
        for item in port.plan.open_items:
            yield f"             {item.subject}: {item.reason}{_where(item)}"
    else:
        yield "  open     nothing"
    if port.plan.to_check:
        yield f"  check    {plural(len(port.plan.to_check), 'name')} that may differ on HIP:"
        for item in port.plan.to_check:
            yield f"             {item.subject} -> {item.reason}{_where(item)}"
    if port.open_findings:
        found = plural(port.open_findings, "finding")
        yield f"  scan     {found} not handled by the port: run warp2wave scan {port.root}"
    if check:
        yield (
            "  state    out of date: run `warp2wave port`"
            if port.changes_anything
            else "  state    up to date"
        )
    else:
        written = len(port.writes)
        yield f"  written  {plural(written, 'file')}" + (" (nothing to do)" if not written else "")
        yield f"  next     warp2wave build --compile-only --target hip:gfx90a {port.root}"


def undo_text(undone: UndoneFiles) -> Iterable[Line]:
    """What an undo gave back."""
    files = plural(len(undone.paths), "file")
    yield f"{undone.root}: {files} restored or removed; the port is undone"


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


def plural(count: int, noun: str) -> str:
    """A count with its noun: `1 file`, `2 files`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _where(item: OpenItem) -> str:
    if not item.places:
        return ""
    shown = ", ".join(str(place) for place in item.places[:_PLACES_SHOWN])
    more = len(item.places) - _PLACES_SHOWN
    return f"  [{shown}{f' and {more} more' if more > 0 else ''}]"


@contextmanager
def build_progress(console: Console) -> Iterator[Callable[[BuildProgress], None] | None]:
    """A bar on a terminal; silence in a pipe."""
    if not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("compiling", total=None)

        def show(step: BuildProgress) -> None:
            bar.update(task, total=step.total, completed=step.done, description=step.label)

        yield show


@contextmanager
def install_progress(console: Console) -> Iterator[Callable[[str], None]]:
    """One line a step."""
    yield lambda line: console.print(line, markup=False)


def build_text(result: BuildResult, *, table: bool) -> Iterable[Line]:
    """Each source by target and compiler, then each failure with the user's own line.

    A table for a terminal; for a pipe one line a unit, so that grep finds it whole.
    """
    yield result.root
    if table:
        yield _unit_table(result)
    else:
        for unit in result.units:
            yield f"  {unit.source}  {unit.target}  {unit.toolchain}  {_cell(unit)}"
    yield from _resource_lines(result)
    for unit in result.units:
        if unit.failure is not None:
            where = f"{unit.failure.path}:{unit.failure.line}:{unit.failure.column}"
            yield f"{unit.source} for {unit.target} ({unit.toolchain}) failed"
            yield f"  {where}: {unit.failure.message}"
            yield f"  full log: {unit.failure.log}"
    failed = sum(unit.failure is not None for unit in result.units)
    cached = sum(unit.cached for unit in result.units)
    total = len(result.units)
    yield (
        f"{total - failed} of {plural(total, 'compilation')} passed"
        + (f" ({cached} from the cache)" if cached else "")
        + (f", {failed} failed" if failed else "")
    )


def _unit_table(result: BuildResult) -> Table:
    columns = list(dict.fromkeys((unit.target, unit.toolchain) for unit in result.units))
    sources = list(dict.fromkeys(unit.source for unit in result.units))
    units = {(unit.source, unit.target, unit.toolchain): unit for unit in result.units}
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("source", overflow="fold")
    for target, toolchain in columns:
        table.add_column(f"{target}\n{toolchain}")
    for source in sources:
        table.add_row(str(source), *(_cell(units.get((source, *column))) for column in columns))
    return table


def _cell(unit: UnitResult | None) -> str:
    if unit is None:
        return "-"
    if unit.failure is not None:
        return "failed"
    spilling = any(kernel.vector_spills for kernel in unit.kernels)
    return f"ok, {plural(len(unit.kernels), 'kernel')}" + (", spills" if spilling else "")


def _resource_lines(result: BuildResult) -> Iterator[str]:
    """The kernels that use most registers, one per target: what to look at first."""
    best: dict[tuple[str, str], tuple[int, PurePosixPath, str]] = {}
    for unit in result.units:
        for kernel in unit.kernels:
            registers = kernel.vector_registers or 0
            key = (unit.target, unit.toolchain)
            if key not in best or registers > best[key][0]:
                shared = kernel.shared_bytes or 0
                occupancy = (
                    f", occupancy {kernel.occupancy}" if kernel.occupancy is not None else ""
                )
                best[key] = (
                    registers,
                    unit.source,
                    f"{registers} registers, {shared:,} bytes shared{occupancy}",
                )
    for (target, toolchain), (_, source, text) in best.items():
        yield f"{target} ({toolchain}): largest kernel in {source}: {text} (compiled)"


def doctor_text(diagnosis: Diagnosis) -> Iterable[Line]:
    """What is here and what is not, each with its remedy."""
    yield f"{diagnosis.machine}; cache {diagnosis.cache}"
    for check in diagnosis.checks:
        yield f"  {'yes' if check.present else 'no ':3} {check.name}: {check.detail}"
        if check.install and not check.present:
            yield f"      install: {check.install}"
    for item in diagnosis.requirements:
        yield f"  {item.target}: {item.missing or 'can be built'}"
        if item.install:
            yield f"      install: {item.install}"
