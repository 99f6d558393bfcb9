"""Masks of lanes: which calls take one, and how wide the expression given for it is."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from warp2wave.rules.context import Context
from warp2wave.rules.view import View
from warp2wave.syntax.macros import Macro

Width = Literal["32", "64", "lanes", "unknown"]
"""lanes: what a vote returns, as wide as the wave on HIP and 32 bits in the compat layer."""

# fmt: off
MASKED = (
    "__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync", "__ballot_sync",
    "__any_sync", "__all_sync", "__uni_sync", "__match_any_sync", "__match_all_sync",
    "__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync", "__reduce_and_sync",
    "__reduce_or_sync", "__reduce_xor_sync", "__syncwarp",
)
# fmt: on
_VOTE = re.compile(r"\b__(?:activemask|ballot|ballot_sync|match_any_sync|match_all_sync)\s*\(")
_NAME = re.compile(r"[A-Za-z_]\w*")
_CALL = re.compile(r"(?:\w+::)*(\w+)\s*(?:<[^<>()]*>)?\s*\([^;]*\)")
FULL = re.compile(r"\(*(?:0[xX][fF]{8}[uU]?|~0[uU]?|-1|4294967295[uU]?)\)*")
"""A mask of 32 ones, as it is written."""
_WIDE = re.compile(
    r"\d[uU]?[lL][lL]?[uU]?\b|\b(?:u?int64_t|size_t|long|uint64|u64)\b|0[xX][fF]{9,16}\b"
)
_NARROW = re.compile(r"\b(?:unsigned|int|u?int32_t|uint|uint32|u32)\b")
_LITERAL = re.compile(r"[\s()~+|&<>*/%^-]*(?:(?:0[xX][\da-fA-F']+|\d+)[uU]?[\s()~+|&<>*/%^-]*)+")


def width_of(text: str, view: View, context: Context, macro: Macro | None, depth: int = 0) -> Width:
    """Return how wide a mask expression is, following names to where they are declared."""
    text = text.strip()
    if _WIDE.search(text):
        return "64"
    if _VOTE.match(text):
        return "lanes"
    if _LITERAL.fullmatch(text) or _NARROW.search(text):
        return "32"
    call = _CALL.fullmatch(text)
    names = [call[1]] if call else _NAME.findall(text)
    if not names or depth > 4:
        return "unknown"
    if macro is not None and macro.parameters and set(names) & set(macro.parameters):
        return "32" if text in macro.parameters else "unknown"
    widths = {_declared(name, view, context, depth) for name in names}
    for width in ("64", "unknown", "32", "lanes"):
        if width in widths:
            # `(1u << n) - 1` is as wide as its literal, whatever `n` is.
            return "32" if width == "unknown" and re.search(r"\b1[uU]?\s*<<", text) else width
    return "unknown"


@lru_cache(maxsize=256)
def _declaration(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?:^[ \t]*#[ \t]*define[ \t]+{name}[ \t]+(?P<macro>[^\n]+)"
        rf"|\b(?P<type>(?:unsigned\s+)?(?:long\s+)*\w+)\s*&?\s+&?{name}\s*"
        r"(?:(?:=|\{)\s*(?P<value>[^;,]+)|[,;)>(]))",
        re.MULTILINE,
    )


def _declared(name: str, view: View, context: Context, depth: int) -> Width:
    found: set[Width] = set()
    views = [view] if name in view.words and _declaration(name).search(view.text) else context.views
    for other in views:
        if other.kind != "source" or name not in other.words:
            continue
        for match in _declaration(name).finditer(other.text):
            kind = match["type"] or ""
            if kind in ("return", "else", "goto", "case", "typename", "class", "struct"):
                continue
            if _WIDE.search(kind):
                found.add("64")
            elif _NARROW.search(kind):
                found.add("32")
            elif match["macro"] or kind in ("auto", "const", "constexpr"):
                value = (match["macro"] or match["value"] or "").split("//")[0]
                found.add(width_of(value, other, context, None, depth + 1))
    for width in ("32", "lanes", "64"):
        if width in found:
            return width
    return "unknown"
