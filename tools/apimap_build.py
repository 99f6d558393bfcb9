"""Joins the declared CUDA names with the declared HIP names, by rule and by the hand-kept table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

from apimap_cpp import cplusplus_names
from apimap_hand import Hand, HandEntry
from apimap_headers import Declaration, declarations
from apimap_libraries import LIBRARIES, PUBLIC_CUDA, PUBLIC_HIP, Library, candidates, fold, public
from apimap_packages import Opened

from warp2wave.apimap.tables import Group, Row, Source
from warp2wave.model import ApiKind, ApiStatus

RELEASES = ("11.8", "12.0", "12.4", "12.9", "13.0")
# Families of packages that were read in several releases; of the others no versions are known.
SEVERAL_RELEASES = ("cuda-runtime-", "cuda-crt-", "cuda-cusparse-", "cuda-cccl-")
TABLE_RELEASE = "6.3"  # the name tables were taken from the repositories in October 2024
ANOTHER_API = "MIOpen is another API: compare arguments and meaning with miopen/miopen.h"
KIND_ORDER = ("type", "function", "enumerator", "variable", "macro")


@dataclass(slots=True)
class Known:
    """A name as the headers of one side declare it, over all releases read."""

    kind: str
    header: str
    source: str
    releases: set[str] = field(default_factory=set)
    counts: set[int] = field(default_factory=set)
    alias: str = ""


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything that was opened: packages, their header lists, the name tables."""

    opened: tuple[Opened, ...]
    headers: dict[str, dict[str, str]]
    tables: dict[str, dict[str, str]]
    table_sources: tuple[Source, ...]

    def sources(self) -> list[Source]:
        """The source tables of what was read."""
        found = [
            Source(item.package.key, item.package.name, item.package.version, item.package.title,
                   item.sha256())
            for item in self.opened
        ]  # fmt: skip
        return found + list(self.table_sources)


def read_tables(folder: Path) -> tuple[dict[str, dict[str, str]], tuple[Source, ...]]:
    """The name tables: library -> name -> header, and where each was taken from."""
    tables: dict[str, dict[str, str]] = {}
    sources = []
    for path in sorted(folder.glob("*.tsv")):
        lines = path.read_text(encoding="utf-8").splitlines()
        origin = re.search(r"headers of (\S+) at (\S+) (\S+)", lines[0])
        if origin is None:
            raise ValueError(f"{path}: the first line does not name its repository")
        names = dict(line.split("\t")[:2] for line in lines[2:] if line)
        for name in list(names):
            # HIP's profiler lists every API function by number, whichever header declares it.
            if name.startswith("HIP_API_ID_hip"):
                names.setdefault(name.removeprefix("HIP_API_ID_"), names[name])
        tables[path.stem] = names
        sources.append(Source(f"{path.stem}-names", origin[1], origin[2], f"names, {origin[3]}"))
    return tables, tuple(sources)


def matching(headers: dict[str, str], patterns: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The headers that the patterns name, in pattern order, each once."""
    seen = set()
    for pattern in patterns:
        for name in sorted(headers):
            if name not in seen and fnmatchcase(name, pattern):
                seen.add(name)
                yield name, headers[name]


def _note(
    known: dict[str, Known], item: Declaration, source: str, release: str, header: str
) -> None:
    entry = known.get(item.name)
    if entry is None:
        entry = known[item.name] = Known(item.kind, header, source)
    elif KIND_ORDER.index(item.kind) < KIND_ORDER.index(entry.kind) and entry.source == source:
        entry.kind = item.kind
    entry.releases.add(release)
    if item.alias and not entry.alias and entry.source == source:
        entry.alias = item.alias
    if item.kind in ("function", "macro") and source == entry.source:
        entry.counts |= item.parameters


def cuda_names(inputs: Inputs, library: Library) -> dict[str, Known]:
    """The CUDA names of a library. Newest release first: it gives the header and the source."""
    wanted = re.compile(library.names)
    skip = re.compile(library.skip)
    known: dict[str, Known] = {}
    every: dict[str, Known] = {}
    for release in reversed(RELEASES):
        for item in inputs.opened:
            package = item.package
            if package.platform != "cuda" or package.release != release:
                continue
            for family, patterns in library.cuda:
                if not package.key.startswith(family + "-"):
                    continue
                for header, inside in matching(inputs.headers[package.key], patterns):
                    for declaration in declarations(item.text(inside), header):
                        name = declaration.name
                        if wanted.fullmatch(name):
                            place = public(header, PUBLIC_CUDA)
                            _note(every, declaration, package.key, release, place)
    for entry in list(every.values()):
        # cuda.h declares cuMemAlloc and renames it to the exported cuMemAlloc_v2 by a macro.
        if wanted.fullmatch(entry.alias) and entry.alias not in every:
            every[entry.alias] = replace(entry, alias="", kind="function")
    for name, entry in every.items():
        if skip.fullmatch(name):
            continue
        # `#define cublasSgemm cublasSgemm_v2`: a call of the name takes what the target takes.
        target = every.get(entry.alias)
        if target is not None and target.kind == "function":
            entry.kind, entry.counts = "function", target.counts
        known[name] = entry
    return known


def hip_names(inputs: Inputs, library: Library) -> dict[str, Known]:
    """The HIP names that answer for a library. Oldest first: it gives the header and the source."""
    known: dict[str, Known] = {}
    for item in inputs.opened:
        package = item.package
        if package.platform != "hip":
            continue
        for header, inside in matching(inputs.headers[package.key], library.hip):
            for declaration in declarations(item.text(inside), header):
                place = public(header, PUBLIC_HIP)
                _note(known, declaration, package.key, package.release, place)
                if declaration.kind == "function" and declaration.name in known:
                    # A later release may take other arguments too; what any takes is taken.
                    known[declaration.name].counts |= declaration.parameters
    for table in library.tables:
        for name, header in inputs.tables.get(table, {}).items():
            place = public(header, PUBLIC_HIP)
            entry = known.setdefault(name, Known("function", place, f"{table}-names"))
            entry.releases.add(TABLE_RELEASE)
    return known


def since(known: Known, order: tuple[str, ...]) -> str:
    """The oldest release read that has the name; "" where only one release was read."""
    return next((release for release in order if release in known.releases), "")


def until(known: Known) -> str:
    """The first release read that has the name no more; "" while the newest still has it."""
    releases = ("11.8", "12.0", "13.0") if known.source.startswith("cuda-cusparse-") else RELEASES
    last = max(releases.index(release) for release in known.releases)
    return releases[last + 1] if last + 1 < len(releases) else ""


def counts_differ(cuda: Known, hip: Known) -> str:
    """A note where HIP does not take a number of arguments that CUDA takes, else ""."""
    if not cuda.counts or not hip.counts or -1 in cuda.counts | hip.counts:
        return ""
    if cuda.counts <= hip.counts:
        return ""
    ours, theirs = (" or ".join(str(n) for n in sorted(k.counts)) for k in (cuda, hip))
    return f"CUDA takes {ours} arguments, HIP {theirs}"


HIP_RELEASES = ("6.0", TABLE_RELEASE, "7.1")


@dataclass(frozen=True, slots=True)
class Builder:
    """What building needs everywhere: all HIP names by library, the hand-kept table."""

    hip: dict[str, dict[str, Known]]
    folded: dict[str, dict[str, list[str]]]
    headers: dict[str, Known]
    cuda_headers: dict[str, str]
    hand: Hand

    def row(self, library: Library, name: str, cuda: Known) -> Row:
        """The row of one CUDA name that a header declares."""
        # cuMemAlloc_v2 and CUlimit_enum follow what the table says of cuMemAlloc and CUlimit.
        entry = self.hand.entries.get(name) or self.hand.entries.get(plain_name(name))
        kind = cuda.kind
        if library.device and kind in ("function", "macro", "variable"):
            kind = "device"
        if entry is not None:
            return self.hand_row(replace(entry, cuda=name), library.name, kind, cuda)
        if library.unread:
            guess = candidates(library.rules, name)[0]
            hip = Known(cuda.kind, library.unread, cuda.source)
            return self._row(library.name, name, guess, kind, "unverified", cuda, hip, "")
        names = self.hip[library.name]
        spelling = self._spelling(library, name, names)
        if spelling is None:
            note = self.hand.note(name)
            if note == library.absent:
                note = ""
            return self._row(
                library.name, name, None, kind, "missing", cuda, None, note or library.absent
            )
        hip = names[spelling]
        note = counts_differ(cuda, hip) if cuda.kind == "function" else ""
        if library.name == "dnn":
            note = note or ANOTHER_API
        status = "changed" if note else "same"
        return self._row(library.name, name, spelling, kind, status, cuda, hip, note)

    def hand_row(self, entry: HandEntry, library: str, kind: str, cuda: Known | None) -> Row:
        """The row of a hand-kept entry; `cuda` is None where no header read declares the name."""
        hip = self.headers.get(entry.hip or "") if entry.kind == "header" else None
        if entry.hip is not None and entry.kind != "header":
            for names in (self.hip.get(library, {}), *self.hip.values()):
                hip = names.get(entry.hip)
                if hip is not None:
                    break
        status = entry.status
        if entry.hip is not None and hip is None and (not entry.source or entry.kind == "header"):
            status = "unverified"
        kind = entry.kind or kind
        if entry.kind == "header" and not entry.source:
            entry = replace(entry, source=self.cuda_headers.get(entry.cuda, ""))
        return self._row(library, entry.cuda, entry.hip, kind, status, cuda, hip, entry.note, entry)

    def _spelling(self, library: Library, name: str, names: dict[str, Known]) -> str | None:
        folded = self.folded[library.name]
        tried = candidates(library.rules, name)
        for spelling in tried:
            if spelling in names:
                return spelling
        for spelling in tried:
            wanted, prefix = fold(spelling), spelling[:3]
            found = [name for name in folded.get(wanted, ()) if name.startswith(prefix)]
            if len(found) == 1:
                return found[0]
        return None

    @staticmethod
    def _row(
        library: str, name: str, spelling: str | None, kind: str, status: str, cuda: Known | None,
        hip: Known | None, note: str, hand: HandEntry | None = None,
    ) -> Row:  # fmt: skip
        source = hip.source if hip is not None else ""
        if not source:
            source = (hand.source if hand else "") or (cuda.source if cuda is not None else "")
        if not source:
            raise ValueError(f"{name}: no header read declares it or its HIP name; name a source")
        only_one = cuda is None or not cuda.source.startswith(SEVERAL_RELEASES)
        group = Group(
            library=library,
            variant="",
            kind=_kind(kind),
            status=_status(status),
            source=source,
            header=(hand.header if hand else "") or (cuda.header if cuda is not None else ""),
            hip_header=(hand.hip_header if hand else "") or (hip.header if hip is not None else ""),
            since_cuda="" if only_one or cuda is None else since(cuda, RELEASES),
            until_cuda=(hand.until_cuda if hand else "")
            or ("" if only_one or cuda is None else until(cuda)),
            since_hip=since(hip, HIP_RELEASES)
            if hip is not None
            else "6.0"
            if spelling and hand and hand.source == "rocm-6.0"
            else "",
            note="",
        )
        return Row(group, name, spelling, note)


def _kind(kind: str) -> ApiKind:
    kinds: dict[str, ApiKind] = {
        "function": "function", "type": "type", "enumerator": "enumerator", "macro": "macro",
        "variable": "variable", "device": "device", "template": "template", "header": "header",
        "namespace": "namespace",
    }  # fmt: skip
    return kinds[kind]


def _status(status: str) -> ApiStatus:
    statuses: dict[str, ApiStatus] = {
        "same": "same", "changed": "changed", "missing": "missing", "unverified": "unverified",
    }  # fmt: skip
    return statuses[status]


def plain_name(name: str) -> str:
    """The name without the suffixes that only tell its versions or its enumeration tag apart."""
    return re.sub(r"(_v\d+|_enum)+\Z", "", name)


def group_notes(rows: Iterable[Row], notes: set[str]) -> list[Row]:
    """Lift the notes that whole families share from the rows into their groups."""
    return [
        Row(_with_note(row.group, row.note), row.cuda, row.hip, "") if row.note in notes else row
        for row in rows
    ]


def _with_note(group: Group, note: str) -> Group:
    return Group(
        group.library, group.variant, group.kind, group.status, group.source, group.header,
        group.hip_header, group.since_cuda, group.until_cuda, group.since_hip, note,
    )  # fmt: skip


def hip_headers(inputs: Inputs) -> dict[str, Known]:
    """Every header of the HIP packages and tables, as the oldest of them has it."""
    found: dict[str, Known] = {}
    for item in inputs.opened:
        if item.package.platform == "hip":
            for name in inputs.headers[item.package.key]:
                entry = found.setdefault(name, Known("header", "", item.package.key))
                entry.releases.add(item.package.release)
    for table, names in inputs.tables.items():
        for header in set(names.values()):
            place = re.sub(r"^(hipamd|library|hipcub)/include/", "", header)
            entry = found.setdefault(place, Known("header", "", f"{table}-names"))
            entry.releases.add(TABLE_RELEASE)
    return found


def cuda_headers(inputs: Inputs) -> dict[str, str]:
    """Every header of the CUDA packages, with the newest package that has it."""
    found: dict[str, str] = {}
    for item in inputs.opened:
        if item.package.platform == "cuda":
            for name in inputs.headers[item.package.key]:
                found.setdefault(name, item.package.key)
    return found


def _folded(names: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in sorted(names):
        found.setdefault(fold(name), []).append(name)
    return found


def build(inputs: Inputs, hand: Hand) -> dict[str, list[Row]]:
    """All rows, by library. The first library that has a name keeps it."""
    hip = {library.name: hip_names(inputs, library) for library in LIBRARIES}
    builder = Builder(hip, {name: _folded(names) for name, names in hip.items()},
                      hip_headers(inputs), cuda_headers(inputs), hand)  # fmt: skip
    rows: dict[str, list[Row]] = {}
    seen: set[str] = set()
    sourceless: list[str] = []
    for library in LIBRARIES:
        for name, known in cuda_names(inputs, library).items():
            if name not in seen:
                seen.add(name)
                rows.setdefault(library.name, []).append(builder.row(library, name, known))
    for row in cplusplus_names(inputs, hand):
        if row.cuda not in seen:
            seen.add(row.cuda)
            rows.setdefault(row.group.library, []).append(row)
    for entry in hand.entries.values():
        if entry.cuda not in seen:
            seen.add(entry.cuda)
            try:
                row = builder.hand_row(entry, entry.library, entry.kind or "function", None)
            except ValueError as error:
                sourceless.append(str(error))
                continue
            rows.setdefault(row.group.library, []).append(row)
    for entry in hand.variants:
        row = builder.hand_row(entry, entry.library, entry.kind, None)
        row = replace(row, group=replace(row.group, variant=entry.variant))
        rows.setdefault(entry.library, []).append(row)
    if sourceless:
        raise ValueError("\n".join(sourceless))
    shared = (
        {ANOTHER_API} | {library.absent for library in LIBRARIES} | {note for _, note in hand.notes}
    )
    return {library: group_notes(items, shared) for library, items in sorted(rows.items())}
