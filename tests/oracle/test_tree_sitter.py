"""tree-sitter-cuda as an oracle: it must see the launches, kernels and calls that we see.

It is a grammar of its own, with its own faults: it reads no macro bodies, takes a macro that stands
alone for a declaration, and marks what it cannot read as ERROR. So the allow-lists below say, by
the kind of node it makes of a place, where the two may differ and why. Anything else is a failure.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from warp2wave.syntax.calls import find_calls
from warp2wave.syntax.document import Document
from warp2wave.syntax.kernels import find_kernels
from warp2wave.syntax.launches import find_launches

tree_sitter = pytest.importorskip("tree_sitter")
tree_sitter_cuda = pytest.importorskip("tree_sitter_cuda")

STATEMENTS = frozenset(("function_definition", "declaration", "template_declaration"))
ROOT = Path(__file__).parents[2]

# What we call a call and tree-sitter does not, by the node that the parenthesis belongs to.
OURS_ONLY = {
    "parameter_list": "a constructor, or a macro used as a declaration, looks like a declarator",
    "field_initializer": "a member initialiser, `: size(n)`, looks like a call in tokens",
    "parenthesized_declarator": "a call that is read as a declarator in parentheses",
}
# What tree-sitter calls a call and we do not, by the node that it takes for the function.
THEIRS_ONLY = {
    "call_expression": "the result of a call is called, `Op<T>()(x)`: no name",
    "compound_literal_expression": "a temporary is called, `Op{}(x)`: no name",
    "parenthesized_expression": "a cast `(T)(x)` is read as a call",
}


@dataclass(frozen=True)
class Oracle:
    """Offsets of what tree-sitter sees, and the tree to ask about a place."""

    launches: frozenset[int]
    kernels: frozenset[int]
    calls: dict[int, str]
    tree: tree_sitter.Tree
    text: str

    def parents(self, offset: int) -> Iterator[str]:
        """Yield the types of the nodes around an offset, innermost first."""
        node = self.tree.root_node.descendant_for_byte_range(offset, offset + 1)
        while node is not None:
            yield node.type
            node = node.parent

    def is_doubtful(self, offset: int) -> bool:
        """Say whether the statement or declaration around an offset was not fully understood."""
        node = self.tree.root_node.descendant_for_byte_range(offset, offset + 1)
        while node is not None and node.parent is not None:
            if node.type == "ERROR" or node.is_missing:
                return True
            if node.type in STATEMENTS and node.has_error:
                return True
            node = node.parent
        # The root can be an ERROR node itself, which has no parent.
        return node is not None and node.type == "ERROR"

    def in_directive(self, offset: int) -> bool:
        """Say whether an offset is in a line that starts with a hash (`#if F(x)`)."""
        return self.text[: offset + 1].rsplit("\n", 1)[-1].lstrip().startswith("#")


def _nodes(tree: tree_sitter.Tree) -> Iterator[tree_sitter.Node]:
    cursor = tree.walk()
    while True:
        yield cursor.node
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def ask_oracle(text: str) -> Oracle:
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))
    tree = parser.parse(text.encode("ascii"))
    launches, kernels, calls = set(), set(), {}
    for node in _nodes(tree):
        if node.type == "kernel_call_syntax":
            launches.add(node.start_byte)
        elif node.type == "__global__":
            kernels.add(node.start_byte)
        elif node.type == "call_expression" and not any(
            child.type == "kernel_call_syntax" for child in node.children
        ):
            function = node.child_by_field_name("function")
            calls[node.child_by_field_name("arguments").start_byte] = function.type
    return Oracle(frozenset(launches), frozenset(kernels), calls, tree, text)


@cache
def cases() -> tuple[tuple[str, Document, Oracle], ...]:
    files = [*ROOT.glob("examples/**/*.cu"), *ROOT.glob("examples/**/*.cuh")]
    found = importlib.util.find_spec("torch")
    if found is not None and found.origin is not None:
        include = Path(found.origin).parent / "include"
        files += include.rglob("*.cuh")
        files += (path for path in include.rglob("*.h") if b"__global__" in path.read_bytes())
    texts = ((path, path.read_bytes().decode("ascii", "replace")) for path in sorted(files))
    # One byte a character, so that both sides' offsets are the same.
    plain = ((path, text.encode("ascii", "replace").decode("ascii")) for path, text in texts)
    return tuple((path.name, Document(text), ask_oracle(text)) for path, text in plain)


def _describe(name: str, document: Document, offset: int) -> str:
    line, _ = document.line_column(offset)
    return f"{name}:{line}: {document.text[max(0, offset - 40) : offset + 20]!r}"


def test_there_is_something_to_compare() -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    assert sum(len(oracle.launches) for _, _, oracle in cases()) > 50
    assert sum(len(oracle.kernels) for _, _, oracle in cases()) > 200
    assert sum(len(oracle.calls) for _, _, oracle in cases()) > 5000


def test_launches_agree() -> None:
    """No exception: every launch outside macro bodies is seen by both."""
    differences = [
        _describe(name, document, offset)
        for name, document, oracle in cases()
        for offset in oracle.launches
        ^ {launch.opening.start for launch in find_launches(document) if launch.macro is None}
    ]
    assert differences == []


def test_kernels_agree() -> None:
    """No exception: every kernel outside macro bodies is seen by both."""
    differences = [
        _describe(name, document, offset)
        for name, document, oracle in cases()
        for offset in oracle.kernels
        ^ {kernel.keyword.start for kernel in find_kernels(document) if kernel.macro is None}
    ]
    assert differences == []


def test_calls_agree() -> None:
    differences = []
    for name, document, oracle in cases():
        ours = {c.arguments_span.start for c in find_calls(document) if c.macro is None}
        for offset in oracle.calls.keys() - ours:
            allowed = oracle.calls[offset] in THEIRS_ONLY or oracle.in_directive(offset)
            if not allowed and not oracle.is_doubtful(offset):
                differences.append("theirs " + _describe(name, document, offset))
        for offset in ours - oracle.calls.keys():
            parents = list(oracle.parents(offset))[:4]
            if OURS_ONLY.keys().isdisjoint(parents) and not oracle.is_doubtful(offset):
                differences.append("ours " + _describe(name, document, offset))
    assert differences == []


def test_most_calls_agree_without_exception() -> None:
    """The allow-lists must stay exceptions: at least 95 % of all calls are seen by both."""
    both = either = 0
    for _, document, oracle in cases():
        ours = {c.arguments_span.start for c in find_calls(document) if c.macro is None}
        both += len(ours & oracle.calls.keys())
        either += len(ours | oracle.calls.keys())
    assert both >= 0.95 * either
