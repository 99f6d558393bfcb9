"""What a tree uses of CUDA on the HIP side: names, headers, cub, inline assembly, with places."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePosixPath

from warp2wave.model import SourceFile
from warp2wave.port.plan import Place
from warp2wave.port.platform import CUDA_FACTS, HIP_FACTS
from warp2wave.syntax.conditions import active_regions
from warp2wave.syntax.document import Document
from warp2wave.syntax.includes import Include, find_includes
from warp2wave.syntax.names import scan_names
from warp2wave.syntax.patterns import spelling
from warp2wave.syntax.tokens import LAST_TRIVIA, TokenKind

COORDINATES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
ASSEMBLY = ("asm", "__asm__", "__asm")
_EXTRA_NAMES = r"asm\b|__asm(?:__)?\b|cub\b|thrust\b|__CUDACC__\b"
# Directives whose words are no uses: what they name is text, a file or a test.
_NOT_CODE = frozenset(
    ("include", "include_next", "import", "undef", "error", "warning", "line", "if", "ifdef")
) | {"ifndef", "elif", "elifdef", "elifndef"}
_PASTED = re.compile(r"\b((?:cu(?:da|blas|sparse|solver|rand|fft|dnn)?|__shfl)\w*)\s*##\s*(\w+)")
_DEVICE_CODE = re.compile(r"\b__(?:device|global)__\b")
_WAVE_WORD = re.compile(r"(?i)warp|wave|lane|shfl|ballot")
_WAVE_NUMBER = re.compile(r"(?<![\w.])(?:64|63|0x3f|0x40)(?:u|l)*(?![\w.])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class IncludeUse:
    """One include that a HIP build meets."""

    include: Include
    place: Place


@dataclass(frozen=True, slots=True)
class Usage:
    """What the HIP side of a tree uses, each with the places where it stands.

    `names` are names that may be in the API map; `cub` and `thrust_cuda` what is taken from those
    namespaces; `defined` the macros that the tree defines itself; `assembly` each `asm`;
    `wide_launch_bounds` each `__launch_bounds__` with more than one argument; `native_waves` lines
    of HIP-only code that are written for waves of 64; `asks_cudacc` where `__CUDACC__` is tested;
    `pasted` names that macros put together with `##`, as written; `whole_coordinates` those of
    threadIdx and its like that are used without naming a component.
    """

    names: Mapping[str, Sequence[Place]]
    includes: Sequence[IncludeUse]
    cub: Mapping[str, Sequence[Place]]
    thrust_cuda: Sequence[Place]
    defined: frozenset[str]
    assembly: Sequence[Place]
    wide_launch_bounds: Sequence[Place]
    native_waves: Sequence[Place]
    asks_cudacc: Sequence[Place]
    pasted: Mapping[str, Sequence[Place]] = field(default_factory=dict)
    whole_coordinates: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Collected:
    """The lists that one pass over the files fills."""

    names: dict[str, list[Place]] = field(default_factory=dict)
    includes: list[IncludeUse] = field(default_factory=list)
    cub: dict[str, list[Place]] = field(default_factory=dict)
    thrust_cuda: list[Place] = field(default_factory=list)
    defined: set[str] = field(default_factory=set)
    assembly: list[Place] = field(default_factory=list)
    wide_launch_bounds: list[Place] = field(default_factory=list)
    native_waves: list[Place] = field(default_factory=list)
    asks_cudacc: list[Place] = field(default_factory=list)
    pasted: dict[str, list[Place]] = field(default_factory=dict)
    whole_coordinates: set[str] = field(default_factory=set)


def collect_usage(
    files: Iterable[SourceFile],
    name_pattern: str,
    cub_names: frozenset[str],
    documents: Mapping[PurePosixPath, Document] | None = None,
) -> Usage:
    """Read every file once and return what its HIP side uses.

    `name_pattern` matches names that may be in the API map; `cub_names` are the names of namespace
    cub that the map knows, needed to understand `using namespace cub`. `documents` are those of
    files that have been read already.
    """
    into = _Collected()
    known = documents or {}
    pattern = f"{name_pattern}|{_EXTRA_NAMES}"
    for file in files:
        _read(file, known.get(file.path) or Document(file.text), pattern, cub_names, into)
    return Usage(
        names=into.names,
        includes=into.includes,
        cub=into.cub,
        thrust_cuda=into.thrust_cuda,
        defined=frozenset(into.defined),
        assembly=into.assembly,
        wide_launch_bounds=into.wide_launch_bounds,
        native_waves=into.native_waves,
        asks_cudacc=into.asks_cudacc,
        pasted=into.pasted,
        whole_coordinates=frozenset(into.whole_coordinates),
    )


def _read(
    file: SourceFile,
    document: Document,
    pattern: str,
    cub_names: frozenset[str],
    into: _Collected,
) -> None:
    on_hip = _Regions(document)
    # Assembly elsewhere is the host's own.
    device_code = _DEVICE_CODE.search(file.text) is not None

    def place(offset: int) -> Place:
        return Place(file.path, *document.line_column(offset))

    for include in find_includes(document):
        if on_hip.sees(include.start):
            into.includes.append(IncludeUse(include, place(include.start)))
    defines, skipped = _directive_spans(document)
    for name, start in defines:
        if on_hip.sees(start):
            into.defined.add(name)
    for name, start in _pasted_names(document):
        if on_hip.sees(start):
            into.pasted.setdefault(name, []).append(place(start))
    for name, start in scan_names(file.text, pattern):
        if not on_hip.sees(start):
            continue
        inside = skipped.keyword_at(start)
        if inside is not None:
            if name == "__CUDACC__" and inside.startswith(("if", "elif")):
                into.asks_cudacc.append(place(start))
            continue
        if name in ASSEMBLY:
            if device_code:
                into.assembly.append(place(start))
        elif name == "cub":
            for used in _cub_uses(document, start, cub_names):
                into.cub.setdefault(used, []).append(place(start))
        elif name == "thrust":
            if "cuda" in _thrust_uses(document, start):
                into.thrust_cuda.append(place(start))
        elif name == "warp_size" and _code_before(document, start, 1) != ["::"]:
            pass  # a variable of the user's, not at::cuda::warp_size
        elif name != "__CUDACC__":
            into.names.setdefault(name, []).append(place(start))
            if name in COORDINATES and _spelled_from(document, start, 2)[1:] != ["."]:
                into.whole_coordinates.add(name)
            if name == "__launch_bounds__" and _argument_count(document, start) > 1:
                into.wide_launch_bounds.append(place(start))
    into.native_waves.extend(place(offset) for offset in on_hip.wave_64_lines())


class _Regions:
    """Which parts of one text a HIP build compiles, and which it alone compiles."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._starts = document.conditions.starts
        self._hip = active_regions(document.conditions, HIP_FACTS)
        self._cuda = active_regions(document.conditions, CUDA_FACTS)

    def sees(self, offset: int) -> bool:
        """False where a HIP build certainly leaves the text out."""
        return self._hip[bisect_right(self._starts, offset) - 1] is not False

    def wave_64_lines(self) -> Iterator[int]:
        """Offsets of lines, in code for HIP alone, that put 64 beside a word about warps."""
        text = self._document.text
        ends = [*self._starts[1:], len(text)]
        for index, (start, end) in enumerate(zip(self._starts, ends, strict=True)):
            if self._hip[index] is False or self._cuda[index] is not False:
                continue
            at = start
            for line in text[start:end].split("\n"):
                code = line.split("//")[0]
                if _WAVE_NUMBER.search(code) and _WAVE_WORD.search(code):
                    yield at
                at += len(line) + 1


@dataclass(frozen=True, slots=True)
class _Spans:
    starts: Sequence[int]
    ends: Sequence[int]
    keywords: Sequence[str]

    def keyword_at(self, offset: int) -> str | None:
        """The keyword of the directive that covers the offset, None outside of all."""
        index = bisect_right(self.starts, offset) - 1
        return self.keywords[index] if index >= 0 and offset < self.ends[index] else None


def _directive_spans(document: Document) -> tuple[list[tuple[str, int]], _Spans]:
    """The macros that the text defines, and the directives whose words are no uses."""
    defines: list[tuple[str, int]] = []
    spans: list[tuple[int, int, str]] = []
    tokens = document.tokens
    for directive in document.directives:
        if directive.keyword == "define" and directive.body < directive.last:
            name = spelling(tokens.lexemes[directive.body])
            start, end = tokens.starts[directive.body], tokens.starts[directive.body + 1]
            defines.append((name, start))
            spans.append((start, end, "define"))
        elif directive.keyword in _NOT_CODE:
            spans.append((directive.start, directive.end, directive.keyword))
    return defines, _Spans(*(list(column) for column in zip(*spans, strict=True))) if spans else (
        _Spans((), (), ())
    )


def _pasted_names(document: Document) -> Iterator[tuple[str, int]]:
    """`cuda##what`: each paste onto the beginning of a CUDA name, and where it stands."""
    if "##" not in document.text:
        return
    for directive in document.directives:
        if directive.keyword == "define":
            for hit in _PASTED.finditer(document.text, directive.start, directive.end):
                yield f"{hit[1]}##{hit[2]}", hit.start()


def _code_from(document: Document, offset: int) -> Iterator[tuple[str, int]]:
    """The tokens from an offset on that are no trivia: how each is spelled, and its index."""
    tokens = document.tokens
    for index in range(tokens.at(offset), len(tokens)):
        if tokens.kinds[index] > LAST_TRIVIA:
            yield spelling(tokens.lexemes[index]), index


def _spelled_from(document: Document, offset: int, count: int) -> list[str]:
    return [word for word, _ in islice(_code_from(document, offset), count)]


def _code_before(document: Document, offset: int, count: int) -> list[str]:
    """The last `count` tokens before an offset that are no trivia, nearest first."""
    tokens = document.tokens
    found: list[str] = []
    index = tokens.at(offset) - 1
    while index >= 0 and len(found) < count:
        if tokens.kinds[index] > LAST_TRIVIA:
            found.append(spelling(tokens.lexemes[index]))
        index -= 1
    return found


def _cub_uses(document: Document, offset: int, cub_names: frozenset[str]) -> Iterator[str]:
    """What one mention of namespace cub takes from it."""
    following = _spelled_from(document, offset, 3)
    before = _code_before(document, offset, 3)
    if before[:1] == ["::"]:
        before = before[1:]
    if following[1:2] == ["::"]:
        yield from _identifier(following[2:])
    elif before[:2] == ["namespace", "using"]:
        yield from sorted(_names_of(document) & cub_names)
    elif before[:1] == ["="] and len(before) > 1:  # namespace alias = cub;
        yield from _qualified_by(document, before[1])


def _thrust_uses(document: Document, offset: int) -> Iterator[str]:
    """What one mention of namespace thrust takes from it; `system::cuda` counts as `cuda`."""
    following = _spelled_from(document, offset, 5)
    before = _code_before(document, offset, 3)
    if before[:1] == ["::"]:
        before = before[1:]
    if following[1:4] == ["::", "system", "::"]:
        yield from _identifier(following[4:])
    elif following[1:2] == ["::"]:
        yield from _identifier(following[2:])
    elif before[:2] == ["namespace", "using"]:
        yield from sorted(_names_of(document) & {"cuda"})
    elif before[:1] == ["="] and len(before) > 1:  # namespace alias = thrust;
        yield from _qualified_by(document, before[1])


def _names_of(document: Document) -> frozenset[str]:
    tokens = document.tokens
    return frozenset(
        spelling(lexeme)
        for lexeme, kind in zip(tokens.lexemes, tokens.kinds, strict=True)
        if kind == TokenKind.NAME
    )


def _qualified_by(document: Document, namespace: str) -> Iterator[str]:
    for name, start in scan_names(document.text, re.escape(namespace) + r"\b"):
        if name == namespace:
            following = _spelled_from(document, start, 3)
            if following[1:2] == ["::"]:
                yield from _identifier(following[2:])


def _identifier(words: Sequence[str]) -> Iterator[str]:
    """The first word, where it is a name."""
    if words and words[0].isidentifier():
        yield words[0]


def _argument_count(document: Document, offset: int) -> int:
    """How many arguments stand in the parentheses after the name at `offset`; 0 without any.

    Read from tokens: an attribute is no call, and a macro may hold it.
    """
    depth = commas = 0
    for position, (word, index) in enumerate(_code_from(document, offset)):
        kind = document.tokens.kinds[index]
        if position == 1 and word != "(":
            return 0
        if kind == TokenKind.OPEN:
            depth += 1
        elif kind == TokenKind.CLOSE:
            depth -= 1
            if depth == 0:
                return commas + 1
        elif word == "," and depth == 1:
            commas += 1
    return 0
