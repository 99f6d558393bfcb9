"""SARIF: valid by the official schema, places in UTF-16 columns, stable fingerprints."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from scanned_trees import MASK, SPACED, tree

from warp2wave.sarif import sarif_log
from warp2wave.scanning import Scan, scan

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "data" / "sarif-schema-2.1.0.json").read_text("utf-8")
)


def log_of(found: Scan, root: Path | None = None) -> dict[str, Any]:
    log = json.loads(json.dumps(sarif_log(found, root=root)))
    validator = jsonschema.Draft7Validator(SCHEMA, format_checker=jsonschema.FormatChecker())
    assert [error.message for error in validator.iter_errors(log)] == []
    run = log["runs"][0]
    assert isinstance(run, dict)
    return run


def test_the_schema_can_refuse(tmp_path: Path) -> None:
    log = sarif_log(scan(tree(tmp_path, {"a.cu": SPACED})), root=None)
    log["runs"][0]["results"][0]["level"] = "grave"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(log, SCHEMA)


def test_a_result_has_its_rule_place_and_fix(tmp_path: Path) -> None:
    run = log_of(scan(tree(tmp_path, {"a.cu": SPACED})), tmp_path)
    result = run["results"][0]
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert (result["ruleId"], rule["id"], rule["name"]) == (
        ("W2W101", "W2W101", "SpacedLaunchBrackets")
    )
    assert "## Why is this bad" in rule["help"]["markdown"]
    assert result["level"] == rule["defaultConfiguration"]["level"] == "error"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a.cu", "uriBaseId": "SRCROOT"}
    assert place["region"] == {"startLine": 3, "startColumn": 4, "endLine": 3, "endColumn": 8}
    [change] = result["fixes"][0]["artifactChanges"]
    assert [r["insertedContent"]["text"] for r in change["replacements"]] == ["<<<", ">>>"]
    assert run["originalUriBaseIds"]["SRCROOT"]["uri"] == f"{tmp_path.resolve().as_uri()}/"


def test_columns_count_utf_16_units(tmp_path: Path) -> None:
    text = SPACED.replace("  k<<", "  /*\U0001f600é*/k<<")
    run = log_of(scan(tree(tmp_path, {"a.cu": text})))
    assert run["columnKind"] == "utf16CodeUnits"
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region["startColumn"] == 4 + len("/*\U0001f600é*/".encode("utf-16-le")) // 2


@pytest.mark.parametrize(
    ("name", "uri"),
    [("two words.cu", "two%20words.cu"), ("ö/a#b?%.cu", "%C3%B6/a%23b%3F%25.cu")],
)
def test_paths_are_uris(tmp_path: Path, name: str, uri: str) -> None:
    run = log_of(scan(tree(tmp_path, {name: SPACED})), tmp_path)
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == uri


def test_fingerprints_stay_when_lines_move(tmp_path: Path) -> None:
    before = log_of(scan(tree(tmp_path, {"a.cu": SPACED})))["results"][0]
    after = log_of(scan(tree(tmp_path, {"a.cu": "\n\n" + SPACED})))["results"][0]
    assert before["locations"] != after["locations"]
    assert before["partialFingerprints"] == after["partialFingerprints"]


def test_handled_findings_are_suppressed_notes(tmp_path: Path) -> None:
    results = log_of(scan(tree(tmp_path, {"a.cu": MASK})))["results"]
    assert results
    for result in results:
        assert result["level"] == "note"
        assert result["suppressions"][0]["kind"] == "external"


def test_skipped_files_and_bytes_that_are_no_text_are_still_valid(tmp_path: Path) -> None:
    root = tree(tmp_path, {"b.cu": b"\0" * 99, "a.cu": b"// \xff\n" + SPACED.encode()})
    found = scan(root)
    odd = replace(found.findings[0], message="caf\udce9", condition="defined(\udce9)")
    run = log_of(replace(found, findings=(odd,)))
    assert run["results"][0]["message"]["text"] == "caf?"
    [said] = run["invocations"][0]["toolExecutionNotifications"]
    assert said["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "b.cu"


def test_a_proposal_is_no_fix_that_a_service_applies(tmp_path: Path) -> None:
    found = scan(tree(tmp_path, {"a.cu": SPACED}))
    finding = found.findings[0]
    assert finding.fix is not None
    shown = replace(finding, fix=replace(finding.fix, applicability="display"))
    result = log_of(replace(found, findings=(shown,)))["results"][0]
    assert "fixes" not in result
    assert result["properties"]["fixApplicability"] == "display"
