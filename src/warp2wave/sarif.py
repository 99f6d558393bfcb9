"""A scan as SARIF 2.1.0 (OASIS), for code-scanning services and editors.

Columns count UTF-16 code units, as `columnKind` says: what most readers of SARIF expect.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from warp2wave import __version__
from warp2wave.baseline import fingerprints
from warp2wave.model import Finding, Severity
from warp2wave.rules.rule import Rule
from warp2wave.rules.view import View
from warp2wave.scanning import Scan

VERSION = "2.1.0"
SCHEMA_URI = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_BASE = "SRCROOT"
_LEVELS: Mapping[Severity, str] = {
    "error": "error",
    "warning": "warning",
    "performance": "note",
    "note": "note",
}
_HANDLED = "The headers that `warp2wave port` adds keep this right."


def sarif_log(scan: Scan, *, root: Path | None) -> dict[str, Any]:
    """Return the log. `root`: the folder that paths are relative to, None for one that is gone."""
    views = {view.path: view for view in scan.views}
    order = {rule.code: index for index, rule in enumerate(scan.rules)}
    marks = fingerprints(scan.findings, scan.texts)
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "warp2wave",
                "semanticVersion": __version__,
                "rules": [_rule(rule) for rule in scan.rules],
            }
        },
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    *(_notification(warning) for warning in scan.warnings),
                    *(_notification(s.reason, s.path) for s in scan.skipped),
                ],
            }
        ],
        "columnKind": "utf16CodeUnits",
        "results": [
            _result(finding, views[finding.path], order[finding.code], mark)
            for finding, mark in zip(scan.findings, marks, strict=True)
        ],
    }
    if root is not None:
        run["originalUriBaseIds"] = {
            _BASE: {"uri": f"{_uri(root.resolve().as_posix(), 'file://')}/"}
        }
    return {"$schema": SCHEMA_URI, "version": VERSION, "runs": [run]}


def _rule(rule: Rule) -> dict[str, Any]:
    page = rule.page.strip()
    return {
        "id": rule.code,
        "name": "".join(part.capitalize() for part in rule.name.split("-")),
        "shortDescription": {"text": f"{rule.summary}."},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": ["portability", rule.name], "effort": rule.effort},
    }


def _notification(text: str, path: PurePosixPath | None = None) -> dict[str, Any]:
    said: dict[str, Any] = {"level": "note", "message": {"text": _plain(text)}}
    if path is not None:
        said["locations"] = [{"physicalLocation": {"artifactLocation": _artifact(path)}}]
    return said


def _result(finding: Finding, view: View, index: int, mark: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": "note" if finding.handled else _LEVELS[finding.severity],
        "message": {"text": _plain(finding.message)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": _artifact(finding.path),
                    "region": _region(view, finding.start, finding.end),
                }
            }
        ],
        "partialFingerprints": {"warp2wave/v1": mark},
        "properties": {"severity": finding.severity, "effort": finding.effort},
    }
    if finding.condition:
        result["properties"]["condition"] = _plain(finding.condition)
    if finding.handled:
        # Without a status a suppression counts as accepted; drafts of 2.1.0 call that key `state`.
        result["suppressions"] = [{"kind": "external", "justification": _HANDLED}]
    if finding.fix is not None and _is_plain("".join(edit.text for edit in finding.fix.edits)):
        replacements = [
            {
                "deletedRegion": _region(view, edit.start, edit.end),
                "insertedContent": {"text": edit.text},
            }
            for edit in finding.fix.edits
        ]
        result["properties"]["fixApplicability"] = finding.fix.applicability
        # A proposal is for people: a service must not offer it as a click.
        if finding.fix.applicability != "display" and replacements:
            result["fixes"] = [
                {
                    "description": {"text": _plain(finding.fix.title)},
                    "artifactChanges": [
                        {
                            "artifactLocation": _artifact(finding.path),
                            "replacements": replacements,
                        }
                    ],
                }
            ]
    return result


def _artifact(path: PurePosixPath) -> dict[str, Any]:
    return {"uri": _uri(path.as_posix()), "uriBaseId": _BASE}


def _uri(path: str, scheme: str = "") -> str:
    return scheme + quote(path.encode("utf-8", "surrogateescape"), safe="/")


def _region(view: View, start: int, end: int) -> dict[str, int]:
    start_line, start_column = _place(view, start)
    end_line, end_column = _place(view, end)
    return {
        "startLine": start_line,
        "startColumn": start_column,
        "endLine": end_line,
        "endColumn": end_column,
    }


def _place(view: View, offset: int) -> tuple[int, int]:
    line, column = view.document.line_column(offset)
    before = view.text[offset - column + 1 : offset]
    return line, column + sum(character > "\uffff" for character in before)


def _is_plain(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _plain(text: str) -> str:
    """Bytes that are no UTF-8 cannot stand in JSON."""
    return text if _is_plain(text) else text.encode("utf-8", "replace").decode()
