"""Results of compiler runs, found again by content: nothing here depends on dates or on places.

A run is named by its command, its compiler and its source's path (`key_of`). Under that name lie
records of what the compiler read and which result it gave. A record counts only while every file it
names has the bytes it had then.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warp2wave.build.processes import HEARD_VARIABLES
from warp2wave.build.steps import Step

RECIPE = 1
"""Raise it whenever results made by an older version must not be used."""

_KEPT_RECORDS = 16


@dataclass(frozen=True, slots=True)
class Stored:
    """A result in the cache: the object file and everything the compiler said."""

    output: Path
    said: str


class FileHashes:
    """SHA-256 of files, each read once a build: a build sees one state of the tree."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, str | None] = {}

    def of(self, name: str) -> str | None:
        """The digest of a file (relative to the root or absolute), None where it is not there."""
        if name not in self._known:
            try:
                content = (self._root / name).read_bytes()
                self._known[name] = hashlib.sha256(content).hexdigest()
            except OSError:
                self._known[name] = None
        return self._known[name]

    def changed_ns(self, name: str) -> int:
        """When a file was last changed, in nanoseconds of Unix time; 0 where it is not there."""
        try:
            return (self._root / name).stat().st_mtime_ns
        except OSError:
            return 0


def key_of(step: Step, header_names: Sequence[str]) -> str:
    """Name a run. `header_names`: the tree's files an include could mean, so that a new one counts.

    The environment variables that compilers obey are part of it.
    """
    heard = {name: os.environ.get(name) for name in HEARD_VARIABLES}
    parts = (
        RECIPE,
        step.command,
        step.defines,
        step.remarks,
        str(step.source),
        step.identity,
        sorted(header_names),
        heard,
    )
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogateescape")).hexdigest()


def look_up(cache: Path, key: str, hashes: FileHashes) -> Stored | None:
    """The stored result of a run whose inputs are as they were, else None."""
    for record in _records(_record_file(cache, key)):
        if all(hashes.of(name) == digest for name, digest in record["read"].items()):
            folder = cache / "results" / record["result"]
            try:
                said = (folder / "said.txt").read_text(encoding="utf-8")
                output = folder / str(record["output"])
                if output.is_file():
                    return Stored(output, said)
            except OSError:
                continue
    return None


def store(
    cache: Path,
    key: str,
    read: Iterable[str],
    hashes: FileHashes,
    output: Path,
    said: str,
    started_ns: int,
) -> Stored:
    """Move `output` into the cache and record what was read for it; return its new place.

    A file that changed or went away since the compiler was started (`started_ns`, Unix time) leaves
    no record behind: the result is kept for this build only.
    """
    digests = {
        name: hashes.of(name) if hashes.changed_ns(name) < started_ns else None for name in read
    }
    result = hashlib.sha256(repr((key, sorted(digests.items()))).encode("utf-8", "surrogateescape"))
    name = result.hexdigest()
    folder = cache / "results" / name
    if not (folder / output.name).is_file():
        folder.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=".storing-", dir=folder.parent))
        shutil.move(output, work / output.name)
        (work / "said.txt").write_text(said, encoding="utf-8")
        try:
            work.rename(folder)
        except OSError:  # another process stored the same result first
            shutil.rmtree(work, ignore_errors=True)
    if None not in digests.values():
        place = _record_file(cache, key)
        fresh = {"read": digests, "result": name, "output": output.name}
        kept = [record for record in _records(place) if record["result"] != name]
        place.parent.mkdir(parents=True, exist_ok=True)
        temporary = place.with_name(f"{place.name}.{os.getpid()}.{os.urandom(4).hex()}")
        text = json.dumps([fresh, *kept[: _KEPT_RECORDS - 1]])
        temporary.write_text(text, encoding="ascii")
        temporary.replace(place)
    return Stored(folder / output.name, said)


def _record_file(cache: Path, key: str) -> Path:
    return cache / "runs" / key[:2] / f"{key}.json"


def _records(place: Path) -> list[dict[str, Any]]:
    try:
        records = json.loads(place.read_bytes())
    except (OSError, ValueError):
        return []
    return [
        record
        for record in (records if isinstance(records, list) else [])
        if isinstance(record, dict) and isinstance(record.get("read"), dict)
    ]


_RULE = re.compile(r"^(?:\\.|[^:\\]|:(?!\s))*:\s", re.DOTALL)


def read_depfile(text: str) -> tuple[str, ...]:
    """The prerequisites of a make rule as compilers write it, escapes undone, each once.

    Spaces and "#" are escaped with a backslash, "$" is doubled, lines continue with a backslash.
    """
    joined = text.replace("\\\r\n", " ").replace("\\\n", " ")
    rule = _RULE.match(joined)
    names: dict[str, None] = {}
    for word in re.findall(r"(?:\\[ #\\:]|[^\s])+", joined[rule.end() if rule else 0 :]):
        names[re.sub(r"\\([ #:])", r"\1", word).replace("$$", "$")] = None
    return tuple(names)
