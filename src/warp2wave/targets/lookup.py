"""Look a GPU architecture up: lanes, shared memory and limits come only from here."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from importlib import resources

from warp2wave.errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DEFAULT_TARGETS = ("hip:gfx90a", "hip:gfx942")
"""What is meant when no target is named: the cards that most ports are for."""


@dataclass(frozen=True, slots=True)
class Target:
    """One architecture. Memory is in bytes; `warp_size` in lanes; `source` says who says so."""

    arch: str
    vendor: str
    products: tuple[str, ...]
    warp_size: int
    shared_memory_per_block: int
    max_threads_per_block: int
    fp8: str
    source: str


@cache
def all_targets() -> tuple[Target, ...]:
    """Return every architecture of the table, in its order."""
    text = resources.files(__package__).joinpath("data/targets.toml").read_text("utf-8")
    return tuple(
        Target(**{**row, "products": tuple(row["products"])})
        for row in tomllib.loads(text)["target"]
    )


def find_target(name: str) -> Target:
    """Return the target of `hip:gfx90a` or `gfx90a`; UsageError names the known ones."""
    arch = name.rpartition(":")[2]
    for target in all_targets():
        if target.arch == arch:
            return target
    known = ", ".join(target.arch for target in all_targets())
    raise UsageError(f"{name}: no architecture that is known here; known are {known}")
