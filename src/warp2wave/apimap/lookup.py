"""Look-up in the API map. Entries are built when asked for; loading only indexes the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from warp2wave.apimap import nearness, pattern
from warp2wave.apimap.tables import (
    SAME_SPELLING,
    SOURCES_FILE,
    Group,
    entry_of,
    parse_groups,
    parse_row,
    parse_sources,
    read_toml,
)
from warp2wave.model import ApiEntry

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class ApiMap:
    """The map as loaded: by variant and CUDA name, the group and the row's text.

    `sources` gives the label of each source key.
    """

    rows: Mapping[str, Mapping[str, tuple[Group, str]]]
    sources: Mapping[str, str]

    def find(self, name: str, variant: str = "") -> ApiEntry | None:
        """The entry for a CUDA name (or header), None where the map does not know it.

        With a `variant` ("roc", "hipify1", "text") its answer is preferred, the default is next.
        """
        for key in (variant, "") if variant else ("",):
            found = self.rows.get(key, {}).get(name)
            if found is not None:
                return self._entry(*found)
        return None

    def header(self, name: str, variant: str = "") -> ApiEntry | None:
        """The entry for a header as it stands in an `#include`, without the brackets."""
        entry = self.find(name, variant)
        return entry if entry is not None and entry.kind == "header" else None

    def entries(self, library: str | None = None, variant: str = "") -> Iterator[ApiEntry]:
        """All entries of one library, or of all; only those of this variant."""
        for group, line in self.rows.get(variant, {}).values():
            if library is None or group.library == library:
                yield self._entry(group, line)

    def names(self) -> tuple[str, ...]:
        """All CUDA names and headers of the default variant."""
        return tuple(self.rows.get("", ()))

    def near(self, name: str, count: int = 5) -> tuple[ApiEntry, ...]:
        """Up to `count` entries spelled most like `name`, the best first."""
        found = (self.find(near) for near in nearness.nearest(name, self.names(), count))
        return tuple(entry for entry in found if entry is not None)

    def name_pattern(self) -> str:
        r"""A regular expression for identifiers that may be in the map, `\b` at both ends.

        It matches every mapped name that one identifier spells, and by prefix (`cuda`, `cublas` …)
        also those of the same families that the map lacks, so that a scan can report them. Left out
        are plain words that mean the same on both sides (`sinf`, `half`, `float4`): nothing is to
        be done about them, and they are the words of ordinary C++ too.
        """
        rows = self.rows.get("", {})
        return pattern.name_pattern(
            name
            for name, (group, line) in rows.items()
            if not (group.status == "same" and name.isalnum() and name.islower() and _same(line))
        )

    def _entry(self, group: Group, line: str) -> ApiEntry:
        cuda, hip, note = parse_row(line)
        return entry_of(group, cuda, hip, note, self.sources[group.source])


def _same(line: str) -> bool:
    return line.split(" ", 2)[1] == SAME_SPELLING


def load_from(folder: Path) -> ApiMap:
    """Load the map of a folder of data files.

    Raises OSError, ValueError or KeyError where a file is absent or not in the format.
    """
    rows: dict[str, dict[str, tuple[Group, str]]] = {}
    sources: dict[str, str] = {}
    for path in sorted(folder.glob("*.toml")):
        data = read_toml(path)
        sources.update((source.key, source.label()) for source in parse_sources(data))
        if path.name == SOURCES_FILE:
            continue
        for group, lines in parse_groups(data):
            index = rows.setdefault(group.variant, {})
            for line in lines:
                if line:
                    index.setdefault(line.partition(" ")[0], (group, line))
    return ApiMap(rows, sources)


@cache
def load() -> ApiMap:
    """The map that comes with the package; read once per process."""
    return load_from(DATA)
