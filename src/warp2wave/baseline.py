"""A baseline: the findings that a team knows of, kept in a file so that only new ones are told."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from warp2wave.errors import UsageError
from warp2wave.model import Finding
from warp2wave.tree import reason_of
from warp2wave.writes import replace_file

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Baseline:
    """The known findings: the code and path of each by its fingerprint."""

    known: Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Compared:
    """Findings beside a baseline: which are `new`, how many it `known`, how many are `gone`."""

    new: tuple[Finding, ...]
    known: int
    gone: int


def fingerprints(
    findings: Iterable[Finding], texts: Mapping[PurePosixPath, str]
) -> tuple[str, ...]:
    """Return what tells each finding apart from others and stays when lines move.

    It is made of the code, the path, the line's text without its blanks, and the number of the
    occurrence among equals.
    """
    lines = {path: _lines(text) for path, text in texts.items()}
    seen: Counter[str] = Counter()
    found: list[str] = []
    for finding in findings:
        line = "".join(lines[finding.path][finding.line - 1].split())
        same = "\0".join((finding.code, finding.path.as_posix(), line))
        seen[same] += 1
        whole = f"{same}\0{seen[same]}".encode("utf-8", "surrogateescape")
        found.append(hashlib.sha256(whole).hexdigest()[:32])
    return tuple(found)


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def baseline_record(
    findings: Iterable[Finding], texts: Mapping[PurePosixPath, str]
) -> dict[str, Any]:
    """Return a baseline as JSON: open findings only, since one handled today may open tomorrow."""
    every = tuple(findings)
    pairs = zip(fingerprints(every, texts), every, strict=True)
    return {
        "schema": SCHEMA,
        "command": "baseline",
        "findings": [
            {"fingerprint": print_, "code": finding.code, "path": finding.path.as_posix()}
            for print_, finding in pairs
            if not finding.handled
        ],
    }


def write_baseline(place: Path, record: Mapping[str, Any]) -> None:
    """Write a baseline in one step: what stood there stays whole until the new one is."""
    content = (json.dumps(record, indent=1) + "\n").encode("ascii")
    try:
        replace_file(place, content)
    except OSError as error:
        raise UsageError(f"{place}: cannot be written: {reason_of(error)}") from None


def read_baseline(place: Path) -> Baseline:
    """Read a baseline. Raises UsageError for a file that is none, or of a later schema."""
    try:
        data = json.loads(place.read_bytes())
        if data["schema"] != SCHEMA or data["command"] != "baseline":
            raise UsageError(f"{place}: not a baseline that this version can read")
        return baseline_of(data)
    except OSError as error:
        raise UsageError(f"{place}: cannot be read: {reason_of(error)}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UsageError(f"{place}: not a baseline; make one with --write-baseline") from None


def baseline_of(record: Mapping[str, Any]) -> Baseline:
    """Return what a baseline's JSON says."""
    return Baseline(
        {
            str(entry["fingerprint"]): (str(entry["code"]), str(entry["path"]))
            for entry in record["findings"]
        }
    )


def compare(
    findings: Iterable[Finding],
    texts: Mapping[PurePosixPath, str],
    baseline: Baseline,
    codes: frozenset[str],
) -> Compared:
    """Return the findings that a baseline does not know.

    Those that it knows and that are gone count only if their code was looked for.
    """
    every = tuple(findings)
    marks = fingerprints(every, texts)
    pairs = tuple(zip(marks, every, strict=True))
    new = tuple(f for mark, f in pairs if f.handled or mark not in baseline.known)
    present = {mark for mark, f in pairs if not f.handled}
    gone = sum(code in codes and mark not in present for mark, (code, _) in baseline.known.items())
    return Compared(new, len(every) - len(new), gone)
