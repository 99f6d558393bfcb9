"""Which C++ code a graph capture records: between begin and end, and what is called from there."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from warp2wave.rules.remembered import remembered
from warp2wave.rules.view import Site, View
from warp2wave.syntax.calls import Call
from warp2wave.syntax.code import Code
from warp2wave.syntax.functions import Function
from warp2wave.syntax.macros import Macro

_RAW = ("cudaStream", "cuStream", "hipStream")
RAW_BEGINS = frozenset(
    name + form for name in _RAW for form in ("BeginCapture", "BeginCaptureToGraph")
)
RAW_ENDS = frozenset(name + "EndCapture" for name in _RAW)
BEGINS = RAW_BEGINS | {"capture_begin"}
ENDS = RAW_ENDS | {"capture_end"}

_DEEPEST = 2
_AWARE = re.compile(r"(?i)captur")
_CONTROL = frozenset(("if", "while", "for", "switch"))
Interval = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Capture:
    """One capture: the call that begins it and the tokens [first, last] that it records.

    `ended` is False where the function leaves the end to another. `stream` and `mode` are the
    arguments as written, "" where there is none. `by_torch`: PyTorch's CUDAGraph, which serves the
    capture's allocations from a pool of its own. `left_out` are the parts behind an early end.
    """

    code: Code
    macro: Macro | None
    begin: Call
    first: int
    last: int
    ended: bool
    stream: str
    mode: str
    by_torch: bool
    line: int
    left_out: tuple[Interval, ...] = ()

    @property
    def is_relaxed(self) -> bool:
        """True where the capture lets unsafe calls through unrecorded."""
        return "RELAXED" in self.mode.upper()


@dataclass(frozen=True, slots=True)
class Part:
    """Tokens [first, last] of `code` that a capture records. `function` is the one called there."""

    capture: Capture
    code: Code
    first: int
    last: int
    function: str = ""

    @property
    def where(self) -> str:
        """Say where this is, for a message."""
        if self.function:
            return f"in {self.function}, which the capture begun on line {self.capture.line} calls"
        return f"inside the capture begun on line {self.capture.line}"

    def holds(self, position: int) -> bool:
        """Say whether a token belongs to it."""
        if not self.first <= position <= self.last:
            return False
        if self.code is not self.capture.code:
            return True
        return not any(first <= position <= last for first, last in self.capture.left_out)


def captured_calls(view: View, *names: str) -> Iterator[tuple[Call, Site, Part]]:
    """Yield the calls of these names that a capture records, but those behind a test for it."""
    if captures(view):
        for site in view.sites(*names):
            part = part_at(view, site)
            call = view.call_of(site) if part is not None else None
            if part is not None and call is not None:
                yield call, site, part


def part_at(view: View, site: Site) -> Part | None:
    """Return the part of a capture in which a site stands; None where a test excludes captures."""
    for part in parts(view):
        inside = part.code is site.code and part.holds(site.position)
        if inside and not _asks_before(part, site.position):
            return part
    return None


@remembered
def captures(view: View) -> tuple[Capture, ...]:
    """Return the captures that HIP compiles, in the order of the text."""
    if view.kind != "source" or BEGINS.isdisjoint(view.words):
        return ()
    found = _captures(view, BEGINS, ENDS)
    opens = {_name_of(view, capture) for capture in found if not capture.ended} - {""}
    if opens:
        closes = {
            function.name
            for site in view.sites(*ENDS)
            if (function := view.function_of(site)) is not None
            and not any(capture.ended and _holds(capture, site) for capture in found)
        }
        found += _captures(view, frozenset(opens), frozenset(closes) | ENDS)
    return tuple(sorted(found, key=lambda capture: capture.begin.start))


def text_of(view: View, call: Call, index: int) -> str:
    """Return an argument without blanks, "" where the call has fewer."""
    if not -len(call.arguments) <= index < len(call.arguments):
        return ""
    return "".join(view.source(call.arguments[index]).split())


def enclosing_braces(code: Code, position: int) -> Iterator[int]:
    """Yield the positions of the `{` open around a token, the innermost first."""
    opening = code.brackets.enclosing(position)
    while opening >= 0:
        if code.lexemes[opening] in ("{", "<%"):
            yield opening
        opening = code.brackets.enclosing(opening)


def _holds(capture: Capture, site: Site) -> bool:
    return capture.code is site.code and capture.first <= site.position <= capture.last + 1


def _name_of(view: View, capture: Capture) -> str:
    """Return the function or macro that begins a capture and leaves it open."""
    if capture.macro is not None:
        return capture.macro.name
    function = view.functions(capture.code).at(capture.first)
    return function.name if function is not None else ""


def _captures(view: View, begins: frozenset[str], ends: frozenset[str]) -> list[Capture]:
    stops: dict[int, list[int]] = defaultdict(list)
    for site in view.sites(*ends):
        if site.next() == "(" and not _defines(view, site):
            stops[id(site.code)].append(site.position)
    starts = sorted(view.hip_sites(*begins), key=lambda site: site.start)
    found: list[Capture] = []
    for site in starts:
        call = _begin_call(view, site, begins)
        if call is None:
            continue
        later = [
            other.position
            for other in starts
            if other.code is site.code and other.position > site.position
        ]
        bound = min([_bound(view, site, stops[id(site.code)]), *(p - 1 for p in later)])
        found.append(_capture(view, site, call, sorted(stops[id(site.code)]), bound))
    return found


def _begin_call(view: View, site: Site, begins: frozenset[str]) -> Call | None:
    call = view.call_of(site)
    if call is not None or site.next(-1) in ("~", "::") or begins <= BEGINS:
        return call
    # `Guard guard(stream);`: the class whose constructor begins the capture.
    variable = site.position + 1
    if site.code.is_name(variable) and site.code.lexeme(variable + 1) in ("(", "{"):
        closing = site.code.partner(variable + 1)
        if closing > 0 and site.code.lexeme(closing + 1) == ";":
            span = site.code.span(site.position, site.position)
            inner = site.code.split(variable + 1, closing)
            end = site.code.ends[closing]
            whole = site.code.span(variable + 1, closing)
            name = site.code.lexemes[site.position]
            return Call(
                name, name, span, site.start, end, (), inner, whole, False, None, site.macro
            )
    return None


def _defines(view: View, site: Site) -> bool:
    closing = site.code.partner(site.position + 1)
    return site.code.lexeme(closing + 1) == "{" and view.call_of(site) is None


def _bound(view: View, site: Site, stops: Sequence[int]) -> int:
    """Return the last position that a capture begun here can reach in its function."""
    functions = view.functions(site.code)
    inner = functions.innermost(site.position)
    if inner is None:
        return len(site.code) - 1
    ends_there = any(site.position < stop < inner.closing for stop in stops)
    if inner.is_lambda and not ends_there:
        inner = functions.at(site.position) or inner
    return inner.closing


def _capture(view: View, site: Site, call: Call, stops: Sequence[int], bound: int) -> Capture:
    code = site.code
    first = site.position
    closing = code.partner(first + 1) if code.lexeme(first + 1) == "(" else first
    block = next(enclosing_braces(code, first), -1)
    if call.name not in BEGINS and block >= 0:
        # A guard object or a helper: at the latest, its block ends the capture.
        bound = min(bound, code.partner(block)) if code.partner(block) > 0 else bound
    inside = [stop for stop in stops if first < stop <= bound]
    left_out: list[Interval] = []
    last, ended = bound, bool(inside)
    for stop in inside:
        around = next(enclosing_braces(code, stop), -1)
        if around <= first or stop == inside[-1]:
            last = stop - 1
            break
        left_out.append((stop, code.partner(around)))
    by_torch = call.name == "capture_begin"
    raw = call.name in RAW_BEGINS
    mode = text_of(view, call, -1) if by_torch or len(call.arguments) > 1 else ""
    return Capture(
        code=code,
        macro=site.macro,
        begin=call,
        first=max(first, closing) + 1,
        last=last,
        ended=ended,
        stream=text_of(view, call, 0) if raw else "",
        mode=mode,
        by_torch=by_torch,
        line=view.document.line_column(call.start)[0],
        left_out=tuple(left_out),
    )


@remembered
def parts(view: View) -> tuple[Part, ...]:
    """Return what captures record, the bodies of called functions included."""
    found: list[Part] = []
    seen: set[tuple[int, int]] = set()
    by_name: Mapping[str, list[tuple[Code, Function]]] | None = None
    for capture in captures(view):
        part = Part(capture, capture.code, capture.first, capture.last)
        found.append(part)
        todo = [(part, 0)]
        while todo:
            part, depth = todo.pop()
            by_name = by_name if by_name is not None else _functions_by_name(view)
            for callee in _callees(view, part, by_name):
                key = (id(callee.code), callee.first)
                if key not in seen:
                    seen.add(key)
                    found.append(callee)
                    if depth + 1 < _DEEPEST:
                        todo.append((callee, depth + 1))
    return tuple(found)


def _functions_by_name(view: View) -> Mapping[str, list[tuple[Code, Function]]]:
    found: dict[str, list[tuple[Code, Function]]] = defaultdict(list)
    code = view.document.code
    for function in view.functions().named:
        if function.is_host and not function.is_kernel and function.name not in BEGINS | ENDS:
            found[function.name].append((code, function))
    return found


def _callees(
    view: View, part: Part, by_name: Mapping[str, list[tuple[Code, Function]]]
) -> Iterator[Part]:
    code = part.code
    holder = view.functions(code).at(part.first)
    handed: set[str] = set()
    if holder is not None and not part.function and holder.parameters > 0:
        handed = set(code.lexemes[holder.parameters : code.partner(holder.parameters)])
    for position in range(part.first, part.last + 1):
        if not code.is_name(position) or not part.holds(position):
            continue
        name = code.lexemes[position]
        if name not in by_name and name not in handed:
            continue
        if code.lexeme(position + 1) not in ("(", "<") or _asks_before(part, position):
            continue
        if name in handed and code.lexeme(position - 1) not in (".", "->", "::"):
            if holder is not None:
                yield from _handed_over(view, part.capture, holder, by_name)
            continue
        for other, function in by_name.get(name, ()):
            # The function that begins a capture has its own part.
            if not function.opening <= part.capture.first <= function.closing:
                yield Part(
                    part.capture, other, function.opening + 1, function.closing - 1, function.name
                )


def _handed_over(
    view: View,
    capture: Capture,
    holder: Function,
    by_name: Mapping[str, list[tuple[Code, Function]]],
) -> Iterator[Part]:
    """Yield the lambdas and functions that are handed to a function which captures them."""
    for site in view.sites(holder.name):
        call = view.call_of(site)
        if call is None or site.code is not view.document.code:
            continue
        opening = view.code_position(call.arguments_span.start)
        closing = site.code.partner(opening)
        for inner in view.functions().lambdas:
            around = site.code.brackets.enclosing(inner.first)
            if opening < inner.opening < closing and around == opening:
                name = f"the lambda given to {holder.name}"
                yield Part(capture, site.code, inner.opening + 1, inner.closing - 1, name)
        for argument in call.arguments:
            for code, function in by_name.get(view.source(argument), ()):
                yield Part(capture, code, function.opening + 1, function.closing - 1, function.name)


def _asks_before(part: Part, position: int) -> bool:
    """Say whether a test of the capture's state stands before a token."""
    code = part.code
    if part.function:
        return any(_AWARE.search(lexeme) for lexeme in code.lexemes[part.first : position])
    for opening in (*enclosing_braces(code, position), position):
        if opening <= part.first:
            break
        condition = _condition_before(code, opening, part.first)
        if condition and any(map(_AWARE.search, condition)):
            return True
    return False


def _condition_before(code: Code, position: int, limit: int) -> list[str]:
    """Return the tokens of the `if (…)` that a block or a statement stands behind."""
    at = position - 1
    if code.lexeme(at) == "else" and code.lexeme(at - 1) == "}":
        at = code.partner(at - 1) - 1
    while at > limit and code.lexemes[at] not in (";", "{", "}"):
        if code.lexemes[at] in _CONTROL and code.lexeme(at + 1) == "(":
            return code.lexemes[at + 1 : max(code.partner(at + 1), at + 1)]
        at -= 1
    return []
