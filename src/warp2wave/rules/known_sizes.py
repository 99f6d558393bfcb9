"""What sizes come to: constants of the tree, local variables that are set once, and `sizeof`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from warp2wave.rules.context import Context
from warp2wave.rules.view import View
from warp2wave.syntax.code import Code, Span
from warp2wave.syntax.functions import Function

TYPE_SIZES: Mapping[str, int] = MappingProxyType(
    {
        **dict.fromkeys(("bool", "char", "int8_t", "uint8_t", "uchar", "char1", "uchar1"), 1),
        **dict.fromkeys(("short", "half", "__half", "ushort", "int16_t", "uint16_t"), 2),
        **dict.fromkeys(("__nv_bfloat16", "nv_bfloat16", "__hip_bfloat16", "Half", "char2"), 2),
        **dict.fromkeys(("int", "unsigned", "uint", "float", "int32_t", "uint32_t"), 4),
        **dict.fromkeys(("half2", "__half2", "char4", "uchar4", "short2", "__nv_bfloat162"), 4),
        **dict.fromkeys(("double", "float2", "int2", "uint2", "int64_t", "uint64_t"), 8),
        **dict.fromkeys(("size_t", "long", "short4", "ushort4"), 8),
        **dict.fromkeys(("float3", "int3", "uint3"), 12),
        **dict.fromkeys(("float4", "int4", "uint4", "double2", "longlong2"), 16),
    }
)
"""The bytes of the types that arrays in shared and constant memory are made of."""

_NAME = re.compile(r"[A-Za-z_]\w*")
_SIZEOF = re.compile(r"\bsizeof\s*\(\s*(?:const\s+)?(?:unsigned\s+|std::|at::|c10::)?(\w+)\s*\)")
_CHANGES = frozenset(("=", "+=", "-=", "*=", "/=", "++", "--", "<<=", ">>=", "|=", "&="))
_DEEPEST = 5


def value_of(
    view: View, context: Context, span: Span, known: Mapping[str, int] = MappingProxyType({})
) -> int | None:
    """Return what an expression of the file comes to, None where that is not known.

    `known` are the values of template parameters.
    """
    code = view.document.code
    function = view.functions().at(view.code_position(span.start))
    return _value(code, context, function, view.source(span), known, _DEEPEST)


def _value(
    code: Code,
    context: Context,
    function: Function | None,
    text: str,
    known: Mapping[str, int],
    depth: int,
) -> int | None:
    text = _SIZEOF.sub(lambda match: str(TYPE_SIZES.get(match[1], match[0])), text)
    if depth == 0 or len(text) > 200:
        return None
    for name in set(_NAME.findall(text)):
        value = known.get(name)
        if value is None and function is not None and not _is_local(code, function, name):
            continue
        if value is None and function is not None:
            written = _set_once(code, function, name)
            if written is not None:
                value = _value(code, context, function, written, known, depth - 1)
        if value is None and (function is not None or name in known):
            return None
        if value is not None:
            text = re.sub(rf"\b{name}\b", str(value), text)
    return context.evaluate(text)


def _is_local(code: Code, function: Function, name: str) -> bool:
    return name in _local_names(code, function.first, function.closing)


@lru_cache(maxsize=64)
def _local_names(code: Code, first: int, last: int) -> frozenset[str]:
    """Return what a function declares or sets, its parameters and template parameters too."""
    found: set[str] = set()
    for position in range(first, last):
        if not code.is_name(position) or not (
            code.is_name(position - 1) or code.lexeme(position - 1) in ("*", "&", ">")
        ):
            continue
        if code.lexeme(position - 1) in ("return", "else", "case", "goto", "new"):
            continue
        if code.lexeme(position + 1) in ("=", ",", ")", ";", "[", "(", "{", ">", ":"):
            found.add(code.lexemes[position])
    return frozenset(found)


@lru_cache(maxsize=256)
def _set_once(code: Code, function: Function, name: str) -> str | None:
    """Return what a local variable is set to, None where it has several values or none."""
    written: list[str] = []
    lexemes = code.lexemes
    for position in range(function.opening, function.closing):
        if lexemes[position] != name:
            continue
        following = lexemes[position + 1]
        declares = code.is_name(position - 1) and lexemes[position - 1] not in ("return", "else")
        if "++" in (lexemes[position - 1], following) or lexemes[position - 1] in ("--", "&"):
            return None
        if following in ("(", "{") and declares:
            closing = code.partner(position + 1)
            if closing > 0:
                written.append("".join(_spaced(lexemes[position + 1 : closing + 1])))
        elif following in _CHANGES:
            if following != "=":
                return None
            end = _end_of_initialiser(code, position + 2, function.closing)
            written.append("".join(_spaced(lexemes[position + 2 : end])))
    if len(written) != 1:
        return None
    return written[0]


def _spaced(lexemes: Sequence[str]) -> Iterator[str]:
    for lexeme in lexemes:
        yield f"{lexeme} "


def _end_of_initialiser(code: Code, position: int, last: int) -> int:
    while position < last and code.lexemes[position] not in (";", ","):
        closing = code.partner(position)
        if closing < 0 and code.lexemes[position] in (")", "]", "}"):
            break
        if code.lexemes[position] in (")", "]", "}"):
            break
        position = max(position, closing) + 1
    return position
