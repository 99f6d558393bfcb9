"""Under which `#if` each character of a text stands, and whether a platform ever sees it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from warp2wave.syntax.directives import Directive
from warp2wave.syntax.expressions import MacroFacts, evaluate
from warp2wave.syntax.patterns import spelling
from warp2wave.syntax.tokens import Tokens


class Presence(Enum):
    """On which of two platforms a piece of text may be compiled."""

    BOTH = "both"
    ONLY_FIRST = "only first"
    ONLY_SECOND = "only second"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Condition:
    """One branch of an `#if` group: active if its expression holds, no earlier branch's does and
    the branch around the group is active.

    `expression` is the branch's own, as text (`defined(X)` for `#ifdef X`, `1` for `#else`).
    `previous` is the branch before it in the group, `outer` the branch around the group.
    `start` is the offset of its directive. Compared by identity.
    """

    expression: str
    previous: Condition | None
    outer: Condition | None
    start: int

    def __repr__(self) -> str:
        return f"Condition({self})"

    def __str__(self) -> str:
        """Return the condition as one expression, outermost first."""
        branches: list[str] = []
        branch: Condition | None = self
        while branch is not None:
            terms = [f"({branch.expression})"]
            earlier = branch.previous
            while earlier is not None:
                terms.append(f"!({earlier.expression})")
                earlier = earlier.previous
            if terms[0] == "(1)" and len(terms) > 1:
                del terms[0]
            branches.append(" && ".join(reversed(terms)))
            branch = branch.outer
        return " && ".join(reversed(branches))


@dataclass(frozen=True, slots=True)
class Conditions:
    """The regions of a text: from offset `starts[i]` on, `regions[i]` holds (None: no `#if`).

    A directive that opens, changes or closes a group belongs to the region before it.
    `unclosed` are the offsets of `#if`s without `#endif`, `stray` those of `#elif`, `#else` and
    `#endif` without `#if`.
    """

    starts: Sequence[int]
    regions: Sequence[Condition | None]
    unclosed: tuple[int, ...]
    stray: tuple[int, ...]

    def at(self, offset: int) -> Condition | None:
        """Return the innermost branch around the character at `offset`."""
        return self.regions[bisect_right(self.starts, offset) - 1]


_OPENING = {"if": "", "ifdef": "defined({})", "ifndef": "!defined({})"}
_FURTHER = {"elif": "", "elifdef": "defined({})", "elifndef": "!defined({})", "else": "1"}


def find_conditions(text: str, tokens: Tokens, directives: Sequence[Directive]) -> Conditions:
    """Return the conditions of a text, given its tokens and directives."""
    starts, stray = [0], []
    regions: list[Condition | None] = [None]
    stack: list[Condition] = []

    def branch_of(form: str, directive: Directive, previous: Condition | None) -> Condition:
        body = spelling(text[tokens.starts[directive.body] : directive.end])
        if form:
            has_word = directive.body < directive.last
            body = form.format(spelling(tokens.lexemes[directive.body]) if has_word else "")
        outer = previous.outer if previous else stack[-1] if stack else None
        return Condition(body, previous, outer, directive.start)

    for directive in directives:
        keyword = directive.keyword
        if keyword in _OPENING:
            stack.append(branch_of(_OPENING[keyword], directive, None))
        elif keyword not in _FURTHER and keyword != "endif":
            continue
        elif not stack:
            stray.append(directive.start)
            continue
        elif keyword == "endif":
            stack.pop()
        else:
            stack[-1] = branch_of(_FURTHER[keyword], directive, stack[-1])
        starts.append(directive.end)
        regions.append(stack[-1] if stack else None)
    return Conditions(starts, regions, tuple(branch.start for branch in stack), tuple(stray))


@dataclass(frozen=True, slots=True)
class _Truth:
    """Of one branch: whether it is active, and whether it or an earlier one has been chosen."""

    active: bool | None
    chosen: bool | None


def _negation(a: bool | None) -> bool | None:
    return None if a is None else not a


def _conjunction(*terms: bool | None) -> bool | None:
    if False in terms:
        return False
    return None if None in terms else True


def _truth(branch: Condition, facts: MacroFacts, known: dict[Condition, _Truth]) -> _Truth:
    around = True if branch.outer is None else known[branch.outer].active
    earlier = False if branch.previous is None else known[branch.previous].chosen
    if around is False or earlier is True:
        return _Truth(False, earlier)
    value = evaluate(branch.expression, facts)
    own = None if value is None else bool(value)
    chosen = _negation(_conjunction(_negation(earlier), _negation(own)))
    return _Truth(_conjunction(around, _negation(earlier), own), chosen)


def is_active(condition: Condition | None, facts: MacroFacts) -> bool | None:
    """Say whether text under the condition is compiled; None where the facts do not decide it.

    Definitions made in the text itself are not followed: the facts alone count.
    """
    needed: set[Condition] = set()
    pending = [condition]
    while pending:
        branch = pending.pop()
        if branch is not None and branch not in needed:
            needed.add(branch)
            pending += (branch.outer, branch.previous)
    known: dict[Condition, _Truth] = {}
    # A branch's directive always follows those that its truth depends on.
    for branch in sorted(needed, key=lambda b: b.start):
        known[branch] = _truth(branch, facts, known)
    return True if condition is None else known[condition].active


def active_regions(conditions: Conditions, facts: MacroFacts) -> tuple[bool | None, ...]:
    """Return `is_active` of every region of a text in one pass."""
    known: dict[Condition, _Truth] = {}
    for branch in conditions.regions:
        if branch is not None and branch not in known:
            known[branch] = _truth(branch, facts, known)
    return tuple(True if b is None else known[b].active for b in conditions.regions)


def presence(condition: Condition | None, first: MacroFacts, second: MacroFacts) -> Presence:
    """Say on which of two platforms, each known by its macros, text under a condition may stand.

    What is not known counts as present: only text that is certainly left out counts as absent.
    """
    on_first = is_active(condition, first) is not False
    on_second = is_active(condition, second) is not False
    if on_first and on_second:
        return Presence.BOTH
    if on_first:
        return Presence.ONLY_FIRST
    return Presence.ONLY_SECOND if on_second else Presence.NEITHER
