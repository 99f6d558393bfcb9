"""Run rules over files: which rule looks at which file, and what of its hits is reported."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from warp2wave.model import Finding
from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.suppression import read_suppressions
from warp2wave.rules.view import View


def check_views(
    views: Sequence[View], rules: Sequence[Rule], context: Context, *, suppressed: bool = False
) -> tuple[Finding, ...]:
    """Return the findings of all files, by file and place. `suppressed` keeps silenced ones too.

    Text that a HIP build certainly leaves out has none.
    """
    found: list[Finding] = []
    for view in views:
        found += check_view(view, rules, context, suppressed=suppressed)
    return tuple(found)


def check_view(
    view: View, rules: Sequence[Rule], context: Context, *, suppressed: bool = False
) -> tuple[Finding, ...]:
    """Return the findings of one file in the order of its text."""
    silent = read_suppressions(view.text)
    found: dict[tuple[str, int, int], Finding] = {}
    for rule in _worth_running(view, rules):
        for hit in rule.check(view, context):
            if not hit.anywhere and not view.on_hip(hit.start):
                continue
            finding = _finding(view, rule, hit)
            if suppressed or not silent.silences(finding.code, finding.line):
                found.setdefault((finding.code, finding.start, finding.end), finding)
    return tuple(sorted(found.values(), key=lambda finding: (finding.start, finding.code)))


def _finding(view: View, rule: Rule, hit: Hit) -> Finding:
    line, column = view.document.line_column(hit.start)
    condition = view.document.conditions.at(hit.start) if view.kind == "source" else None
    handled = rule.handled and not view.native if hit.handled is None else hit.handled
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=hit.severity or rule.severity,
        effort=hit.effort or rule.effort,
        path=view.path,
        start=hit.start,
        end=hit.end,
        line=line,
        column=column,
        message=hit.message,
        condition="" if condition is None else _without_include_guard(str(condition)),
        handled=handled,
        fix=hit.fix,
    )


# `#ifndef FOO_H` around a whole header says nothing about where it is compiled.
_GUARD = re.compile(
    r"^\(!defined\(\w+(?:_H|_HPP|_CUH|_H_|_HPP_|_CUH_|_INCLUDED|_GUARD)\)\)(?: && )?"
)


def _without_include_guard(condition: str) -> str:
    return _GUARD.sub("", condition)


def _worth_running(view: View, rules: Sequence[Rule]) -> Iterator[Rule]:
    words = view.words
    starts: frozenset[str] | None = None
    for rule in rules:
        if view.kind not in rule.kinds:
            continue
        if not rule.words and not rule.prefixes:
            yield rule
            continue
        if not rule.words.isdisjoint(words):
            yield rule
            continue
        if rule.prefixes:
            if starts is None:
                starts = _prefixes_of(words, tuple(sorted({p for r in rules for p in r.prefixes})))
            if not starts.isdisjoint(rule.prefixes):
                yield rule


@cache
def _prefix_pattern(prefixes: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(prefix) for prefix in sorted(prefixes, reverse=True)))


def _prefixes_of(words: Iterable[str], prefixes: tuple[str, ...]) -> frozenset[str]:
    """Return which of the prefixes begin one of the words: the longest for each, and its own."""
    if not prefixes:
        return frozenset()
    pattern = _prefix_pattern(prefixes)
    longest = {match[0] for word in words if (match := pattern.match(word))}
    return frozenset(p for p in prefixes for hit in longest if hit.startswith(p))
