"""Copy a tree so that the copy can be ported and the original stays as it is."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from warp2wave.errors import UsageError
from warp2wave.model import SkippedFile
from warp2wave.tree import STATE_FOLDER, is_environment, open_root, reason_of

# Made anew by any build, holding the original's absolute paths, or the original's own undo.
_NOT_COPIED = frozenset({STATE_FOLDER, "__pycache__", "node_modules", ".tox", ".nox"})


def copy_tree(
    source: str | os.PathLike[str], destination: str | os.PathLike[str]
) -> tuple[SkippedFile, ...]:
    """Copy the folder `source` to `destination`, which must not exist or be empty.

    Permissions and times are kept. Links stay links: relative ones as they are, others so that they
    lead into the copy when they led into `source` and to the same place as before otherwise. Left
    out: caches, virtual environments, CMake build folders, the original's undo journal, and a
    `destination` that lies inside `source`. Returns what could not be copied and why (special
    files, unreadable ones). Raises UsageError, leaving nothing behind, when the copy fails.
    """
    top = open_root(source)
    target = Path(destination).absolute()
    try:
        existed = target.exists()
        if existed and (not target.is_dir() or any(target.iterdir())):
            raise UsageError(f"{destination}: exists and is not an empty folder")
        target.mkdir(parents=True, exist_ok=True)
        place = target.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{destination}: {reason_of(error)}") from None
    skipped: list[SkippedFile] = []
    try:
        folders: list[tuple[Path, Path]] = []
        for entry, path in _entries(top, place, skipped):
            if entry.is_symlink():
                _copy_link(top, place, path)
            elif entry.is_dir(follow_symlinks=False):
                (place / path).mkdir()
                folders.append((top / path, place / path))
            elif entry.is_file(follow_symlinks=False):
                _copy_file(top, place, path, skipped)
            else:
                skipped.append(SkippedFile(path, "not a regular file"))
        # Last and innermost first, since a folder may be read-only and files change its time.
        for old, new in reversed([(top, place), *folders]):
            shutil.copystat(old, new)
    except BaseException as error:
        shutil.rmtree(place, ignore_errors=True)
        if existed:
            place.mkdir(exist_ok=True)
        if isinstance(error, OSError):
            raise UsageError(f"{destination}: cannot be copied to: {error}") from error
        raise
    return tuple(skipped)


def _entries(
    top: Path, place: Path, skipped: list[SkippedFile]
) -> Iterator[tuple[os.DirEntry[str], PurePosixPath]]:
    """Yield what is to be copied, folders before what lies in them."""
    folders = [PurePosixPath()]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(top / folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            skipped.append(SkippedFile(folder, f"cannot be read: {reason_of(error)}"))
            continue
        for entry in entries:
            path = folder / entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name in _NOT_COPIED or is_environment(top / path) or top / path == place:
                    continue
                if (top / path / "CMakeCache.txt").exists():
                    continue
                folders.append(path)
            elif entry.name == ".git" and _leads_elsewhere(top, path):
                continue
            yield entry, path


def _leads_elsewhere(top: Path, path: PurePosixPath) -> bool:
    """Say whether a `.git` file names a repository outside the tree.

    A copy of it would share that repository's index with the original.
    """
    try:
        text = (top / path).read_bytes()[:4096]
        name = Path(os.fsdecode(text.removeprefix(b"gitdir:").strip()))
        return name.is_absolute() or not (top / path.parent / name).resolve().is_relative_to(top)
    except (OSError, RuntimeError, ValueError):
        return True


def _copy_link(top: Path, place: Path, path: PurePosixPath) -> None:
    text = (top / path).readlink()
    try:
        target = (top / path.parent / text).resolve()
    except (OSError, RuntimeError):
        target = top / path  # a loop: it leads nowhere here or there
    if target.is_relative_to(top):
        # `../tree/x.h` leads back into the tree under a name that the copy does not have.
        if text.is_absolute() or os.path.normpath(path.parent / text).startswith(".."):
            text = Path(os.path.relpath(place / target.relative_to(top), (place / path).parent))
    elif not text.is_absolute():
        text = target
    (place / path).symlink_to(text)


def _copy_file(top: Path, place: Path, path: PurePosixPath, skipped: list[SkippedFile]) -> None:
    try:
        (top / path).open("rb").close()
    except OSError as error:
        skipped.append(SkippedFile(path, f"cannot be read: {reason_of(error)}"))
        return
    shutil.copy2(top / path, place / path, follow_symlinks=False)
    # A copy that its owner cannot write could not be ported.
    mode = stat.S_IMODE((place / path).stat().st_mode)
    if not mode & stat.S_IWUSR and path.parts[0] != ".git":
        (place / path).chmod(mode | stat.S_IWUSR)
