"""Where a tree to port comes from: a folder, a copy of it, or a source distribution from PyPI."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warp2wave import archives, registry, writes
from warp2wave.cachedir import user_cache
from warp2wave.errors import UsageError

PYPI_PREFIX = "pypi:"


@contextmanager
def opened_tree(
    spec: str, output: Path | None, *, read_only: bool, allow_dirty: bool
) -> Iterator[Path]:
    """Yield the folder to port: in place, or a copy in `output`, or a temporary one.

    `spec` is a folder or `pypi:NAME==VERSION`. With `read_only` nothing lasting is written: a
    distribution is unpacked into a temporary folder. Raises UsageError for a spec that names no
    tree and for a folder with uncommitted changes that would be ported in place.
    """
    if spec.startswith(PYPI_PREFIX):
        requirement = spec.removeprefix(PYPI_PREFIX)
        if output is None and not read_only:
            raise UsageError(f"{spec}: say where to put it, with --output DIR")
        sdist = registry.fetch_sdist(requirement, cache_dir=user_cache() / "sdists")
        if output is None or read_only:
            with tempfile.TemporaryDirectory(prefix="warp2wave-") as scratch:
                yield archives.unpack(sdist, Path(scratch) / "tree")
        else:
            yield archives.unpack(sdist, output)
        return
    root = Path(spec)
    if not root.is_dir():
        raise UsageError(f"{spec}: not a folder")
    if read_only:
        yield root
    elif output is not None:
        writes.copy_tree(root, output)
        yield output
    else:
        dirty = () if allow_dirty else writes.uncommitted_changes(root)
        if dirty:
            shown = ", ".join(dirty[:3]) + (" …" if len(dirty) > 3 else "")
            raise UsageError(
                f"{spec} has uncommitted changes ({shown}); commit them, or pass --allow-dirty"
            )
        yield root
