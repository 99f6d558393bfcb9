"""The journal that makes every write into a tree undoable: `.warp2wave/undo/` of that tree.

It holds the bytes of each original under their SHA-256 and `journal.json`, which names the files.
Nothing of the user's is changed here; `writes` does that.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from warp2wave.errors import UsageError
from warp2wave.tree import STATE_FOLDER, digest

SCHEMA = 1
UNDO_FOLDER = PurePosixPath(STATE_FOLDER, "undo")
JOURNAL = UNDO_FOLDER / "journal.json"


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: SHA-256 of its original and of what was written, None where there is no file.

    `mode` is the original's permissions. `edited` tells that the user changed the file between two
    runs, so that going back to the original would lose that change.
    """

    path: PurePosixPath
    original: str | None
    written: str | None
    mode: int
    edited: bool = False


@dataclass(frozen=True, slots=True)
class Journal:
    """The files written since the tree was whole, and the folders made for them."""

    entries: tuple[Entry, ...] = ()
    folders: tuple[PurePosixPath, ...] = ()

    def with_writes(self, entries: Iterable[Entry]) -> Journal:
        """Add writes; a file already known keeps the original of its first write."""
        known = {item.path: item for item in self.entries}
        for entry in entries:
            old = known.get(entry.path)
            if old is None or entry.original == old.original:
                known[entry.path] = entry
            else:
                edited = old.edited or entry.original != old.written
                known[entry.path] = replace(old, written=entry.written, edited=edited)
        return replace(self, entries=tuple(known.values()))

    def with_folders(self, made: Iterable[PurePosixPath]) -> Journal:
        """Add folders that were made."""
        return replace(self, folders=tuple(dict.fromkeys([*self.folders, *made])))


def load(top: Path) -> Journal | None:
    """Read the tree's journal, None when there is none; UsageError when it is damaged."""
    try:
        document = json.loads((top / JOURNAL).read_bytes())
        if document["schema"] != SCHEMA:
            raise UsageError(f"{JOURNAL}: written by another version of warp2wave")
        entries = tuple(
            Entry(
                inside(item["path"]),
                _hash(item["original"]),
                _hash(item["written"]),
                int(item["mode"]) & 0o7777,
                bool(item["edited"]),
            )
            for item in document["files"]
        )
        return Journal(entries, tuple(inside(folder) for folder in document["folders"]))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{JOURNAL}: damaged, so nothing is touched: {error}") from None


def dump(journal: Journal) -> bytes:
    """Return the journal's file. Paths that are not UTF-8 survive as escaped surrogates."""
    files = [
        {
            "path": str(entry.path),
            "original": entry.original,
            "written": entry.written,
            "mode": entry.mode,
            "edited": entry.edited,
        }
        for entry in journal.entries
    ]
    folders = [str(folder) for folder in journal.folders]
    document: Mapping[str, object] = {"schema": SCHEMA, "files": files, "folders": folders}
    return json.dumps(document, indent=1).encode("ascii") + b"\n"


def original_bytes(top: Path, entry: Entry) -> bytes | None:
    """Return an entry's original, checked against its hash; None if the file was created."""
    if entry.original is None:
        return None
    try:
        content = (top / UNDO_FOLDER / entry.original).read_bytes()
    except OSError as error:
        raise UsageError(f"{entry.path}: its original cannot be read: {error}") from None
    if digest(content) != entry.original:
        raise UsageError(f"{entry.path}: its original in {UNDO_FOLDER} is damaged")
    return content


def drop(top: Path, journal: Journal) -> None:
    """Remove the journal, then its originals. Raises OSError."""
    (top / JOURNAL).unlink(missing_ok=True)
    for entry in journal.entries:
        if entry.original is not None:
            (top / UNDO_FOLDER / entry.original).unlink(missing_ok=True)


def prune(top: Path, journal: Journal) -> None:
    """Remove originals that the journal does not name, left by a run that failed."""
    wanted = {entry.original for entry in journal.entries}
    with contextlib.suppress(OSError):
        for place in (top / UNDO_FOLDER).iterdir():
            if place.name not in wanted and place.name != JOURNAL.name:
                place.unlink()


def inside(text: str) -> PurePosixPath:
    """Check a path that a stranger may have written; ValueError unless it stays in the tree."""
    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in text:
        raise ValueError(f"{text!r} is no path of the tree")
    return path


def _hash(value: object) -> str | None:
    if value is None:
        return None
    # It becomes a file name, so nothing but a hash is let through.
    if isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef"):
        return value
    raise ValueError(f"{value!r} is no SHA-256")
