"""Reads and writes the map's TOML tables (format: data/README.md). Knows no look-up."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warp2wave.model import ApiEntry, ApiKind, ApiStatus

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SOURCES_FILE = "sources.toml"
SAME_SPELLING = "="
NO_NAME = "-"
NOTE_MARK = " | "

# Field order of a written group; also the order in which groups sort.
GROUP_FIELDS = (
    "variant",
    "kind",
    "status",
    "source",
    "header",
    "hip_header",
    "since_cuda",
    "until_cuda",
    "since_hip",
    "note",
)


@dataclass(frozen=True, slots=True, order=True)
class Group:
    """What the rows of one group have in common; `source` is a key of a source table."""

    library: str
    variant: str
    kind: ApiKind
    status: ApiStatus
    source: str
    header: str
    hip_header: str
    since_cuda: str
    until_cuda: str
    since_hip: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A package whose headers were read. `sha256` is its archive's, "" where it has none."""

    key: str
    package: str
    version: str
    title: str = ""
    sha256: str = ""

    def label(self) -> str:
        """`tensorflow-rocm 2.14.0.600 (ROCm 6.0)`."""
        text = f"{self.package} {self.version}".strip()
        return f"{text} ({self.title})" if self.title else text


@dataclass(frozen=True, slots=True)
class Row:
    """One name of a group, as it stands in the file."""

    group: Group
    cuda: str
    hip: str | None
    note: str


@dataclass(frozen=True, slots=True)
class Table:
    """One data file: its library, its rows in file order, the sources that it defines itself."""

    library: str
    rows: tuple[Row, ...]
    sources: tuple[Source, ...]


def parse_row(line: str) -> tuple[str, str | None, str]:
    """Split a row into CUDA name, HIP name (None for `-`) and note.

    Raises ValueError where the line is not of that form.
    """
    names, mark, note = line.partition(NOTE_MARK)
    parts = names.split()
    if len(parts) != 2 or "|" in parts or (mark and not note.strip()):
        raise ValueError(f"not a row of the API map: {line!r}")
    cuda, hip = parts
    if hip == SAME_SPELLING:
        return cuda, cuda, note.strip()
    return cuda, None if hip == NO_NAME else hip, note.strip()


def format_row(cuda: str, hip: str | None, note: str) -> str:
    """The row that `parse_row` reads back."""
    spelling = NO_NAME if hip is None else SAME_SPELLING if hip == cuda else hip
    return f"{cuda} {spelling}" + (NOTE_MARK + note if note else "")


def parse_sources(data: dict[str, Any]) -> tuple[Source, ...]:
    """The `[source.KEY]` tables of a parsed TOML file."""
    return tuple(
        Source(
            key=key,
            package=str(item["package"]),
            version=str(item["version"]),
            title=str(item.get("title", "")),
            sha256=str(item.get("sha256", "")),
        )
        for key, item in data.get("source", {}).items()
    )


def parse_groups(data: dict[str, Any]) -> Iterator[tuple[Group, list[str]]]:
    """Each group of a parsed TOML file with its rows unparsed.

    Raises KeyError where `library`, `kind`, `status`, `source` or `names` is missing.
    """
    library = str(data["library"])
    for item in data.get("group", ()):
        group = Group(
            library=library,
            variant=item.get("variant", ""),
            kind=item["kind"],
            status=item["status"],
            source=item["source"],
            header=item.get("header", ""),
            hip_header=item.get("hip_header", ""),
            since_cuda=item.get("since_cuda", ""),
            until_cuda=item.get("until_cuda", ""),
            since_hip=item.get("since_hip", ""),
            note=item.get("note", ""),
        )
        yield group, item["names"].split("\n")


def read_toml(path: Path) -> dict[str, Any]:
    """The file's contents; raises OSError or tomllib.TOMLDecodeError."""
    with path.open("rb") as stream:
        return tomllib.load(stream)


def read_table(path: Path) -> Table:
    """Read one data file completely.

    Raises ValueError (also TOMLDecodeError) or KeyError where it is not in the format.
    """
    data = read_toml(path)
    rows = [
        Row(group, *parse_row(line))
        for group, lines in parse_groups(data)
        for line in lines
        if line
    ]
    return Table(str(data["library"]), tuple(rows), parse_sources(data))


def format_table(library: str, rows: Iterable[Row], preamble: str = "") -> str:
    """The data file of these rows: groups sorted by their fields, rows by name."""
    groups: dict[Group, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)
    lines = [preamble + f'library = "{library}"']
    for group in sorted(groups):
        lines.append("\n[[group]]")
        for name in GROUP_FIELDS:
            value = getattr(group, name)
            if value or name in ("kind", "status", "source"):
                lines.append(f'{name} = "{value}"')
        lines.append("names = '''")
        members = sorted(groups[group], key=lambda row: row.cuda)
        lines.extend(format_row(row.cuda, row.hip, row.note) for row in members)
        lines.append("'''")
    return "\n".join(lines) + "\n"


def format_sources(sources: Iterable[Source], preamble: str = "") -> str:
    """The `[source.KEY]` tables, sorted by key."""
    blocks = []
    for source in sorted(sources, key=lambda item: item.key):
        lines = [f'[source."{source.key}"]']
        for name in ("package", "version", "title", "sha256"):
            value = getattr(source, name)
            if value or name in ("package", "version"):
                lines.append(f'{name} = "{value}"')
        blocks.append("\n".join(lines) + "\n")
    return preamble + "\n".join(blocks)


def entry_of(group: Group, cuda: str, hip: str | None, note: str, source: str) -> ApiEntry:
    """The public entry for one row; `source` is the label of the group's source."""
    header, hip_header = group.header, group.hip_header
    if group.kind == "header":
        header, hip_header = cuda, hip or ""
    declared_in = hip_header if hip is not None and hip_header else header
    if group.status in ("missing", "unverified"):
        declared_in = header
    return ApiEntry(
        cuda=cuda,
        hip=hip,
        kind=group.kind,
        library=group.library,
        header=header,
        hip_header=hip_header,
        since_cuda=group.since_cuda,
        until_cuda=group.until_cuda,
        since_hip=group.since_hip,
        status=group.status,
        source=f"{declared_in}, {source}" if declared_in else source,
        note=note or group.note,
    )
