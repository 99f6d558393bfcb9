"""Where masks of lanes come from: functions and macros that pass one on, names that hold one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from warp2wave.rules.context import Context
from warp2wave.rules.lane_masks import FULL, MASKED
from warp2wave.rules.remembered import remembered
from warp2wave.rules.view import View
from warp2wave.syntax.calls import Call
from warp2wave.syntax.code import Span

_MASKED = frozenset(MASKED)
_NAME = re.compile(r"[A-Za-z_]\w*")
_MASK_LIKE = re.compile(r"mask|full|lanes|active|warp|all", re.IGNORECASE)
_TYPES = r"unsigned\s+int|unsigned|signed\s+int|int|(?:std::)?u?int32_t|uint|uint32|u32|auto"
_FULL_TEXT = r"\(*(?:0[xX][fF]{8}[uU]?|~\s*0[uU]?|-\s*1|4294967295[uU]?)\)*(?![\w.])"


@dataclass(frozen=True, slots=True)
class Masks:
    """What a tree does with masks. `passes` maps a function or macro to the argument that it hands
    to a warp function as its mask; `names` are the names given as masks, `shared` those of them
    that another file may define."""

    passes: Mapping[str, int]
    names: frozenset[str]
    shared: frozenset[str]


@dataclass(frozen=True, slots=True)
class MaskDefinition:
    """A name defined as 32 ones and used as a mask. `type` is an empty span where none is written,
    or `auto` is."""

    name: str
    type: Span
    value: Span


@remembered
def masks_of(context: Context) -> Masks:
    """Follow the masks of a tree through its functions and macros, one step."""
    passes: dict[str, int] = {}
    names: set[str] = set()
    views = [v for v in context.views if v.kind == "source" and not _MASKED.isdisjoint(v.words)]
    for view in views:
        for macro in view.document.macros:
            body = view.text[macro.body_start : macro.body_end].strip()
            if macro.parameters is None and body in _MASKED:
                passes[macro.name] = 0
        for call in view.calls(*MASKED):
            if not call.arguments or call.is_member:
                continue
            mask = view.source(call.arguments[0]).strip()
            if _NAME.fullmatch(mask):
                names.add(mask)
                passed = _passed(view, call, mask)
                if passed is not None:
                    passes.setdefault(*passed)
    for name in MASKED:
        passes.pop(name, None)
    for view in context.views:
        if view.kind == "source" and not passes.keys().isdisjoint(view.words):
            for _, span in passed_masks(view, passes):
                mask = view.source(span).strip()
                if _NAME.fullmatch(mask):
                    names.add(mask)
    return Masks(passes, frozenset(names), frozenset(n for n in names if _MASK_LIKE.search(n)))


def _passed(view: View, call: Call, mask: str) -> tuple[str, int] | None:
    """Return the macro or function around a call that takes its mask as a parameter, and which."""
    if call.macro is not None:
        parameters = call.macro.parameters or ()
        return (call.macro.name, parameters.index(mask)) if mask in parameters else None
    code = view.document.code
    function = view.functions().at(view.code_position(call.name_span.start))
    if function is None or function.is_lambda or function.parameters < 0:
        return None
    spans = code.split(function.parameters, code.partner(function.parameters), declares=True)
    for index, span in enumerate(spans):
        declared = _NAME.findall(view.source(span).partition("=")[0])
        if declared and declared[-1] == mask:
            return function.name, index
    return None


def passed_masks(view: View, passes: Mapping[str, int]) -> Iterator[tuple[Call, Span]]:
    """Yield the calls that hand a mask on, and the mask."""
    for call in view.calls(*(name for name in passes if name in view.words)):
        index = passes[call.name]
        if not call.is_member and index < len(call.arguments):
            yield call, call.arguments[index]


@lru_cache(maxsize=256)
def _definition(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"^[ \t]*#[ \t]*define[ \t]+{name}[ \t]+(?P<macro>{_FULL_TEXT})"
        rf"|(?P<type>\b(?:{_TYPES}))(?:\s+const)?\s+{name}\s*[={{]\s*(?P<value>{_FULL_TEXT})\s*}}?\s*[;,)]",
        re.MULTILINE,
    )


def mask_definitions(view: View, masks: Masks) -> Iterator[MaskDefinition]:
    """Yield the definitions here of names that are used as masks."""
    used = {
        view.source(call.arguments[0]).strip()
        for call in view.calls(*MASKED)
        if call.arguments and not call.is_member
    } | {view.source(span).strip() for _, span in passed_masks(view, masks.passes)}
    for name in masks.names & view.words & (masks.shared | used):
        for match in _definition(name).finditer(view.text):
            kind = "macro" if match["macro"] else "value"
            local = kind == "value" and view.functions().at(view.code_position(match.start()))
            if (local and name not in used) or not FULL.fullmatch(match[kind].replace(" ", "")):
                continue
            written = kind == "value" and match["type"] != "auto"
            of_type = Span(*match.span("type")) if written else Span(0, 0)
            yield MaskDefinition(name, of_type, Span(*match.span(kind)))
