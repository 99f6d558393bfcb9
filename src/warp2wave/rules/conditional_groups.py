"""`#if` groups that ask a question of the compiler, and the branch of each that HIP takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from warp2wave.port.platform import HIP_FACTS
from warp2wave.rules.remembered import remembered
from warp2wave.rules.view import View
from warp2wave.syntax.conditions import Condition, is_active
from warp2wave.syntax.expressions import MacroFacts

# Whoever names these has thought of AMD, here or in a branch next to it.
_AMD = re.compile(r"\b\w*(?:ROCM|HIP|AMD|GFX|MUSA|SYCL|HCC|hip)\w*\b")
_REFUSES = re.compile(
    r"#[ \t]*error\b|\b(?:static_)?assert\s*\(\s*(?:false|0\b|!)|\b__trap\s*\("
    r"|\bthrow\b|\babort\s*\("
    r"|\b\w*(?:UNSUPPORTED|NOT_IMPLEMENTED|UNREACHABLE)\w*\b"
)
_NOT_BLANK = re.compile(r"\S")
_HARMLESS = re.compile(
    r"^[ \t]*#[ \t]*(?:define|undef|include|pragma|if\w*|el\w+|endif)\b[^\n]*(?:\\\n[^\n]*)*$"
    r"|//[^\n]*|/\*.*?\*/",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Branch:
    """One branch of a group: its `#if` expression and the characters [start, end) it guards."""

    expression: str
    directive: int
    start: int
    end: int
    taken: bool | None


@dataclass(frozen=True, slots=True)
class Group:
    """An `#if` group, its branches in order. `asking` is the first that asks the question."""

    branches: tuple[Branch, ...]
    asking: Branch
    closing: int

    @property
    def taken(self) -> Branch | None:
        """The branch that a HIP build takes for certain; None where it takes none or may differ."""
        return next((branch for branch in self.branches if branch.taken), None)

    @property
    def takes_none(self) -> bool:
        """True where a HIP build leaves all of it out."""
        return all(branch.taken is False for branch in self.branches)


def groups_asking(
    view: View, question: re.Pattern[str], facts: MacroFacts = HIP_FACTS
) -> Iterator[Group]:
    """Yield the groups with a branch whose expression matches, where HIP compiles what is around.

    Groups that name AMD's own macros in any branch are left out.
    """
    for chain, closing in _chains(view):
        if not any(question.search(branch.expression) for branch in chain):
            continue
        if any(_AMD.search(branch.expression) for branch in chain):
            continue
        if is_active(chain[0].outer, facts) is False:
            continue
        limits = [branch.start for branch in chain[1:]] + [closing]
        branches = tuple(
            Branch(
                branch.expression,
                branch.start,
                _line_end(view.text, branch.start),
                limit,
                is_active(branch, facts),
            )
            for branch, limit in zip(chain, limits, strict=True)
        )
        asking = next(b for b in branches if question.search(b.expression))
        yield Group(branches, asking, closing)


@remembered
def _chains(view: View) -> tuple[tuple[tuple[Condition, ...], int], ...]:
    """Return the branches of each `#if` group in order, and where its `#endif` stands."""
    chains: dict[int, list[Condition]] = {}
    for branch in dict.fromkeys(view.document.conditions.regions):
        if branch is not None:
            first = branch
            while first.previous is not None:
                first = first.previous
            chains.setdefault(first.start, []).append(branch)
    ends = _group_ends(view)
    return tuple((tuple(chain), ends.get(start, len(view.text))) for start, chain in chains.items())


def _group_ends(view: View) -> dict[int, int]:
    """Map the offset of each opening directive to that of its `#endif`."""
    found: dict[int, int] = {}
    stack: list[int] = []
    for directive in view.document.directives:
        if directive.keyword in ("if", "ifdef", "ifndef"):
            stack.append(directive.start)
        elif directive.keyword == "endif" and stack:
            found[stack.pop()] = directive.start
    return found


def _line_end(text: str, offset: int) -> int:
    """Return the offset after a directive's line, continued lines included."""
    while True:
        end = text.find("\n", offset)
        if end < 0:
            return len(text)
        if not text[offset:end].rstrip("\r").endswith("\\"):
            return end + 1
        offset = end + 1


def directive_line(view: View, branch: Branch) -> str:
    """Return the text of a branch's directive up to its line's end, blanks there left out."""
    end = view.text.find("\n", branch.directive)
    return view.text[branch.directive : end if end >= 0 else len(view.text)].rstrip()


def outcome(view: View, group: Group) -> str:
    """Say in words what a HIP build compiles of a group."""
    taken = group.taken
    if taken is not None:
        line = view.document.line_column(taken.directive)[0]
        word = "#else" if taken.expression == "1" else f"`{_short(taken.expression)}`"
        return f"HIP takes the branch {word} of line {line}"
    if group.takes_none:
        first = view.document.line_column(group.asking.directive)[0]
        last = view.document.line_column(min(group.closing, len(view.text)))[0]
        return f"HIP leaves lines {first} to {last} out"
    return "which branch HIP takes depends on other macros"


def _short(expression: str) -> str:
    text = " ".join(expression.split())
    return text if len(text) <= 60 else text[:57] + "..."


def refuses(view: View, group: Group) -> bool:
    """True where the branch that HIP takes is an `#error`, a failed assertion or the like."""
    taken = group.taken
    return taken is not None and _REFUSES.search(view.text, taken.start, taken.end) is not None


def left_out_code(view: View, group: Group) -> bool:
    """True where HIP leaves all branches out and they hold more than directives and comments."""
    if not group.takes_none:
        return False
    return any(_HARMLESS.sub("", view.text[b.start : b.end]).strip() for b in group.branches)


def empties_function(view: View, group: Group) -> bool:
    """True where HIP leaves out all that stands between a function's braces."""
    if not left_out_code(view, group):
        return False
    before = group.branches[0].directive - 1
    while before >= 0 and view.text[before].isspace():
        before -= 1
    after = _NOT_BLANK.search(view.text, _line_end(view.text, group.closing))
    return before >= 0 and view.text[before] == "{" and after is not None and after[0] == "}"
