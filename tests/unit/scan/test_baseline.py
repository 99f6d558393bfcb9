"""Baselines: what is known stays silent when lines move, what is new does not."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from scanned_trees import MASK, SPACED, tree

from warp2wave.baseline import (
    baseline_record,
    compare,
    fingerprints,
    read_baseline,
    write_baseline,
)
from warp2wave.errors import UsageError
from warp2wave.scanning import Scan, scan

CODES = frozenset({"W2W101"})


def kept(found: Scan, place: Path) -> Path:
    write_baseline(place, baseline_record(found.findings, found.texts))
    return place


def test_known_findings_survive_moved_and_reindented_lines(tmp_path: Path) -> None:
    root = tree(tmp_path / "t", {"a.cu": SPACED})
    baseline = read_baseline(kept(scan(root), tmp_path / "b.json"))
    moved = "// new\n\n" + SPACED.replace("  k<< <g, b>> >", "\t k << <g,  b>> >")
    found = scan(tree(root, {"a.cu": moved}))
    result = compare(found.findings, found.texts, baseline, CODES)
    assert (result.new, result.known, result.gone) == ((), 1, 0)


def test_a_second_equal_line_is_new_and_a_removed_one_is_gone(tmp_path: Path) -> None:
    root = tree(tmp_path / "t", {"a.cu": SPACED})
    baseline = read_baseline(kept(scan(root), tmp_path / "b.json"))
    found = scan(tree(root, {"a.cu": SPACED + SPACED}))
    result = compare(found.findings, found.texts, baseline, CODES)
    assert ([f.line for f in result.new], result.known, result.gone) == ([7], 1, 0)
    found = scan(tree(root, {"a.cu": "int x;\n"}))
    result = compare(found.findings, found.texts, baseline, CODES)
    assert (result.new, result.known, result.gone) == ((), 0, 1)
    # Not looked for is not gone.
    assert compare(found.findings, found.texts, baseline, frozenset()).gone == 0


def test_handled_findings_are_not_kept(tmp_path: Path) -> None:
    found = scan(tree(tmp_path, {"a.cu": MASK}))
    assert found.findings
    assert baseline_record(found.findings, found.texts)["findings"] == []


def test_fingerprints_differ_by_file_and_are_those_of_before(tmp_path: Path) -> None:
    found = scan(tree(tmp_path, {"a.cu": SPACED, "b.cu": SPACED}))
    marks = fingerprints(found.findings, found.texts)
    assert len(set(marks)) == 2
    # Kept in users' files: SHA-256 of code, path, the line without blanks, and its number.
    whole = "\0".join(("W2W101", "a.cu", "k<<<g,b>>>(p);", "1")).encode()
    assert marks[0] == hashlib.sha256(whole).hexdigest()[:32]


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[]", b"\xff", b'{"schema": 2, "command": "baseline", "findings": []}',
     b'{"schema": 1, "command": "scan", "findings": []}',
     b'{"schema": 1, "command": "baseline", "findings": [1]}'],
)  # fmt: skip
def test_a_file_that_is_no_baseline_is_wrong_usage(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "b.json").write_bytes(content)
    with pytest.raises(UsageError, match=r"b\.json: not a baseline"):
        read_baseline(tmp_path / "b.json")


def test_what_cannot_be_written_or_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_baseline(tmp_path / "none.json")
    with pytest.raises(UsageError, match="cannot be written"):
        write_baseline(tmp_path / "none" / "b.json", {})
    place = tmp_path / "b.json"
    place.write_text("old")
    write_baseline(place, {"schema": 1})
    assert json.loads(place.read_text()) == {"schema": 1}
    assert list(tmp_path.iterdir()) == [place]
