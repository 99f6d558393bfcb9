"""Angle brackets: which `<` and `>` enclose template arguments, and which triples a launch.

Without knowing what a name means, `a < b` cannot be told from a template for certain; the rules
here are those of thumb that hold in real CUDA sources, and the oracle tests hold them to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warp2wave.syntax.tokens import TokenKind


@dataclass(frozen=True, slots=True)
class LaunchBrackets:
    """The positions of the first and last token of `<<<` and of `>>>`; spaced ones have several."""

    open_first: int
    open_last: int
    close_first: int
    close_last: int


@dataclass(frozen=True, slots=True)
class Angles:
    """`partners` maps the position of each template angle to its partner's, both ways."""

    partners: dict[int, int]
    launches: tuple[LaunchBrackets, ...]


# Entries of the stack of what is open: a plain angle, one after `template`, `<<<`, or a bracket.
_ANGLE, _TEMPLATE, _LAUNCH, _BRACKET = range(4)
_NO_LEVEL = (0, -1, 0)
_LESS_KIND = bytes([TokenKind.LESS])
_NO_KERNEL_BEFORE = frozenset(("operator", "return", "template", "typename", "else", "case"))
_RELEVANT_KINDS = frozenset((TokenKind.OPEN, TokenKind.CLOSE, TokenKind.LESS, TokenKind.GREATER))
_SEPARATORS = frozenset((";", "&&", "||"))


class _Matcher:
    """One pass over the tokens; every token is pushed and popped at most once."""

    def __init__(
        self, lexemes: Sequence[str], kinds: bytes, partners: Sequence[int], in_macro: bool
    ) -> None:
        self.lexemes, self.kinds, self.partners = lexemes, kinds, partners
        self.in_macro = in_macro
        # (what, position, what to restore of the state of its level at a bracket's end).
        self.stack: list[tuple[int, int, tuple[int, int, int]]] = []
        # Of the bracket level: how many `template <` are open, where in the stack the innermost
        # launch is, and below which height of the stack the angles are doubtful.
        self.open_templates = 0
        self.launch_at = -1
        self.doubtful_below = 0
        self.matched: dict[int, int] = {}
        self.launches: list[LaunchBrackets] = []
        self.open_lasts: dict[int, int] = {}

    def run(self) -> Angles:
        relevant = [
            position
            for position, (kind, lexeme) in enumerate(zip(self.kinds, self.lexemes, strict=True))
            if kind in _RELEVANT_KINDS or lexeme in _SEPARATORS
        ]
        done = -1
        for position in relevant:
            if position <= done:
                continue
            kind = self.kinds[position]
            if kind == TokenKind.OPEN:
                level = (self.open_templates, self.launch_at, self.doubtful_below)
                self.stack.append((_BRACKET, position, level))
                self.open_templates, self.launch_at, self.doubtful_below = 0, -1, 0
            elif kind == TokenKind.CLOSE:
                self._close_bracket()
            elif kind == TokenKind.LESS:
                done = self._less(position)
            elif kind == TokenKind.GREATER:
                done = self._greater(position)
            elif self.lexemes[position] == ";":
                self._reset()
            elif not self.open_templates:
                # `a < b && c > d`: more often comparisons than `enable_if_t<A && B>`.
                self.doubtful_below = len(self.stack)
        return Angles(self.matched, tuple(self.launches))

    def _close_bracket(self) -> None:
        while self.stack:
            what, _, level = self.stack.pop()
            if what == _BRACKET:
                self.open_templates, self.launch_at, self.doubtful_below = level
                return
        self.open_templates, self.launch_at, self.doubtful_below = 0, -1, 0

    def _reset(self) -> None:
        """Forget what is open at this bracket level: the statement is at its end."""
        while self.stack and self.stack[-1][0] != _BRACKET:
            self.stack.pop()
        self.open_templates, self.launch_at, self.doubtful_below = 0, -1, 0

    def _ends_expression(self, position: int) -> bool:
        if position < 0:
            return self.in_macro
        kind = self.kinds[position]
        if kind == TokenKind.NAME:
            return self.lexemes[position] not in _NO_KERNEL_BEFORE
        return kind == TokenKind.GREATER or self.lexemes[position] in (")", "]", ":>")

    def _less(self, position: int) -> int:
        """Take `<`, `<<`, `<<<` or a spaced launch; return the last position used."""
        lexemes, kinds = self.lexemes, self.kinds
        joined, last = lexemes[position], position
        while len(joined) < 3 and last + 1 < len(kinds) and kinds[last + 1] == TokenKind.LESS:
            last += 1
            joined += lexemes[last]
        if joined == "<<<" and self._ends_expression(position - 1):
            self.stack.append((_LAUNCH, position, (0, self.launch_at, 0)))
            self.launch_at = len(self.stack) - 1
            self.open_lasts[position] = last
            return last
        before = lexemes[position - 1] if position else ""
        follows_name = position > 0 and kinds[position - 1] == TokenKind.NAME
        if lexemes[position] == "<" and follows_name and before != "operator":
            is_template = before == "template"
            self.stack.append((_TEMPLATE if is_template else _ANGLE, position, _NO_LEVEL))
            self.open_templates += is_template
        return position

    def _greater(self, position: int) -> int:
        """Take a run of `>`; return the last position used."""
        kinds = self.kinds
        after = position
        while after < len(kinds) and kinds[after] == TokenKind.GREATER:
            after += 1
        length = after - position
        if self.launch_at >= 0 and length >= 3 and self._may_follow_launch(after):
            inner = len(self.stack) - 1 - self.launch_at
            if length >= inner + 3 or not self._closes_later(after):
                closed = inner if length >= inner + 3 else 0
                for angle in range(position, position + closed):
                    self._close_angle(angle)
                del self.stack[self.launch_at + 1 :]
                _, opened, (_, self.launch_at, _) = self.stack.pop()
                self.launches.append(
                    LaunchBrackets(opened, self.open_lasts[opened], after - 3, after - 1)
                )
                return after - 1
        for angle in range(position, after):
            self._close_angle(angle)
        return after - 1

    def _close_angle(self, position: int) -> None:
        if not self.stack or self.stack[-1][0] not in (_ANGLE, _TEMPLATE):
            return
        doubtful = len(self.stack) <= self.doubtful_below
        what, opened, _ = self.stack.pop()
        self.doubtful_below = min(self.doubtful_below, len(self.stack))
        self.open_templates -= what == _TEMPLATE
        if doubtful and self.kinds[position + 1 : position + 2] != _LESS_KIND:
            return
        self.matched[opened] = position
        self.matched[position] = opened

    def _may_follow_launch(self, position: int) -> bool:
        if position >= len(self.kinds):
            return self.in_macro
        if self.lexemes[position] == "(":
            return True
        # A macro may get the arguments together with their parentheses.
        return self.in_macro and self.kinds[position] == TokenKind.NAME

    def _closes_later(self, position: int) -> bool:
        """Say whether another `>>>(` follows that can close the open launch.

        `<<<n < 4 ? 1 : 2, 256>>>(x)` against `<<<round<pair<list<int>>>(x), 256>>>(x)`.
        """
        run = 0
        while position < len(self.kinds):
            kind = self.kinds[position]
            if kind == TokenKind.GREATER:
                run += 1
            else:
                if run >= 3 and self._may_follow_launch(position):
                    return True
                run = 0
                if kind == TokenKind.OPEN:
                    position = self.partners[position]
                    if position < 0:
                        return False
                elif (
                    kind == TokenKind.CLOSE
                    or self.lexemes[position] == ";"
                    or self.lexemes[position] == "<<<"
                ):
                    return False
            position += 1
        return run >= 3 and self._may_follow_launch(position)


def match_angles(
    lexemes: Sequence[str], kinds: bytes, partners: Sequence[int], *, in_macro: bool
) -> Angles:
    """Match template angles and launch brackets of a token sequence whose brackets are matched.

    In a macro's body a launch may lack its kernel or the parentheses after it. `<<<` without a
    closing `>>>` in the same statement is no launch. Linear in the number of tokens.
    """
    return _Matcher(lexemes, kinds, partners, in_macro).run()
