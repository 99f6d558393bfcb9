"""Finds the names that a C or C++ header declares, without preprocessing it.

Both branches of every `#if` count: a name is declared where some configuration declares it. The
text is read flat, by regular expressions over comment-free text, which needs no include path and
survives any macro; what it calls a declaration is a name in a declaring position (`TYPE NAME(`,
`typedef … NAME;`, an enumerator, a tag, `#define NAME`), not a mere mention.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_COMMENT_OR_STRING = re.compile(
    r"//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.){1,4}'", re.DOTALL
)
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)((?:[^\n\\]|\\.|\\\n)*)", re.MULTILINE | re.DOTALL)
_DEFINE = re.compile(r"\s+([A-Za-z_]\w*)(\([^)]*\))?\s*(.*)", re.DOTALL)
_CALL_LIKE = re.compile(r"([\w>*&])(\s*)\b([A-Za-z_]\w*)\s*\(")
_LAST_WORD = re.compile(r"([A-Za-z_]\w*)\Z")
_TYPEDEF = re.compile(r"\btypedef\b")
_FUNCTION_POINTER = re.compile(
    r"\(\s*(?:[A-Za-z_]\w*\s+)?\*\s*(?:const\s+)?([A-Za-z_]\w*)\s*\)\s*\("
)
_ATTRIBUTE = r"(?:(?:[A-Z_]\w*|alignas)\s*(?:\((?:[^()]|\([^()]*\))*\))?\s+)*"
_TAG = re.compile(
    rf"\b(struct|class|union|enum(?:\s+(?:class|struct))?)\s+{_ATTRIBUTE}([A-Za-z_]\w*)\s*(?=[:{{;])"
)
_ENUM_BODY = re.compile(r"\benum\b[^;{}()]*\{([^{}]*)\}")
_ENUMERATOR = re.compile(r"(?:^|,)\s*([A-Za-z_]\w*)\s*(?=[=,({]|[A-Z_]+\(|$|__attribute__)")
_USING = re.compile(r"\busing\s+([A-Za-z_]\w*)\s*=")
_VARIABLE = re.compile(
    r"\b(?:extern|static|constexpr|const|__device__|__constant__)\b[^;(){}=]*?\b([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)?[;=]"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NOT_A_TYPE = frozenset(
    _words("return else case new delete throw sizeof goto operator defined and or not if while for")
    | _words(
        "switch do in struct class union enum typedef typename using namespace template define"
    )
    | _words("alignas decltype")
)
_NOT_A_NAME = frozenset(
    _words("void int char short long float double bool unsigned signed const volatile if while for")
    | _words(
        "switch return sizeof alignas alignof decltype noexcept operator static_assert defined"
    )
    | _words("__attribute__ __declspec __align__ __launch_bounds__ __builtin_align__ requires")
    | _words("explicit asm __asm__")
)


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declared name. `parameters` are the numbers of arguments that a function's forms take."""

    name: str
    kind: str  # function | type | enumerator | macro | variable
    header: str
    parameters: frozenset[int] = frozenset()
    alias: str = ""  # what a macro without arguments stands for, where that is one name


def strip_comments(text: str) -> str:
    """The text without comments and with empty strings; line structure is not kept."""
    return _COMMENT_OR_STRING.sub(
        lambda match: " " if match[0].startswith("/") else match[0][0] * 2, text
    )


def split_directives(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Comment-free text without its directives, and the (name, body) of each `#define`."""
    defines = []
    for match in _DIRECTIVE.finditer(text):
        if match[1] == "define":
            parts = _DEFINE.match(match[2])
            if parts is not None:
                body = parts[3].replace("\\\n", " ").strip()
                defines.append((parts[1] + (parts[2] or ""), body))
    return _DIRECTIVE.sub("", text), defines


def balanced(text: str, start: int) -> int:
    """The index after the bracket that closes the one at `start`; len(text) where none does."""
    depth = 0
    for index in range(start, len(text)):
        if text[index] in "([{":
            depth += 1
        elif text[index] in ")]}":
            depth -= 1
            if depth == 0:
                return index + 1
    return len(text)


def parameter_counts(arguments: str) -> frozenset[int]:
    """How many arguments a parameter list takes, defaults counted both ways; -1 for `...`."""
    depth = 0
    parts = [""]
    for char in arguments:
        if char in "([{<":
            depth += 1
        elif char in ")]}>":
            depth -= 1
        if char == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += char
    parts = [part.strip() for part in parts]
    if parts in ([""], ["void"]):
        return frozenset({0})
    if any("..." in part for part in parts):
        return frozenset({-1})
    # CUDA and HIP both hide the default of a parameter in a macro: __dv(0), __dparm(0).
    required = sum(not re.search(r"=|__dv\(|__dparm\(", part) for part in parts)
    return frozenset(range(required, len(parts) + 1))


def _functions(text: str) -> Iterator[tuple[str, frozenset[int]]]:
    for match in _CALL_LIKE.finditer(text):
        name = match[3]
        if name in _NOT_A_NAME or (not match[2] and match[1] not in "*&>"):
            continue
        before = text[max(0, match.start() - 80) : match.start() + 1].rstrip()
        word = _LAST_WORD.search(before)
        if word is not None and word[1] in _NOT_A_TYPE:
            continue
        if word is None and before[-1] in "*&":
            # `T *f(` declares; `a * f(` and `&f(` do not: a type stands before the star.
            owner = _LAST_WORD.search(before.rstrip("*& \t\n"))
            if owner is None or owner[1] in _NOT_A_TYPE:
                continue
        opening = match.end() - 1
        end = balanced(text, opening)
        yield name, parameter_counts(text[opening + 1 : end - 1])


def _typedefs(text: str) -> Iterator[str]:
    for match in _TYPEDEF.finditer(text):
        end, depth = match.end(), 0
        while end < len(text) and (text[end] != ";" or depth):
            depth += (text[end] in "{(") - (text[end] in "})")
            end += 1
        body = text[match.end() : end]
        brace = body.rfind("}")
        pointer = _FUNCTION_POINTER.search(body) if brace < 0 else None
        if pointer is not None:
            yield pointer[1]
            continue
        for part in (body[brace + 1 :] if brace >= 0 else body).split(","):
            name = re.search(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*\Z", part.rstrip())
            if name is not None:
                yield name[1]
            else:  # typedef int f(int);
                function = re.search(r"([A-Za-z_]\w*)\s*\(", part)
                if function is not None:
                    yield function[1]


# Macros that make names by pasting, and the names that one use of each makes (\1 is its argument).
_PASTING = (
    (re.compile(r"^\s*__MAKE_VECTOR_TYPE__\((\w+),", re.MULTILINE), "type", (r"\g<1>1", r"\g<1>2",
     r"\g<1>3", r"\g<1>4")),
    (re.compile(r"^\s*DECLOP_MAKE_\w+_COMPONENT\([\w ]+,\s*(\w+)\)", re.MULTILINE), "function",
     (r"make_\1",)),
    (re.compile(r"^\s*MIOPEN_DECLARE_OBJECT\((\w+)\)", re.MULTILINE), "type", (r"\1_t",)),
)  # fmt: skip


def _pasted(code: str, header: str) -> Iterator[Declaration]:
    for pattern, kind, names in _PASTING:
        for match in pattern.finditer(code):
            for name in names:
                yield Declaration(match.expand(name), kind, header)


def declarations(text: str, header: str) -> Iterator[Declaration]:
    """Every name that the header text declares; one that is declared twice comes twice."""
    code, defines = split_directives(strip_comments(text))
    for name, body in defines:
        plain, bracket, arguments = name.partition("(")
        if body or bracket:
            counts = parameter_counts(arguments[:-1]) if bracket else frozenset()
            alias = body if not bracket and re.fullmatch(r"[A-Za-z_]\w*", body) else ""
            yield Declaration(plain, "macro", header, counts, alias)
    yield from _pasted(code, header)
    for name in _typedefs(code):
        yield Declaration(name, "type", header)
    for match in _TAG.finditer(code):
        yield Declaration(match[2], "type", header)
    for match in _USING.finditer(code):
        yield Declaration(match[1], "type", header)
    for match in _ENUM_BODY.finditer(code):
        for item in match[1].split(","):
            enumerator = re.match(r"\s*([A-Za-z_]\w*)", item)
            if enumerator is not None:
                yield Declaration(enumerator[1], "enumerator", header)
    for name, counts in _functions(code):
        yield Declaration(name, "function", header, counts)
    for match in _VARIABLE.finditer(code):
        yield Declaration(match[1], "variable", header)


def read_header(path: Path, header: str) -> list[Declaration]:
    """The declarations of one header file; bytes that are no UTF-8 are kept out of the way."""
    return list(declarations(path.read_text(encoding="utf-8", errors="replace"), header))
