"""Which words of a tree may be CUDA's: those of the API map, and those that we define ourselves."""

from __future__ import annotations

import re
from functools import cache

from warp2wave.apimap import load
from warp2wave.port.planning import SHIMMED_NAMES


@cache
def vocabulary() -> tuple[str, frozenset[str]]:
    """Return the pattern of the names to look for, and the names of namespace cub."""
    api = load()
    shimmed = (rf"{re.escape(name)}\b" for name in SHIMMED_NAMES)
    pattern = "|".join((api.name_pattern(), *shimmed))
    cub = (name.removeprefix("cub::") for name in api.names() if name.startswith("cub::"))
    return pattern, frozenset(cub)
