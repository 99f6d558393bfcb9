"""`scan` and `explain` as people and programs use them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import KERNEL, make, process, snapshot

FINDING_KEYS = ("code", "name", "severity", "path", "line", "column", "message", "condition")


def test_findings_exit_1_and_change_nothing(w2w, tmp_path: Path) -> None:
    root = make(tmp_path / "t", {"csrc/a.cu": KERNEL})
    before = snapshot(root)
    ran = w2w("scan", root)
    assert ran.code == 1
    assert ran.text.startswith("csrc/a.cu\n")
    assert "\n  8:5  W2W101 error  " in ran.text
    assert "  blocks    1 error: W2W101\n" in ran.text
    assert "  next      warp2wave explain W2W101\n" in ran.text
    assert "\x1b" not in ran.text
    assert ran.said == ""
    assert snapshot(root) == before


def test_nothing_open_exits_0(w2w, tmp_path: Path) -> None:
    root = make(tmp_path / "t", {"a.cu": b"__global__ void k() {}\n"})
    ran = w2w("scan", root)
    assert ran.code == 0
    assert "  blocks    nothing found\n" in ran.text
    assert f"  next      warp2wave port {root}\n" in ran.text
    assert w2w("scan", make(tmp_path / "empty", {})).code == 0


def test_json_has_what_the_contract_says(w2w, tmp_path: Path) -> None:
    root = make(tmp_path / "t", {"csrc/a.cu": KERNEL})
    ran = w2w("scan", "--format", "json", root)
    assert ran.code == 1
    record = ran.json
    assert record["schema"] == 1
    assert record["root"] == str(root)
    [finding] = [item for item in record["findings"] if item["code"] == "W2W101"]
    assert set(FINDING_KEYS) <= set(finding)
    assert (finding["path"], finding["line"], finding["column"]) == ("csrc/a.cu", 8, 5)
    assert finding["handled_by_compat"] is False
    assert finding["fix"]["applicability"] == "safe"
    assert record["files"]["read"] == 1
    used = {name["cuda"]: name for name in record["apis"]["names"]}
    assert used["cudaDeviceSynchronize"]["hip"] == "hipDeviceSynchronize"
    assert record["estimate"]["blocks"] == ["W2W101"]
    low, high = record["estimate"]["hours"]
    assert 0 <= low <= high


def test_handled_findings_are_counted_and_listed_when_asked_for(w2w, tmp_path: Path) -> None:
    root = make(tmp_path / "t", {"a.cu": KERNEL})
    plain, shown = w2w("scan", root), w2w("scan", "--show-handled", root)
    assert "that the port keeps right" in plain.text
    assert "(handled by the port)" not in plain.text
    assert "(handled by the port)" in shown.text


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--fail-on", "never"), 0),
        (("--fail-on", "error"), 1),
        (("--ignore", "W2W"), 0),
        (("--select", "W2W102"), 0),
        (("--select", "spaced-launch-brackets"), 1),
        (("--select", "W2W000"), 2),
        (("--target", "hip:gfx0"), 2),
        (("--format", "xml"), 2),
        (("--jobs", "0"), 2),
        (("--baseline", "none.json"), 2),
    ],
    ids=str,
)
def test_exit_codes(w2w, tmp_path: Path, arguments: tuple[str, ...], code: int) -> None:
    root = make(tmp_path / "t", {"a.cu": KERNEL})
    assert w2w("scan", *arguments, root).code == code


@pytest.mark.parametrize("path", ["", "none", "pypi:", "a.txt"])
def test_a_path_that_is_none_is_wrong_usage(w2w, path: str) -> None:
    ran = w2w("scan", path)
    assert ran.code == 2
    assert ran.out == b""
    assert ran.said.count("\n") == 1


def test_a_baseline_silences_what_it_knows(w2w, tmp_path: Path) -> None:
    root = make(tmp_path / "t", {"a.cu": KERNEL})
    known = tmp_path / "known.json"
    written = w2w("scan", "--write-baseline", known, root)
    assert written.code == 0
    assert json.loads(known.read_bytes())["command"] == "baseline"
    make(root, {"a.cu": b"\n" + KERNEL, "b.cu": KERNEL})
    ran = w2w("scan", "--baseline", known, "--format", "json", root)
    assert ran.code == 1
    opened = [item for item in ran.json["findings"] if not item["handled_by_compat"]]
    assert {item["path"] for item in opened} == {"b.cu"}
    assert ran.json["baseline"]["no_longer_found"] == 0
    make(root, {"a.cu": b"\n", "b.cu": b"\n"})
    assert ", 0 no longer" not in w2w("scan", "--baseline", known, root).text


def test_a_single_file_and_sarif(w2w, tmp_path: Path) -> None:
    root = make(tmp_path / "t", {"a.cu": KERNEL, "b.cu": KERNEL})
    log = w2w("scan", "--format", "sarif", root / "a.cu").json
    assert log["version"] == "2.1.0"
    uris = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in log["runs"][0]["results"]
    }
    assert uris == {"a.cu"}


def test_names_and_text_do_not_drive_the_terminal(tmp_path: Path) -> None:
    root = make(tmp_path / "t", {"a\x1b[31m\nb.cu": KERNEL})
    ran = process("scan", root, env={"LC_ALL": "C"})
    assert ran.code == 1
    assert b"\x1b" not in ran.out
    assert b"a\\x1b[31m" in ran.out


def test_explain_shows_the_page_by_code_and_by_name(w2w) -> None:
    for query in ("W2W101", "w2w101", "spaced-launch-brackets"):
        ran = w2w("explain", query)
        assert ran.code == 0
        assert ran.text.startswith("W2W101 spaced-launch-brackets: error, effort ")
        assert "## Use instead" in ran.text
    record = w2w("explain", "W2W101", "--format", "json").json
    assert (record["schema"], record["code"], record["severity"]) == (1, "W2W101", "error")
    assert record["page"].startswith("Launch brackets with blanks in them.")


def test_explain_lists_every_rule(w2w) -> None:
    ran = w2w("explain", "--all")
    assert ran.code == 0
    listed = [line.split()[0] for line in ran.text.splitlines()]
    assert listed == sorted(listed)
    assert [r["code"] for r in w2w("explain", "--all", "--format", "json").json["rules"]] == listed


@pytest.mark.parametrize(
    ("typo", "near"), [("W2W1O1", "W2W101"), ("spaced-launch-bracket", "spaced-launch-brackets")]
)
def test_an_unknown_code_is_answered_with_what_was_meant(w2w, typo: str, near: str) -> None:
    ran = w2w("explain", typo)
    assert (ran.code, ran.out) == (2, b"")
    assert near in ran.said
    assert w2w("explain").code == 2
    assert w2w("explain", "W2W101", "--all").code == 2
