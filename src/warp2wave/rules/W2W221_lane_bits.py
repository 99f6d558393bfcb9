"""Bits of lanes counted, kept or built in 32 bits.

## What it does
Finds `__popc`, `__ffs`, `__clz` and `__brev` of what a vote returned, a vote kept in 32 bits, and
masks of lanes built from a 32-bit number: `1 << lane`, `(1u << lane) - 1`, `~(-1 << lane)`.

## Why is this bad
HIP's votes return 64 bits, one for each lane of a wave. In 32 bits the upper half of a CDNA wave
is lost: counts are too small, and a loop that clears one bit a turn may never end.

## Example
```cuda
__device__ int count(bool p) { return __popc(__ballot_sync(0xffffffff, p)); }
```

## Use instead
```cuda
__device__ int count(bool p) { return __popcll(__ballot_sync(0xffffffff, p)); }
```

## Fix safety
Offered in files with native waves only, and unsafe: the mask may be kept in 32 bits elsewhere.

## Handled by the port
The compat layer's votes return the 32 bits of the calling half of a wave.

## References
F23, F31.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.model import Edit, Fix
from warp2wave.rules.context import Context
from warp2wave.rules.hip_branches import is_for_hip_alone
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.thread_flow import bounds_of, uses_warps
from warp2wave.rules.view import Site, View
from warp2wave.syntax.code import Code

_BITS = {"__popc": "__popcll", "__ffs": "__ffsll", "__clz": "__clzll", "__brev": "__brevll"}
_KEEPS_ITS_VALUE = ("__popc", "__ffs")
# fmt: off
_VOTES = frozenset((
    "__ballot_sync", "__ballot", "__activemask", "__match_any_sync", "__match_all_sync",
    "WARP_BALLOT",
))
# fmt: on
_MASK_NAME = re.compile(r"\w*(?:ballot|lane_?mask|active_?mask)\w*", re.IGNORECASE)
_LANE = re.compile(r"(?:\w+_)?(?:lane|lane_?id|lane_?idx|lane_?index|laneId|laneIdx|laneIndex)_?")
_NARROW_TYPES = frozenset(("int", "unsigned", "uint32_t", "int32_t", "uint", "u32", "uint32"))
_MASK_START = re.compile(r"(?:0[xX])?0*1[uU]?|0[xX][fF]{8}[uU]?|0[uU]?|-1")
_NOT_A_MASK = frozenset(("==", "!=", "<", ">", "<=", ">=", "?", "&&", "||"))
_PART = re.compile(r"[%&]\s*(\d+)")
_FROM_THREAD = re.compile(
    r"\b(\w+)\s*=[^;=]*\bthreadIdx\.x\s*(?:%|&)\s*\(?\s*(?:31|32|63|64|\w*[wW]arp_?[sS]ize|WARP_SIZE)\b"
)


def _check(view: View, context: Context) -> Iterator[Hit]:
    if not context.has_wide_waves:
        return
    for hit in (*_counted(view), *_kept(view), *_built(view)):
        # In a branch for HIP these are HIP's own functions, meant for its waves.
        if not is_for_hip_alone(view, hit.start):
            yield hit


def _counted(view: View) -> Iterator[Hit]:
    for name, wide in _BITS.items():
        for site in view.sites(name):
            call = view.call_of(site)
            if call is None or call.is_member or len(call.arguments) != 1:
                continue
            closing = site.code.partner(site.position + 1)
            if not _holds_votes(view, site, site.position + 2, closing):
                continue
            fix = None
            if view.native and name in _KEEPS_ITS_VALUE:
                edit = Edit(call.name_span.start, call.name_span.end, wide)
                fix = Fix(f"use `{wide}`", (edit,), "unsafe")
            message = (
                f"`{name}` looks at 32 bits of `{view.source(call.arguments[0]).strip()}`: a vote "
                f"has 64 on a wave of 64 lanes; in native code use `{wide}`"
            )
            yield Hit(call.start, call.end, message, fix)


def _holds_votes(view: View, site: Site, first: int, last: int) -> bool:
    code = site.code
    words = code.lexemes[first:last]
    if any(w in _VOTES or (_MASK_NAME.fullmatch(w) and w[0] != '"') for w in words):
        return True
    names = _vote_names(view, site)
    return any(
        word in names and code.lexeme(first + i - 1) not in (".", "->")
        for i, word in enumerate(words)
    )


def _vote_names(view: View, site: Site) -> frozenset[str]:
    """Return the variables around a site that are set to masks of lanes."""
    code = site.code
    opening, closing = bounds_of(view, site)
    names: set[str] = set()
    for position in range(opening, closing):
        if code.lexemes[position] == "=" and code.is_name(position - 1):
            end = _statement_end(code, position, closing)
            words = _outer_words(code, position + 1, end)
            if not _NOT_A_MASK.isdisjoint(words):
                continue
            if any(w in _VOTES or w in names or w == "ballot" for w in words):
                names.add(code.lexemes[position - 1])
    return frozenset(names)


def _statement_end(code: Code, position: int, limit: int) -> int:
    while position < limit and code.lexemes[position] not in (";", ","):
        position = max(code.partner(position), position) + 1
    return position


def _outer_words(code: Code, first: int, last: int) -> list[str]:
    """Return the lexemes of an expression without the arguments of calls and subscripts."""
    words: list[str] = []
    position = first
    while position < last:
        lexeme = code.lexemes[position]
        words.append(lexeme)
        if lexeme in ("(", "[") and (lexeme == "[" or code.is_name(position - 1)):
            position = max(code.partner(position), position)
        position += 1
    return words


def _kept(view: View) -> Iterator[Hit]:
    for vote in view.sites(*sorted(_VOTES)):
        code = vote.code
        equals = vote.position - 1
        while code.lexeme(equals) == "(":
            equals -= 1
        name = equals - 1
        if code.lexeme(equals) != "=" or not code.is_name(name):
            continue
        end = _statement_end(code, equals + 1, len(code))
        if not _NOT_A_MASK.isdisjoint(code.lexemes[equals:end]):
            words = _outer_words(code, equals + 1, end)
            if not _NOT_A_MASK.isdisjoint(words):
                continue
        kind = _narrow_type(view, vote, name)
        if kind:
            message = (
                f"`{code.lexeme(name)}` of type `{kind}` keeps 32 bits of `{vote.next(0)}`: "
                "a vote has 64 on a wave of 64 lanes"
            )
            yield Hit(code.starts[name], code.ends[name], message)


def _narrow_type(view: View, vote: Site, name: int) -> str:
    """Return the 32-bit type that a variable is declared with, at its name or before."""
    code = vote.code
    opening, _ = bounds_of(view, vote)
    word = code.lexemes[name]
    for position in range(name, opening, -1):
        if code.lexemes[position] == word and code.lexeme(position - 1) not in (".", "->"):
            first = position
            while code.lexeme(first - 1) in _NARROW_TYPES | {"const"}:
                first -= 1
            kind = [w for w in code.lexemes[first:position] if w != "const"]
            if kind:
                # Of `unsigned long` or `long int` only the end was read.
                return "" if code.lexeme(first - 1) in ("long", "short") else " ".join(kind)
    return ""


def _built(view: View) -> Iterator[Hit]:
    lanes = set(_FROM_THREAD.findall(view.text)) if "threadIdx" in view.words else set()
    for lane in (*view.matching(_LANE), *view.sites("threadIdx", *sorted(lanes))):
        if lane.macro is not None and lane.code.lexeme(lane.position) == "threadIdx":
            continue
        code = lane.code
        before = lane.position - 1
        while code.lexeme(before) == "(":
            before -= 1
        if code.lexeme(before) != "<<" or not _MASK_START.fullmatch(code.lexeme(before - 1)):
            continue
        number = before - 1
        if code.lexeme(number) in ("0", "0u", "0U") and code.lexeme(number - 1) != "~":
            continue
        if _is_lane_mask(view, lane, before, lanes):
            text = view.text[code.starts[number] : lane.end]
            message = (
                f"`{text}` makes a mask of lanes of 32 bits: lanes 32 to 63 of a wave have no bit "
                "in it"
            )
            yield Hit(code.starts[number], lane.end, message)


def _is_lane_mask(view: View, lane: Site, shift: int, lanes: set[str]) -> bool:
    code = lane.code
    name = code.lexeme(lane.position)
    if name == "threadIdx":
        text = view.text[lane.start : lane.start + 40]
        if not re.match(r"threadIdx\.x\s*(?:%|&)\s*(?:31|32|63|64|warpSize)\b", text):
            return False
    elif shift != lane.position - 1 and lane.next() not in (")", "+", "-"):
        return False
    opening, closing = bounds_of(view, lane)
    body = view.text[code.starts[opening] : code.ends[closing - 1]] if closing else ""
    for match in re.finditer(rf"\b{name}\s*=([^;=]*);", body):
        part = _PART.search(match[1])
        if part is not None and int(part[1]) not in (31, 32, 63, 64):
            return False
    end = lane.position + 1
    group = shift - 2
    if code.lexeme(group) == "-":
        group -= 1
    if code.lexeme(group) == "(" and code.partner(group) > 0:
        end = code.partner(group) + 1
        if code.lexeme(end) == "&" and "[" in code.lexemes[end : end + 4]:
            return False
        if code.lexeme(group - 1) == "&" and code.lexeme(group - 2) == "]":
            return False
    if uses_warps(view, lane):
        return True
    function = view.function_of(lane)
    says_mask = function is not None and "mask" in function.name.lower()
    whole = code.lexeme(end) == "-" or code.lexeme(shift - 1) != "1"
    return (name in lanes or name == "threadIdx") and says_mask and whole


RULE = Rule(
    code="W2W221",
    name="lane-bits",
    severity="warning",
    effort="small",
    check=_check,
    page=__doc__,
    words=_VOTES | frozenset(_BITS),
    prefixes=("lane", "threadIdx"),
    handled=True,
)
