"""One scan as the command line asks for it: where the tree comes from, baseline, exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from warp2wave.baseline import (
    Compared,
    baseline_of,
    baseline_record,
    compare,
    read_baseline,
    write_baseline,
)
from warp2wave.errors import UsageError
from warp2wave.model import Severity
from warp2wave.rules.registry import all_rules, find_rule
from warp2wave.rules.rule import Rule
from warp2wave.scan_workers import Progress
from warp2wave.scanning import Scan, scan
from warp2wave.sources import PYPI_PREFIX, opened_tree

FailOn = Literal["error", "warning", "performance", "note", "never"]
_ORDER: tuple[Severity, ...] = ("error", "warning", "performance", "note")


@dataclass(frozen=True, slots=True)
class AskedScan:
    """A scan beside its baseline. `root` is None where the tree was a temporary one."""

    scan: Scan
    root: Path | None
    compared: Compared | None

    def fails(self, level: FailOn) -> bool:
        """True when an open finding is as severe as `level`, or more."""
        if level == "never":
            return False
        severe = _ORDER[: _ORDER.index(level) + 1]
        return any(finding.severity in severe for finding in self.scan.open_findings)


def run_scan(
    spec: str,
    *,
    targets: Sequence[str],
    select: Sequence[str],
    ignore: Sequence[str],
    baseline: Path | None = None,
    new_baseline: Path | None = None,
    jobs: int = 1,
    on_progress: Progress | None = None,
) -> AskedScan:
    """Scan a folder, a file or `pypi:NAME==VERSION`; leave out what the baseline knows.

    `new_baseline` is written from all open findings, and is then the baseline itself if no other
    is given. Raises UsageError as `scan`, `opened_tree` and `read_baseline` do.
    """
    known = None if baseline is None else read_baseline(baseline)
    fetched = spec.startswith(PYPI_PREFIX)
    if not fetched and spec and Path(spec).is_file():
        made = scan(spec, targets=targets, select=select, ignore=ignore)
    else:
        with opened_tree(spec, None, read_only=True, allow_dirty=True) as root:
            made = scan(
                root,
                targets=targets,
                select=select,
                ignore=ignore,
                jobs=jobs,
                on_progress=on_progress,
            )
    if new_baseline is not None:
        record = baseline_record(made.findings, made.texts)
        write_baseline(new_baseline, record)
        known = known or baseline_of(record)
    compared = None
    if known is not None:
        codes = frozenset(rule.code for rule in made.rules)
        compared = compare(made.findings, made.texts, known, codes)
        made = replace(made, findings=compared.new)
    return AskedScan(made, None if fetched else made.root, compared)


def rule_asked_for(query: str) -> Rule:
    """Return the rule of a code or a name. Raises UsageError that names what is spelled like it."""
    rule = find_rule(query)
    if rule is not None:
        return rule
    known = [word for rule in all_rules() for word in (rule.code, rule.name)]
    wanted = query.strip()
    near = get_close_matches(wanted.upper(), known, n=3) or get_close_matches(
        wanted.lower(), known, n=3, cutoff=0.5
    )
    hint = f"; near: {', '.join(near)}" if near else "; `warp2wave explain --all` lists them"
    raise UsageError(f"{query or 'an empty code'}: no rule has this code or name{hint}")
