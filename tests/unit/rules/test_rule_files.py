"""Every rule against its Markdown file in tests/rules/, and against the example of its own page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest

from warp2wave.model import Finding
from warp2wave.port.edits import apply_edits
from warp2wave.rules.check import check_view
from warp2wave.rules.context import Context
from warp2wave.rules.registry import all_rules
from warp2wave.rules.rule import FileKind, Rule
from warp2wave.rules.suppression import read_suppressions
from warp2wave.rules.view import View
from warp2wave.targets import DEFAULT_TARGETS, find_target

FOLDER = Path(__file__).parents[2] / "rules"
_SECTION = re.compile(r"^## (finds|leaves alone|handles)\b:?(.*)$", re.MULTILINE)
_BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r"\b(W2W\d\d\d)\b")
_KINDS: dict[str, FileKind] = {
    "cuda": "source",
    "cpp": "source",
    "python": "python",
    "cmake": "cmake",
    "toml": "toml",
    "text": "text",
}
_NAMES = {
    "source": "code.cu",
    "python": "setup.py",
    "cmake": "CMakeLists.txt",
    "toml": "pyproject.toml",
    "text": "Dockerfile",
}
PAGE_PARTS = ("## What it does", "## Why is this bad", "## Example", "## Use instead")


@dataclass(frozen=True)
class Case:
    """One section: its files, which lines of them must be found, and the text after the fixes."""

    code: str
    title: str
    verb: str
    views: tuple[View, ...]
    fixed: str | None
    targets: tuple[str, ...]


def cases_of(path: Path) -> list[Case]:
    text = path.read_text("utf-8")
    heads = list(_SECTION.finditer(text))
    found = []
    for head, after in zip(heads, [*heads[1:], None], strict=True):
        body = text[head.end() : after.start() if after else len(text)]
        views: list[View] = []
        fixed = None
        targets: tuple[str, ...] = DEFAULT_TARGETS
        for language, options, block in _BLOCK.findall(body):
            if language == "fixed":
                fixed = block
                continue
            settings = dict(item.partition("=")[::2] for item in options.split())
            kind = _KINDS[language]
            name = PurePosixPath(settings.get("path", _NAMES[kind]))
            native = "native" in settings or read_suppressions(block).native_waves
            views.append(View(name, block, kind, native=native))
            if "targets" in settings:
                targets = tuple(settings["targets"].split(","))
        title = head[2].strip()
        found.append(Case(path.stem[:6], title, head[1], tuple(views), fixed, targets))
    return found


CASES = [case for path in sorted(FOLDER.glob("W2W*.md")) for case in cases_of(path)]


def findings_of(case: Case) -> list[Finding]:
    rules = [rule for rule in all_rules() if rule.code == case.code]
    context = Context(case.views, [find_target(name) for name in case.targets])
    return [finding for view in case.views for finding in check_view(view, rules, context)]


def marked(view: View, code: str) -> list[tuple[str, int]]:
    return [
        (str(view.path), number)
        for number, line in enumerate(view.text.split("\n"), 1)
        for mark in _MARK.findall(line)
        if mark == code and "w2w:" not in line
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code} {case.verb} {case.title}")
def test_the_file_s_section_holds(case: Case) -> None:
    found = findings_of(case)
    wanted = [place for view in case.views for place in marked(view, case.code)]
    assert case.views
    assert sorted((str(f.path), f.line) for f in found) == sorted(wanted)
    assert bool(wanted) is (case.verb != "leaves alone")
    if case.verb == "finds":
        assert not all(finding.handled for finding in found)
    if case.verb == "handles":
        assert all(finding.handled for finding in found)
    if case.fixed is not None:
        edits = [edit for f in found if f.fix for edit in f.fix.edits]
        assert edits
        fixed = apply_edits(case.views[0].text, edits)
        assert fixed == case.fixed
        again = View(case.views[0].path, fixed, case.views[0].kind, native=case.views[0].native)
        context = Context((again, *case.views[1:]), [find_target(name) for name in case.targets])
        rules = [rule for rule in all_rules() if rule.code == case.code]
        assert not [f for f in check_view(again, rules, context) if f.fix]


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_every_rule_has_its_cases(rule: Rule) -> None:
    verbs = {case.verb for case in CASES if case.code == rule.code}
    assert verbs & {"finds", "handles"}, f"tests/rules/{rule.code}.md: no finding"
    assert "leaves alone" in verbs, f"tests/rules/{rule.code}.md: no near miss"


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_a_rule_that_offers_fixes_shows_one(rule: Rule) -> None:
    cases = [case for case in CASES if case.code == rule.code]
    fixes = [f.fix for case in cases for f in findings_of(case) if f.fix]
    offers = any(fix.applicability != "display" for fix in fixes)
    shows = any(case.fixed is not None for case in cases)
    assert shows or not offers, f"tests/rules/{rule.code}.md: no fixed text"


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_the_page_s_own_example_is_found_and_its_cure_is_not(rule: Rule) -> None:
    for part in PAGE_PARTS:
        assert part in rule.page, f"{rule.code}: the page lacks {part!r}"
    example = page_views(rule, "## Example")
    cure = page_views(rule, "## Use instead")
    targets = [find_target(name) for name in DEFAULT_TARGETS]
    assert example and cure
    context = Context(example, targets)
    assert any(check_view(view, [rule], context) for view in example)
    context = Context(cure, targets)
    assert not any(
        not finding.handled for view in cure for finding in check_view(view, [rule], context)
    )


def page_views(rule: Rule, heading: str) -> tuple[View, ...]:
    body = rule.page.partition(heading)[2].partition("\n## ")[0]
    return tuple(
        View(PurePosixPath(_NAMES[_KINDS[language]]), block, _KINDS[language])
        for language, _, block in _BLOCK.findall(body)
        if language in _KINDS
    )


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_a_rule_never_raises_on_cut_text(rule: Rule) -> None:
    for case in (case for case in CASES if case.code == rule.code):
        for view in case.views:
            for stop in range(0, len(view.text), max(1, len(view.text) // 40)):
                cut = View(view.path, view.text[:stop], view.kind, native=view.native)
                check_view(cut, [rule], Context((cut,), [find_target("gfx90a")]))
