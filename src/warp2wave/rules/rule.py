"""What a rule is, and what it yields. Rules read; they never write, print or start a compiler."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from warp2wave.model import Effort, Fix, Severity

if TYPE_CHECKING:
    from warp2wave.rules.context import Context
    from warp2wave.rules.view import View

FileKind = Literal["source", "python", "cmake", "toml", "text"]
"""source: C++ and CUDA; python: build scripts and what calls torch.utils.cpp_extension; cmake:
CMakeLists.txt and *.cmake; toml: pyproject.toml and build.toml; text: CI and container files."""


@dataclass(frozen=True, slots=True)
class Hit:
    """What a rule found: the characters [start, end) of the view's text, and why.

    `severity`, `effort` and `handled` replace the rule's own where they differ here. `anywhere`
    keeps the hit even where HIP never compiles the text (a hit on an `#if` line itself does not
    need it: that line belongs to what is around the group).
    """

    start: int
    end: int
    message: str
    fix: Fix | None = None
    severity: Severity | None = None
    effort: Effort | None = None
    handled: bool | None = None
    anywhere: bool = False


Check = Callable[["View", "Context"], Iterable[Hit]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One hazard. `page` is the module's docstring: the public page, in Markdown.

    `words` and `prefixes` say when a file is worth a look: it has one of these identifiers, or one
    that begins so; both empty: always. `kinds` are the files it reads. `handled` says that a
    single-source port keeps this right by its headers, except in files that opt in to native waves
    (there a hit counts as open).
    """

    code: str
    name: str
    severity: Severity
    effort: Effort
    check: Check
    page: str
    words: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()
    kinds: frozenset[FileKind] = frozenset({"source"})
    handled: bool = False

    def __post_init__(self) -> None:
        if not re.fullmatch(r"W2W[1-9]\d\d", self.code):
            raise ValueError(f"{self.code}: not a code")
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.name):
            raise ValueError(f"{self.code}: {self.name!r} is not in kebab case")

    @property
    def summary(self) -> str:
        """The page's first line, without a full stop."""
        return self.page.strip().partition("\n")[0].rstrip(".")
