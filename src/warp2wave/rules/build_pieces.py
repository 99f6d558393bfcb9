"""The texts of build files that rules look at: Python strings and CMake arguments with their place.

Left out is what only one platform's build reaches: the branches of a condition that asks for HIP
or for CUDA by name, and what follows an early return of a HIP branch.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from warp2wave.rules.remembered import remembered
from warp2wave.rules.view import View
from warp2wave.script_values import dotted
from warp2wave.syntax.cmake import Command, commands

_GUARD = re.compile(
    r"(?i)(?<![a-z])hip(?![a-z]*ster)|rocm|(?<![a-z])amd(?!64)|version\.cuda\b|\bcuda_home\b"
    r"|['\"]cuda['\"]|is_cuda\b|cuda_id\b"
)
_CMAKE_GUARD = re.compile(
    r"(?i)hip|rocm|amd(?!64)|^(?:with|use|build|enable|\w+)?_?cuda(?:_found|toolkit_found)?$"
    r"|CMAKE_CUDA_COMPILER|gpu_lang"
)
_GENERATOR = re.compile(r"COMPILE_LANGUAGE:CUDA|COMPILE_LANG_AND_ID:CUDA|CUDA_COMPILER_ID|:HIP\b")
_PLAIN_HIP = re.compile(r"(?:\w+\.)*version\.hip|(?i:_*(?:is|use|with|has)_(?:rocm|hip)|hip_build)")
_NEWLINE = re.compile(r"\r\n|\r|\n")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Piece:
    """One string or argument: its place in the view's text, its value, and what it is given to.

    `within` are the names of the calls and keywords around a Python string, innermost last, or the
    CMake command's name and first argument.
    """

    start: int
    end: int
    text: str
    within: tuple[str, ...]


class Script:
    """A Python file as syntax. `module` is None where it is not Python of this version."""

    def __init__(self, text: str) -> None:
        self._bom = int(text.startswith("\ufeff"))
        self._text = _SURROGATE.sub("?", text[self._bom :])
        self._starts = [0, *(hit.end() for hit in _NEWLINE.finditer(self._text))]
        self.module: ast.Module | None = None
        try:
            self.module = ast.parse(self._text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        self._aliases = frozenset(
            target.id
            for node in ast.walk(self.module)
            if isinstance(node, ast.Assign) and _GUARD.search(self.source(node.value))
            for target in node.targets
            if isinstance(target, ast.Name)
            and isinstance(node.value, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Attribute))
        )

    @property
    def text(self) -> str:
        """The text that was read."""
        return self._text

    def offset(self, line: int, column: int) -> int:
        """Return the character offset of a line, from 1, and a column in UTF-8 bytes."""
        start = self._starts[line - 1]
        stop = self._starts[line] if line < len(self._starts) else len(self._text)
        before = self._text[start:stop].encode()[:column].decode("utf-8", "ignore")
        return self._bom + start + len(before)

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return the place of a node in the text."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return self.offset(node.lineno, node.col_offset), self.offset(end_line, end_column)

    def source(self, node: ast.expr) -> str:
        """Return the text of a node."""
        start, end = self.span(node)
        return self._text[start - self._bom : end - self._bom]

    def is_guard(self, test: ast.expr) -> bool:
        """Say whether a condition asks which platform is built for."""
        if _GUARD.search(self.source(test)):
            return True
        return any(isinstance(n, ast.Name) and n.id in self._aliases for n in ast.walk(test))

    def nodes(self, *, guarded: bool = False) -> Iterator[tuple[ast.AST, tuple[ast.AST, ...]]]:
        """Yield nodes with the ones around them; those behind platform guards only if `guarded`."""
        if self.module is None:
            return
        todo: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(self.module, ())]
        while todo:
            node, around = todo.pop()
            yield node, around
            inside = (*around[-40:], node)
            children = list(ast.iter_child_nodes(node))
            if not guarded:
                if isinstance(node, (ast.If, ast.IfExp)) and self.is_guard(node.test):
                    children = [node.test, *self._branch_of_hip(node)]
                elif isinstance(node, (ast.Module, ast.FunctionDef)):
                    children = self._until_return(children)
            todo += [(child, inside) for child in reversed(children)]

    def _branch_of_hip(self, node: ast.If | ast.IfExp) -> list[ast.AST]:
        """Return the branch that a plain test for HIP takes on HIP; none for other tests."""
        test, wanted = node.test, True
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, wanted = test.operand, False
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            right = test.comparators[0]
            if not isinstance(right, ast.Constant) or right.value is not None:
                return []
            wanted = wanted is isinstance(test.ops[0], (ast.IsNot, ast.NotEq))
            test = test.left
        if not isinstance(test, (ast.Name, ast.Attribute)) or not _PLAIN_HIP.fullmatch(
            dotted(test)
        ):
            return []
        branch: ast.AST | list[ast.stmt] = node.body if wanted else node.orelse
        return list(branch) if isinstance(branch, list) else [branch]

    def _until_return(self, children: Sequence[ast.AST]) -> list[ast.AST]:
        kept: list[ast.AST] = []
        for child in children:
            kept.append(child)
            if isinstance(child, ast.If) and self.is_guard(child.test):
                leaves = isinstance(child.body[-1], (ast.Return, ast.Raise))
                if leaves and re.search(r"(?i)hip|rocm|amd", self.source(child.test)):
                    break
        return kept


@remembered
def script_of(view: View) -> Script:
    """Return a Python file as syntax, parsed once for all rules."""
    return Script(view.text)


def pieces(view: View, *, guarded: bool = False) -> Iterator[Piece]:
    """Yield the texts of a Python or CMake file outside platform guards; all if `guarded`."""
    if view.kind == "python":
        yield from _of_python(script_of(view), guarded)
    elif view.kind == "cmake":
        for command in commands(view.text) if guarded else open_commands(view.text):
            within = (command.name, *command.words[:1])
            for argument in command.arguments:
                if not _GENERATOR.search(argument.text):
                    yield Piece(argument.start, argument.end, argument.text, within)


def _of_python(script: Script, guarded: bool) -> Iterator[Piece]:
    for node, around in script.nodes(guarded=guarded):
        if not isinstance(node, (ast.Constant, ast.JoinedStr)):
            continue
        if around and isinstance(around[-1], (ast.Expr, ast.JoinedStr, ast.FormattedValue)):
            continue
        if any(isinstance(outer, (ast.Compare, ast.Raise, ast.Assert)) for outer in around[-4:]):
            continue
        value = _text_of(node)
        if value:
            start, end = script.span(node)
            yield Piece(start, end, value, tuple(_names(around)))


def _text_of(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    parts = (p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)
    return "".join(str(part) for part in parts)


def _names(around: Sequence[ast.AST]) -> Iterator[str]:
    for node in around:
        if isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Attribute):
                yield function.attr
            elif isinstance(function, ast.Name):
                yield function.id
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg


def open_commands(text: str) -> Iterator[Command]:
    """Yield the CMake commands that stand behind no condition on the platform."""
    guards: list[bool] = []
    for command in commands(text):
        if command.name == "if":
            guards.append(any(_CMAKE_GUARD.search(word) for word in command.words))
        elif command.name == "elseif" and guards:
            guards[-1] = guards[-1] or any(_CMAKE_GUARD.search(w) for w in command.words)
        elif command.name == "endif" and guards:
            guards.pop()
        elif not any(guards):
            yield command
