"""Write into a user's tree so that nothing is ever lost: all or nothing, and undone on request.

Before the first file changes, the originals and a journal go to `.warp2wave/undo/` of the tree;
every file is then replaced by a rename. The journal is written first, so a run that is killed half
way can be undone too. A file that changed since it was read is never overwritten.

A path that is a link to a file of the tree means that file: the link stays a link. A link that
leads out of the tree is refused.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from warp2wave import journal as journals
from warp2wave.copying import copy_tree
from warp2wave.errors import UsageError
from warp2wave.gitstate import uncommitted_changes
from warp2wave.journal import JOURNAL, UNDO_FOLDER, Entry, Journal
from warp2wave.tree import STATE_FOLDER, digest, open_root, reason_of

__all__ = [
    "Write",
    "can_undo",
    "copy_tree",
    "replace_file",
    "uncommitted_changes",
    "undo",
    "write_files",
    "written_files",
]

_STATE = PurePosixPath(STATE_FOLDER)
_DISCARDED = _STATE / "discarded"
# Keeps the tool's own state out of the user's commits.
_IGNORE = _STATE / ".gitignore"
_CHANGED = "changed while it was being worked on; run again"


@dataclass(frozen=True, slots=True)
class Write:
    """New content for one file, None to remove it.

    `expected` is the SHA-256 of the bytes that `content` was made from; None for a file that must
    not exist yet, "" for one that the tool owns and replaces whatever it holds.
    """

    path: PurePosixPath
    content: bytes | None
    expected: str | None


def write_files(root: str | os.PathLike[str], writes: Iterable[Write]) -> tuple[PurePosixPath, ...]:
    """Write all files or none; return those that changed (equal bytes are not written).

    Folders are made as needed. What a user put into a file that the tool owns is kept under
    `.warp2wave/discarded/`. Raises UsageError, with the tree as it was, when two writes mean one
    file, a path leads out of the tree, a file is not what it was when read, or the disk refuses.
    """
    top = open_root(root)
    pending: list[tuple[Write, bytes | None]] = []
    for write in _distinct(top, writes):
        before = _current(top, write.path)
        if before == write.content:
            continue
        if write.expected is None and before is not None:
            raise UsageError(f"{write.path}: exists already")
        if write.expected and (before is None or digest(before) != write.expected):
            raise UsageError(f"{write.path}: {_CHANGED}")
        pending.append((write, before))
    if not pending:
        return ()
    old = journals.load(top)
    modes = {item.path: item.mode for item in (old or Journal()).entries if item.original}
    made: list[PurePosixPath] = []
    done: list[tuple[PurePosixPath, bytes | None, int]] = []
    try:
        for write, _ in pending:
            if write.content is not None:
                _make_folders(top, write.path.parent, made)
        _make_folders(top, UNDO_FOLDER, made)
        if _STATE in made:
            replace_file(top / _IGNORE, b"*\n")
        _record(top, old or Journal(), pending, made)
        for write, before in pending:
            # Looked at again at the last moment: the user's editor may be open on it.
            if _current(top, write.path) != before:
                raise UsageError(f"{write.path}: {_CHANGED}")
            mode = 0 if before is None else stat.S_IMODE((top / write.path).stat().st_mode)
            done.append((write.path, before, mode))
            if write.content is None:
                (top / write.path).unlink(missing_ok=True)
            else:
                # A file that an earlier write removed comes back with its own permissions.
                replace_file(top / write.path, write.content, modes.get(write.path))
    except BaseException as error:
        _roll_back(top, done, old, made)
        if isinstance(error, OSError):
            raise UsageError(_said(top, error)) from error
        raise
    return tuple(write.path for write, _ in pending)


def undo(root: str | os.PathLike[str], force: bool = False) -> tuple[PurePosixPath, ...]:
    """Put back every file as it was before the first write; return those that changed.

    Created files and folders are removed unless something else lies in them. Raises UsageError,
    and changes nothing, when there is nothing to undo or when a file was edited since; with `force`
    such a file is put back too, and what it held is kept under `.warp2wave/discarded/`.
    """
    top = open_root(root)
    journal = journals.load(top)
    if journal is None:
        raise UsageError(f"{root}: nothing to undo (there is no {JOURNAL})")
    plan: list[tuple[Entry, bytes | None, bytes | None]] = []
    edited: list[PurePosixPath] = []
    for entry in journal.entries:
        if _real_path(top, entry.path) != entry.path:
            raise UsageError(f"{entry.path}: is behind a link now, so nothing is undone")
        original = journals.original_bytes(top, entry)
        current = _current(top, entry.path)
        if current != original:
            plan.append((entry, original, current))
            if entry.edited or _hash(current) != entry.written:
                edited.append(entry.path)
    if edited and not force:
        names = ", ".join(str(path) for path in edited)
        raise UsageError(f"changed since the port wrote it, so nothing is undone: {names}")
    try:
        for entry, original, current in plan:
            if entry.path in edited and current is not None:
                _keep(top, entry.path, current)
            if original is None:
                (top / entry.path).unlink(missing_ok=True)
            else:
                _make_folders(top, entry.path.parent, [])
                replace_file(top / entry.path, original, entry.mode)
        journals.drop(top, journal)
        _tidy(top, journal.folders)
    except OSError as error:
        # Nothing is lost: the journal goes last, and files put back already stay as they are.
        raise UsageError(f"undo stopped; run it again: {_said(top, error)}") from error
    return tuple(entry.path for entry, _, _ in plan)


def can_undo(root: str | os.PathLike[str]) -> bool:
    """Say whether the tree holds a journal of earlier writes."""
    return (Path(root) / JOURNAL).is_file()


def written_files(root: str | os.PathLike[str]) -> tuple[PurePosixPath, ...]:
    """Return the files that earlier writes changed, created or removed, as the journal has them."""
    journal = journals.load(open_root(root))
    return () if journal is None else tuple(entry.path for entry in journal.entries)


def replace_file(place: Path, content: bytes, mode: int | None = None) -> None:
    """Put `content` at `place` by a rename within its folder: whole or not at all.

    A file that exists keeps its permissions and, where the system lets us, its owner; `mode` is for
    one that does not. Raises OSError.
    """
    info: os.stat_result | None = None
    with contextlib.suppress(FileNotFoundError):
        info = place.stat()
        mode = stat.S_IMODE(info.st_mode)
    if mode is None:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    handle, name = tempfile.mkstemp(prefix=".w2w-", suffix=".tmp", dir=place.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        if info is not None and hasattr(os, "chown"):
            here = temporary.stat()
            if (info.st_uid, info.st_gid) != (here.st_uid, here.st_gid):
                with contextlib.suppress(OSError):
                    os.chown(temporary, info.st_uid, info.st_gid)
        temporary.chmod(mode)
        temporary.replace(place)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _distinct(top: Path, writes: Iterable[Write]) -> Iterator[Write]:
    """Yield the writes under the real names of their files; refuse two that mean one file."""
    seen: dict[str, PurePosixPath] = {}
    for write in writes:
        path = _real_path(top, write.path)
        # Folded, because some file systems hold one of `Axpy.h` and `axpy.h` only.
        name = path.as_posix().casefold()
        if name in seen and not _two_files(top, seen[name], path):
            raise UsageError(f"{seen[name]} and {write.path} would be written to one file")
        seen[name] = path
        yield replace(write, path=path)


def _two_files(top: Path, one: PurePosixPath, other: PurePosixPath) -> bool:
    """Say whether two names stand for two files that are there already, beside one another."""
    try:
        return not (top / one).samefile(top / other)
    except OSError:
        return False


def _real_path(top: Path, path: PurePosixPath) -> PurePosixPath:
    """Return the path below `top` that `path` leads to; UsageError when it leads elsewhere."""
    try:
        real = (top / journals.inside(str(path))).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{path}: not a path of the tree: {reason_of(error)}") from None
    if not real.is_relative_to(top) or real == top:
        raise UsageError(f"{path}: leads out of the tree")
    return PurePosixPath(real.relative_to(top).as_posix())


def _current(top: Path, path: PurePosixPath) -> bytes | None:
    """Return what a file holds now, None when there is none."""
    place = top / path
    try:
        if not stat.S_ISREG(place.lstat().st_mode):
            raise UsageError(f"{path}: not a regular file")
        return place.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(_said(top, error)) from error


def _hash(content: bytes | None) -> str | None:
    return None if content is None else digest(content)


def _make_folders(top: Path, folder: PurePosixPath, made: list[PurePosixPath]) -> None:
    """Make a folder and those above it, noting the new ones in `made`, outermost first."""
    for step in [*reversed(folder.parents), folder]:
        if not (top / step).is_dir():
            (top / step).mkdir()
            made.append(step)


def _remove_folders(top: Path, folders: Iterable[PurePosixPath]) -> None:
    """Remove those of the folders that are empty, innermost first."""
    for folder in sorted(folders, key=lambda path: len(path.parts), reverse=True):
        with contextlib.suppress(OSError):
            (top / folder).rmdir()


def _record(
    top: Path,
    journal: Journal,
    pending: Sequence[tuple[Write, bytes | None]],
    made: Sequence[PurePosixPath],
) -> None:
    """Write what undoing these writes needs: the originals first, then the journal."""
    known = {entry.path: entry for entry in journal.entries}
    entries: list[Entry] = []
    for write, before in pending:
        mode = 0 if before is None else stat.S_IMODE((top / write.path).stat().st_mode)
        entry = Entry(write.path, _hash(before), _hash(write.content), mode)
        old = known.get(write.path)
        if (
            old is not None
            and before is not None
            and entry.original
            not in (
                old.written,
                old.original,
            )
        ):
            _keep(top, write.path, before)
        elif before is not None and entry.original is not None:
            place = top / UNDO_FOLDER / entry.original
            if not place.exists():
                replace_file(place, before)
        entries.append(entry)
    journal = journal.with_writes(entries).with_folders(made)
    replace_file(top / JOURNAL, journals.dump(journal))
    journals.prune(top, journal)


def _keep(top: Path, path: PurePosixPath, content: bytes) -> None:
    """Keep bytes that are about to be overwritten, under a name that nothing has yet."""
    kept = _DISCARDED / path
    number = 1
    while (top / kept).exists():
        kept = _DISCARDED / path.with_name(f"{path.name}.{number}")
        number += 1
    _make_folders(top, kept.parent, [])
    replace_file(top / kept, content)


def _roll_back(
    top: Path,
    done: Sequence[tuple[PurePosixPath, bytes | None, int]],
    old: Journal | None,
    made: Sequence[PurePosixPath],
) -> None:
    """Leave files, folders and journal as they were before the failed run."""
    for path, before, mode in reversed(done):
        if before is None:
            (top / path).unlink(missing_ok=True)
        elif _current(top, path) != before:
            replace_file(top / path, before, mode)
    if old is None:
        # A file of the user's may stand where the journal's folder was to be.
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            (top / JOURNAL).unlink()
    else:
        replace_file(top / JOURNAL, journals.dump(old))
    journals.prune(top, old or Journal())
    _tidy(top, made)


def _tidy(top: Path, made: Iterable[PurePosixPath]) -> None:
    """Remove the folders that were made for the port, as far as nothing else lies in them."""
    made = list(made)
    _remove_folders(top, (folder for folder in made if folder != _STATE))
    if _STATE in made and (top / _STATE).is_dir():
        if [place.name for place in (top / _STATE).iterdir()] == [_IGNORE.name]:
            (top / _IGNORE).unlink()
        _remove_folders(top, [_STATE])


def _said(top: Path, error: OSError) -> str:
    """Put a system's refusal in one line, with the file's name in the tree."""
    name = str(error.filename) if error.filename else str(top)
    with contextlib.suppress(ValueError):
        name = str(Path(name).relative_to(top))
    return f"{name}: {reason_of(error)}"
