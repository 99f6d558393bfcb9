"""Trees on disk for the tests: what they hold, and shorthand for writes into them."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath

from warp2wave.tree import digest
from warp2wave.writes import Write


def snapshot(root: Path) -> dict[str, tuple[int, bytes | None]]:
    """Every path below `root` with its permissions and, for files, its bytes."""
    found: dict[str, tuple[int, bytes | None]] = {}
    for place in sorted(root.rglob("*")):
        mode = stat.S_IMODE(place.lstat().st_mode)
        if place.is_symlink():
            found[str(place.relative_to(root))] = (mode, os.fsencode(place.readlink()))
        else:
            found[str(place.relative_to(root))] = (
                mode,
                place.read_bytes() if place.is_file() else None,
            )
    return found


def change(path: str, content: bytes | None, old: bytes) -> Write:
    return Write(PurePosixPath(path), content, digest(old))


def create(path: str, content: bytes = b"new\n") -> Write:
    return Write(PurePosixPath(path), content, None)
