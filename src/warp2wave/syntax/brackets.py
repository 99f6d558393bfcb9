"""Which bracket closes which, across the branches of `#if` groups, whatever is unbalanced."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from warp2wave.syntax.tokens import TokenKind

_ROUND, _SQUARE, _CURLY = 0, 1, 2
_SHAPE = {
    **dict.fromkeys(("(", ")"), _ROUND),
    **dict.fromkeys(("[", "]", "<:", ":>"), _SQUARE),
    **dict.fromkeys(("{", "}", "<%", "%>"), _CURLY),
}

BranchPoint = tuple[int, str]
"""A position before which a directive stands that changes the branch, and its keyword."""


@dataclass(frozen=True, slots=True)
class Brackets:
    """The bracket tree of a sequence of tokens, held as columns.

    `partners` has an entry for every token: the position of the bracket's partner, -1 for all
    other tokens and for the brackets in `unmatched`. `changes` and `innermost` say which bracket
    is open where: from `changes[i]` on, `innermost[i]` (-1 for none), a change right before the
    token at p counted as 2p and one right after it as 2p + 1. Where several branches of an `#if`
    group close one bracket, each closer knows the opener and the opener knows the first of them.
    """

    partners: array[int]
    unmatched: tuple[int, ...]
    changes: Sequence[int]
    innermost: Sequence[int]

    def enclosing(self, position: int) -> int:
        """Return the position of the innermost bracket open around a token, or -1."""
        index = bisect_right(self.changes, 2 * position) - 1
        return self.innermost[index] if index >= 0 else -1


# What is open at some point: the innermost bracket, and the nearest one of each shape that a
# closer of that shape may close.
_State = tuple[int, int, int, int]
_NOTHING_OPEN: _State = (-1, -1, -1, -1)


def _open(state: _State, position: int, shape: int) -> _State:
    if shape == _CURLY:
        # A stray `)` must not close a parenthesis from outside the braces that it stands in.
        return (position, -1, -1, position)
    if shape == _ROUND:
        return (position, position, state[2], state[3])
    return (position, state[1], position, state[3])


def match_brackets(
    lexemes: Sequence[str], kinds: bytes, branch_points: Sequence[BranchPoint] = ()
) -> Brackets:
    """Match the brackets of a token sequence; unbalanced ones stay without partner.

    At `#elif` and `#else` what is open is what was open at their `#if`; after `#endif` it is what
    the first branch left open. Linear in the number of tokens, without recursion.
    """
    positions = [p for p, kind in enumerate(kinds) if kind in (TokenKind.OPEN, TokenKind.CLOSE)]
    partners = array("q", [-1]) * len(kinds)
    changes: list[int] = []
    innermost: list[int] = []
    before: dict[int, _State] = {}
    same_role: dict[int, list[int]] = {}
    # Of each open `#if` group: what was open before it and after its first branch.
    groups: list[tuple[_State, _State | None]] = []
    state = _NOTHING_OPEN
    next_point = 0

    def pass_branch_point(keyword: str) -> None:
        nonlocal state
        if keyword in ("if", "ifdef", "ifndef"):
            groups.append((state, None))
        elif groups:
            at_if, first = groups.pop()
            if first is None:
                first = state
            else:
                ours, theirs = state[0], first[0]
                if (
                    ours != theirs
                    and min(ours, theirs) >= 0
                    and before[ours] == before[theirs]
                    and lexemes[ours] == lexemes[theirs]
                ):
                    # `#if A  if (x) {  #else  if (y) {  #endif`: one closer for both openers.
                    same_role.setdefault(theirs, []).append(ours)
            if keyword == "endif":
                state = first
            else:
                groups.append((at_if, first))
                state = at_if

    for position in positions:
        while next_point < len(branch_points) and branch_points[next_point][0] <= position:
            pass_branch_point(branch_points[next_point][1])
            changes.append(2 * branch_points[next_point][0])
            innermost.append(state[0])
            next_point += 1
        shape = _SHAPE[lexemes[position]]
        if kinds[position] == TokenKind.OPEN:
            before[position] = state
            state = _open(state, position, shape)
        elif (opener := state[1 + shape]) >= 0:
            partners[position] = opener
            for role in (opener, *same_role.pop(opener, ())):
                if partners[role] < 0:
                    partners[role] = position
            state = before[opener]
        changes.append(2 * position + 1)
        innermost.append(state[0])
    unmatched = tuple(position for position in positions if partners[position] < 0)
    return Brackets(partners, unmatched, changes, innermost)
