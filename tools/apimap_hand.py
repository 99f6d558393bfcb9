"""Reads the hand-kept table `apimap_irregular.toml`: names that no rule gets right, and why."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from warp2wave.apimap.tables import parse_row

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLE = Path(__file__).parent / "apimap_irregular.toml"


@dataclass(frozen=True, slots=True)
class HandEntry:
    """One irregular name. Empty fields are taken from the headers."""

    cuda: str
    hip: str | None
    library: str
    status: str
    kind: str
    header: str
    hip_header: str
    until_cuda: str
    source: str
    note: str
    variant: str = ""


@dataclass(frozen=True, slots=True)
class Hand:
    """The table: entries by CUDA name, notes for names without a counterpart, by pattern.

    `variants` are second answers for names that have an entry already.
    """

    entries: dict[str, HandEntry]
    notes: tuple[tuple[re.Pattern[str], str], ...]
    variants: tuple[HandEntry, ...] = ()

    def note(self, name: str) -> str:
        """What to use instead of a missing name, "" where the table says nothing."""
        return next((note for pattern, note in self.notes if pattern.fullmatch(name)), "")


def read_hand(path: Path = TABLE) -> Hand:
    """Read the table; raises ValueError where a name stands twice or a row has another form."""
    with path.open("rb") as stream:
        data = tomllib.load(stream)
    entries: dict[str, HandEntry] = {}
    variants: list[HandEntry] = []
    for group in data["group"]:
        for line in group["names"].splitlines():
            if not line.strip():
                continue
            cuda, hip, note = parse_row(line)
            entry = HandEntry(
                cuda=cuda,
                hip=hip,
                library=group["library"],
                status="missing" if hip is None else group.get("status", "same"),
                kind=group.get("kind", ""),
                header=group.get("header", ""),
                hip_header=group.get("hip_header", ""),
                until_cuda=group.get("until_cuda", ""),
                source=group.get("source", ""),
                note=note or group.get("note", ""),
                variant=group.get("variant", ""),
            )
            if entry.variant:
                variants.append(entry)
            elif cuda in entries:
                raise ValueError(f"{path.name}: {cuda} stands twice")
            else:
                entries[cuda] = entry
    notes = tuple(
        (re.compile(item["names"]), str(item["note"])) for item in data.get("missing", ())
    )
    return Hand(entries, notes, tuple(variants))
