"""A scan as JSON: the contract of `scan --format json`, and of `explain --format json`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from warp2wave.baseline import Compared
from warp2wave.estimate import Estimate
from warp2wave.inventory import Inventory
from warp2wave.model import Finding
from warp2wave.rules.rule import Rule
from warp2wave.rules.view import View
from warp2wave.scanning import Scan

SCHEMA = 1


def scan_record(scan: Scan, compared: Compared | None = None) -> dict[str, Any]:
    """Return everything a scan says; handled findings are among the others, marked so."""
    views = {view.path: view for view in scan.views}
    record = {
        "schema": SCHEMA,
        "command": "scan",
        "root": str(scan.root),
        "targets": [f"hip:{target.arch}" for target in scan.targets],
        "findings": [_finding(finding, views[finding.path]) for finding in scan.findings],
        "files": {
            "read": len(scan.files),
            "lines": scan.lines,
            "characters": scan.characters,
            "with_findings": len({finding.path for finding in scan.findings}),
        },
        "apis": _apis(scan.inventory),
        "estimate": _estimate(scan.estimate),
        "silenced": scan.silenced,
        "skipped": [{"path": str(s.path), "reason": s.reason} for s in scan.skipped],
        "warnings": list(scan.warnings),
    }
    if compared is not None:
        record["baseline"] = {"known": compared.known, "no_longer_found": compared.gone}
    return record


def _finding(finding: Finding, view: View) -> dict[str, Any]:
    end_line, end_column = view.document.line_column(finding.end)
    fix = finding.fix
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "path": finding.path.as_posix(),
        "line": finding.line,
        "column": finding.column,
        "end_line": end_line,
        "end_column": end_column,
        "message": finding.message,
        "condition": finding.condition,
        "effort": finding.effort,
        "handled_by_compat": finding.handled,
        "fix": None if fix is None else {"title": fix.title, "applicability": fix.applicability},
    }


def _apis(inventory: Inventory) -> dict[str, Any]:
    return {
        "used": len(inventory.names),
        "by_status": dict(sorted(inventory.by_status.items())),
        "libraries": [
            {
                "library": library,
                "names": sum(name.library == library for name in inventory.names),
                "uses": sum(n.uses for n in inventory.names if n.library == library),
                "by_status": dict(
                    sorted(
                        Counter(n.status for n in inventory.names if n.library == library).items()
                    )
                ),
            }
            for library in inventory.libraries
        ],
        "names": [
            {field: getattr(name, field) for field in ("cuda", "hip", "library", "status", "uses")}
            for name in inventory.names
        ],
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {
        "hours": list(estimate.hours),
        "by_effort": dict(estimate.by_effort),
        "blocks": list(estimate.blocks),
        "calibration": estimate.calibration,
    }


def rule_record(rule: Rule) -> dict[str, Any]:
    """Return one rule with its page."""
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity,
        "effort": rule.effort,
        "handled_by_compat": rule.handled,
        "summary": rule.summary,
        "page": rule.page.strip() + "\n",
    }


def page_record(rule: Rule) -> dict[str, Any]:
    """Return the answer to `explain CODE`."""
    return {"schema": SCHEMA, "command": "explain"} | rule_record(rule)


def rules_record(rules: Iterable[Rule]) -> dict[str, Any]:
    """Return all rules."""
    return {"schema": SCHEMA, "command": "explain", "rules": [rule_record(rule) for rule in rules]}
