"""A scan and the pages of rules as people read them: lines of text, for `cli` to print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby

from rich.console import Console, RenderableType
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from warp2wave.baseline import Compared
from warp2wave.estimate import Estimate
from warp2wave.inventory import Inventory
from warp2wave.model import Finding, Severity
from warp2wave.rules.rule import Rule
from warp2wave.scanning import Scan
from warp2wave.views import plural

_STYLES: dict[Severity, str] = {
    "error": "red",
    "warning": "yellow",
    "performance": "cyan",
    "note": "dim",
}
_SKIPPED_SHOWN = 5
# From how many files a bar is worth its flicker.
_MANY_FILES = 40


def scan_text(
    scan: Scan, name: str, *, show_handled: bool = False, compared: Compared | None = None
) -> Iterable[RenderableType]:
    """Each open finding by file and place, then the summary."""
    shown = scan.findings if show_handled else scan.open_findings
    for path, findings in groupby(shown, key=lambda finding: finding.path):
        yield str(path)
        for finding in findings:
            yield _finding_line(finding)
        yield ""
    yield from _summary(scan, name, show_handled, compared)


def _finding_line(finding: Finding) -> Text:
    fix = finding.fix
    line = Text(f"  {finding.line}:{finding.column}  {finding.code} ")
    line.append(finding.severity, style=_STYLES[finding.severity])
    # Controls would drive the terminal; `Text` is not cleaned by the command line.
    line.append(f"  {_clean(finding.message)}")
    if finding.condition:
        line.append(f" [if {_clean(finding.condition)}]", style="dim")
    if finding.handled:
        line.append(" (handled by the port)", style="dim")
    if fix is not None:
        kind = {"safe": "fix", "unsafe": "fix, to be looked at", "display": "proposal"}
        line.append(f" ({kind[fix.applicability]}: {_clean(fix.title)})", style="green")
    return line


def _clean(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _summary(scan: Scan, name: str, show_handled: bool, compared: Compared | None) -> Iterator[str]:
    estimate = scan.estimate
    by_severity = Counter(finding.severity for finding in scan.open_findings)
    targets = ", ".join(f"hip:{target.arch}" for target in scan.targets)
    yield name
    read = f"{plural(len(scan.files), 'file')}, {plural(scan.lines, 'line')}"
    yield f"  read      {read}; for {targets}"
    yield f"  uses      {_uses(scan.inventory)}"
    handled = Counter(finding.code for finding in scan.findings if finding.handled)
    if handled:
        codes = ", ".join(f"{count} {code}" for code, count in sorted(handled.items()))
        yield (
            f"  handled   {plural(handled.total(), 'finding')} that the port keeps right: {codes}"
            + ("" if show_handled else " (--show-handled lists them)")
        )
    errors = by_severity["error"]
    yield "  blocks    " + (
        f"{plural(errors, 'error')}: {', '.join(estimate.blocks)}" if errors else "nothing found"
    )
    looks = [
        plural(by_severity["warning"], "warning"),
        f"{by_severity['performance']} on performance",
        plural(by_severity["note"], "note"),
    ]
    yield f"  look at   {', '.join(looks)}"
    fixable = sum(f.fix is not None and f.fix.applicability == "safe" for f in scan.open_findings)
    if fixable:
        yield f"  fixes     {plural(fixable, 'finding')} with a safe fix"
    if scan.silenced:
        yield f"  silenced  {plural(scan.silenced, 'finding')} by comments or the configuration"
    if compared is not None:
        yield (
            f"  baseline  {plural(compared.known, 'finding')} known, "
            f"{compared.gone} no longer found"
        )
    for skipped in scan.skipped[:_SKIPPED_SHOWN]:
        yield f"  left      {skipped.path}: {skipped.reason}"
    if len(scan.skipped) > _SKIPPED_SHOWN:
        yield f"  left      {len(scan.skipped) - _SKIPPED_SHOWN} more"
    for warning in scan.warnings:
        yield f"  note      {warning}"
    yield f"  estimate  {_estimate_line(estimate)}"
    yield f"  next      {_next_step(scan, name)}"


def _uses(inventory: Inventory) -> str:
    if not inventory.names:
        return "no CUDA names"
    counts = inventory.by_status
    words = {
        "same": "the same or renamed",
        "compat": "defined by the port",
        "changed": "that differ",
        "unverified": "unverified",
        "missing": "without a counterpart",
        "unknown": "not in the map",
    }
    parts = ", ".join(
        f"{counts[status]} {said}" for status, said in words.items() if counts[status]
    )
    libraries = ", ".join(library for library in inventory.libraries if library)
    return f"{plural(len(inventory.names), 'CUDA name')} of {libraries}: {parts}"


def _estimate_line(estimate: Estimate) -> str:
    low, high = estimate.hours
    if not high:
        return "no open finding to work on"
    return f"{low:g} to {high:g} hours for the open findings ({estimate.calibration})"


def _next_step(scan: Scan, name: str) -> str:
    for severity in ("error", "warning"):
        for finding in scan.open_findings:
            if finding.severity == severity:
                return f"warp2wave explain {finding.code}"
    return f"warp2wave port {name}" + (" --output DIR" if name.startswith("pypi:") else "")


def rule_page(rule: Rule, *, markdown: bool) -> Iterable[RenderableType]:
    """Return the page of one rule: set on a terminal, as it is written in a pipe."""
    handled = "; the port's headers keep it right" if rule.handled else ""
    yield f"{rule.code} {rule.name}: {rule.severity}, effort {rule.effort}{handled}"
    yield ""
    page = rule.page.strip()
    yield Markdown(page) if markdown else page


def rules_text(rules: Sequence[Rule]) -> Iterable[str]:
    """Return one line a rule."""
    width = max((len(rule.name) for rule in rules), default=0)
    for rule in rules:
        yield f"{rule.code}  {rule.severity:11}  {rule.name:{width}}  {rule.summary}"


@contextmanager
def scan_progress(console: Console) -> Iterator[Callable[[int, int], None] | None]:
    """Show a bar on a terminal for a large tree; silence in a pipe."""
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("scanning"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("scanning", total=None, visible=False)

        def show(done: int, total: int) -> None:
            bar.update(task, total=total, completed=done, visible=total >= _MANY_FILES)

        yield show
