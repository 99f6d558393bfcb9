"""Where a tree to port comes from: a folder, a copy of it, or a source distribution from PyPI."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warp2wave import archives, registry, writes
from warp2wave.cachedir import user_cache
from warp2wave.errors import UsageError
from warp2wave.tree import open_root, reason_of

PYPI_PREFIX = "pypi:"


@contextmanager
def opened_tree(
    spec: str, output: Path | None, *, read_only: bool, allow_dirty: bool
) -> Iterator[Path]:
    """Yield the folder to port: in place, or a copy in `output`, or a temporary one.

    `spec` is a folder or `pypi:NAME==VERSION`. With `read_only` nothing lasting is written: a
    distribution is unpacked into a temporary folder. A copy in which nothing was written is removed
    again when the caller's work on it fails, so that the next try finds no remains. Raises
    UsageError for a spec that names no tree, for an `output` inside of it, and for a folder with
    uncommitted changes that would be ported in place.
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
            there = output.is_dir()
            with _removed_on_failure(output, there):
                archives.unpack(sdist, output)
                yield output
        return
    if not spec:
        raise UsageError("the path is empty: name a folder, or . for this one")
    root = Path(spec)
    top = open_root(root)
    if read_only:
        yield root
    elif output is not None:
        there = _is_folder(output, top)
        writes.copy_tree(root, output)
        with _removed_on_failure(output, there):
            yield output
    else:
        dirty = () if allow_dirty else writes.uncommitted_changes(root)
        if dirty:
            shown = ", ".join(dirty[:3]) + (" …" if len(dirty) > 3 else "")
            raise UsageError(
                f"{spec} has uncommitted changes ({shown}); commit them, or pass --allow-dirty"
            )
        yield root


def _is_folder(output: Path, source: Path) -> bool:
    """Say whether `output` is there already; UsageError where writing it would change `source`."""
    try:
        inside = output.resolve().is_relative_to(source)
        there = output.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{output}: {reason_of(error)}") from None
    if inside:
        raise UsageError(f"{output}: lies inside the tree to port; choose a folder outside of it")
    return there


@contextmanager
def _removed_on_failure(output: Path, there: bool) -> Iterator[None]:
    """Remove a copy that holds no port yet when the work on it fails; keep an empty folder."""
    try:
        yield
    except BaseException:
        if not writes.can_undo(output):
            shutil.rmtree(output, ignore_errors=True)
            if there:
                output.mkdir(exist_ok=True)
        raise
