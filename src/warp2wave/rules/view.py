"""One file as rules see it: its text and what syntax finds there, each part when asked for."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from warp2wave.port.platform import HIP_FACTS
from warp2wave.rules.rule import FileKind
from warp2wave.syntax.calls import Call, call_at
from warp2wave.syntax.code import Code, Span
from warp2wave.syntax.conditions import active_regions
from warp2wave.syntax.document import Document
from warp2wave.syntax.functions import Function, Functions, find_functions
from warp2wave.syntax.includes import Include, find_includes
from warp2wave.syntax.kernels import Kernel, find_kernels
from warp2wave.syntax.launches import Launch, find_launches
from warp2wave.syntax.macros import Macro
from warp2wave.syntax.patterns import spelling

_WORD = re.compile(r"[A-Za-z_]\w*")
_DEVICE_MARK = re.compile(r"\b__(?:device|global)__\b|<<\s*<")


@dataclass(frozen=True, slots=True)
class Site:
    """One token that a rule asked for: its place in a piece of code, and the macro it stands in."""

    code: Code
    position: int
    macro: Macro | None

    @property
    def start(self) -> int:
        """The offset of the token's first character."""
        return self.code.starts[self.position]

    @property
    def end(self) -> int:
        """The offset after its last character."""
        return self.code.ends[self.position]

    def next(self, distance: int = 1) -> str:
        """The token `distance` after this one ("" outside of the code); negative: before."""
        return self.code.lexeme(self.position + distance)


class View:
    """One file of the tree. `native` says that it opts in to waves of the hardware's own width."""

    def __init__(
        self, path: PurePosixPath, text: str, kind: FileKind = "source", *, native: bool = False
    ) -> None:
        self.path = path
        self.text = text
        self.kind = kind
        self.native = native
        self.document = Document(text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the text, those of comments and strings too: a quick first look."""
        return frozenset(_WORD.findall(self.text))

    @cached_property
    def has_device_code(self) -> bool:
        """True where the file has kernels, device functions or launches."""
        return _DEVICE_MARK.search(self.text) is not None

    @cached_property
    def _index(self) -> Mapping[str, Sequence[Site]]:
        found: dict[str, list[Site]] = defaultdict(list)
        for code, macro in self.document.pieces:
            for position, lexeme in enumerate(code.lexemes):
                if lexeme[0] not in "();,{}.":
                    key = spelling(lexeme) if "\\" in lexeme else lexeme
                    found[key].append(Site(code, position, macro))
        return found

    def sites(self, *lexemes: str) -> Iterator[Site]:
        """Yield the tokens spelled so outside comments and strings, macro bodies included.

        By lexeme, then by place. `#if` lines, includes and the like are no code; see `directives`.
        """
        for lexeme in lexemes:
            yield from self._index.get(lexeme, ())

    def hip_sites(self, *lexemes: str) -> list[Site]:
        """Return the `sites` that a HIP build may compile."""
        return [site for site in self.sites(*lexemes) if self.on_hip(site.start)]

    def matching(self, pattern: str | re.Pattern[str]) -> Iterator[Site]:
        """Yield the tokens whose whole spelling matches a regular expression."""
        regex = re.compile(pattern)
        for lexeme, sites in self._index.items():
            if regex.fullmatch(lexeme):
                yield from sites

    def calls(self, *names: str) -> Iterator[Call]:
        """Yield the calls of functions or macros with these last names."""
        for site in self.sites(*names):
            call = self.call_of(site)
            if call is not None:
                yield call

    def call_of(self, site: Site) -> Call | None:
        """Return the call whose name stands at a site, None where it is none."""
        return call_at(self.document, site.code, site.macro, site.position)

    @cached_property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels declared or defined here."""
        return find_kernels(self.document)

    @cached_property
    def launches(self) -> tuple[Launch, ...]:
        """The `<<<…>>>` launches."""
        return find_launches(self.document) if "<<" in self.text else ()

    @cached_property
    def includes(self) -> tuple[Include, ...]:
        """The `#include` lines."""
        return find_includes(self.document)

    @cached_property
    def _functions(self) -> dict[int, Functions]:
        return {}

    def functions(self, code: Code | None = None) -> Functions:
        """Return the functions of the text outside macros, or of one piece of code."""
        code = code or self.document.code
        if id(code) not in self._functions:
            self._functions[id(code)] = find_functions(code)
        return self._functions[id(code)]

    def function_of(self, site: Site) -> Function | None:
        """Return the named function in whose body a site stands."""
        return self.functions(site.code).at(site.position)

    def source(self, span: Span) -> str:
        """The text of a span."""
        return self.text[span.start : span.end]

    def code_position(self, offset: int) -> int:
        """Return the position in `document.code` of the token that covers or follows an offset."""
        from bisect import bisect_left

        ends = self.document.code.ends
        return bisect_left(ends, offset + 1)

    @cached_property
    def _activity(self) -> tuple[bool | None, ...]:
        return active_regions(self.document.conditions, HIP_FACTS)

    def on_hip(self, offset: int) -> bool:
        """False where a HIP build certainly leaves the text at `offset` out."""
        if self.kind != "source" or "#" not in self.text:
            return True
        from bisect import bisect_right

        conditions = self.document.conditions
        return self._activity[bisect_right(conditions.starts, offset) - 1] is not False
