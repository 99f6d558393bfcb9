"""What rules know beyond one file: the targets, the map, and the constants of the whole tree."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from warp2wave.apimap import load
from warp2wave.apimap.lookup import ApiMap
from warp2wave.rules.view import View
from warp2wave.syntax.expressions import MacroFacts, evaluate
from warp2wave.targets import Target

# `#define N 32`, `constexpr int N = 32;`, `static const unsigned N = 32u;`, `enum { N = 32 }`.
_DEFINED = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\n/\\]*[^\s/\\])[ \t]*(?://[^\n]*|/\*[^\n]*)?\r?$",
    re.MULTILINE,
)
_CONSTANT = re.compile(
    r"\b(?:constexpr|const)\b[^;={}()\n]{0,120}?\b(\w+)\s*(?:=\s*|\{\s*)([^;{}\n,]+?)\s*\}?\s*[;,]"
)
_ENUMERATOR = re.compile(r"\benum\b[^;{}]{0,200}\{([^{}]*)\}")
_ASSIGNED = re.compile(r"\b(\w+)\s*=\s*([^,{}]+?)\s*(?:,|$)")
_WIDEST = 200


class Context:
    """The tree that is scanned. `views` are all its files; `targets` the cards it shall run on."""

    def __init__(self, views: Sequence[View], targets: Sequence[Target]) -> None:
        self.views = views
        self.targets = tuple(targets)

    @cached_property
    def api(self) -> ApiMap:
        """The map of CUDA names."""
        return load()

    @cached_property
    def has_wide_waves(self) -> bool:
        """True when a target has waves of 64 lanes."""
        return any(target.warp_size == 64 for target in self.targets)

    @cached_property
    def least_shared_memory(self) -> Target | None:
        """The target whose blocks have the least shared memory; None where there is no target."""
        return min(self.targets, key=lambda t: t.shared_memory_per_block, default=None)

    @cached_property
    def _texts(self) -> Mapping[str, frozenset[str]]:
        """Every name that the tree defines as a constant, with the texts it stands for."""
        found: dict[str, set[str]] = defaultdict(set)
        for view in self.views:
            if view.kind == "source":
                for name, text in _constants(view.text):
                    found[name].add(text)
        return {name: frozenset(texts) for name, texts in found.items()}

    def values(self, name: str) -> frozenset[int]:
        """Return the integers that the tree defines a name as; empty where it is no constant.

        More than one where branches or files differ.
        """
        return frozenset(
            value
            for text in self._texts.get(name, ())
            if (value := self.evaluate(text, frozenset({name}))) is not None
        )

    def evaluate(self, text: str, busy: frozenset[str] = frozenset()) -> int | None:
        """Return the value of a constant expression; None where it is none or is ambiguous.

        Names stand for what the tree defines them as, if that is the same everywhere.
        """
        text = text.strip()
        if len(text) > _WIDEST:
            return None
        known: dict[str, int] = {}
        for name in set(re.findall(r"[A-Za-z_]\w*", text)) - busy:
            texts = self._texts.get(name, frozenset())
            if len(texts) == 1 and len(busy) < 8:
                value = self.evaluate(next(iter(texts)), busy | {name})
                if value is not None:
                    known[name] = value
        stripped = re.sub(
            r"\bstatic_cast\s*<[^<>]*>|\((?:unsigned|int|size_t|uint32_t)\)", "", text
        )
        return evaluate(stripped, MacroFacts(defined=known))


def _constants(text: str) -> Iterable[tuple[str, str]]:
    if "define" in text:
        yield from _DEFINED.findall(text)
    if "const" in text:
        yield from _CONSTANT.findall(text)
    if "enum" in text:
        for body in _ENUMERATOR.findall(text):
            yield from _ASSIGNED.findall(body)
