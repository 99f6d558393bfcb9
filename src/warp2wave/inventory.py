"""What a tree uses of CUDA, counted: names by library and by what the API map says of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from warp2wave.apimap import load
from warp2wave.model import ApiStatus, SourceFile
from warp2wave.port.planning import CERTAINLY_CUDA, SHIMMED_NAMES
from warp2wave.port.usage import collect_usage
from warp2wave.port.vocabulary import vocabulary
from warp2wave.syntax.document import Document

UsedStatus = ApiStatus | Literal["compat", "unknown"]
"""compat: the port's headers define it; unknown: CUDA's by its name, but the map lacks it."""


@dataclass(frozen=True, slots=True)
class UsedName:
    """One CUDA name that the HIP side of a tree uses, and how often."""

    cuda: str
    hip: str | None
    library: str
    status: UsedStatus
    uses: int


@dataclass(frozen=True, slots=True)
class Inventory:
    """The used names, by library and name."""

    names: tuple[UsedName, ...] = ()

    @property
    def by_status(self) -> Mapping[str, int]:
        """How many names have each status."""
        return Counter(name.status for name in self.names)

    @property
    def libraries(self) -> tuple[str, ...]:
        """The libraries in use, the one with most names first."""
        counts = Counter(name.library for name in self.names)
        return tuple(sorted(counts, key=lambda library: (-counts[library], library)))


def take_inventory(
    files: Iterable[SourceFile], documents: Mapping[PurePosixPath, Document] | None = None
) -> Inventory:
    """Count the CUDA names that a HIP build of these files meets, headers left out."""
    pattern, cub = vocabulary()
    usage = collect_usage(files, pattern, cub, documents)
    uses = {name: len(places) for name, places in usage.names.items() if name not in usage.defined}
    uses |= {f"cub::{name}": len(places) for name, places in usage.cub.items()}
    found = (_used(name, count) for name, count in uses.items())
    names = [name for name in found if name is not None]
    return Inventory(tuple(sorted(names, key=lambda name: (name.library, name.cuda))))


def _used(name: str, uses: int) -> UsedName | None:
    entry = load().find(name)
    if entry is not None and entry.kind == "header":
        return None
    if name in SHIMMED_NAMES:
        return UsedName(name, name, entry.library if entry else "device", "compat", uses)
    if entry is not None:
        return UsedName(name, entry.hip, entry.library, entry.status, uses)
    if CERTAINLY_CUDA.match(name):
        return UsedName(name, None, "", "unknown", uses)
    return None
