"""The compat headers that ship with the package and are copied into `gpu_compat/`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

COMPAT_SOURCES = Path(__file__).parent.parent / "include" / "warp2wave" / "compat"


@cache
def support_texts() -> Mapping[str, str]:
    """Each compat header's text by its file name."""
    return {path.name: path.read_text("utf-8") for path in sorted(COMPAT_SOURCES.glob("*.h"))}
