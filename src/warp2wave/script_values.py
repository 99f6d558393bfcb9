"""Work out values of a Python build script from its syntax alone; nothing of it is ever run.

Every expression stands for a list of the values that it may have, UNKNOWN where that cannot be
told. A name may have the value of any assignment to it in the file; lists that grow by `+=`,
`append` and `extend` hold all that may be put in. Branches that a CUDA build on Linux does not take
(Windows, macOS, HIP) are left out; where a condition cannot be told, both branches count.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from warp2wave import script_calls
from warp2wave.script_calls import (
    CONSTANTS,
    MOST_ALTERNATIVES,
    UNKNOWN,
    Values,
    bounded,
    distinct,
    each,
    merged,
    only_text,
    truth,
)

# Evaluations after which the rest is UNKNOWN: a script may be written to take for ever.
MOST_STEPS = 200_000

_HIP_NAME = re.compile(r"(?i)(?:^|[._])(?:is_)?(?:hip|rocm|amd)(?:$|[._])")
_BLOCKS = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.With,
    ast.AsyncWith,
    ast.While,
)
# What is true of the CUDA build that the sources are written for.
_KNOWN_TRUE = frozenset({"torch.cuda.is_available", "CUDA_HOME", "cpp_extension.CUDA_HOME"})


class ScriptValues:
    """The values that the names of one script may have.

    `script` is its name within its folder, `files` the paths of the tree relative to that folder,
    against which globs and existence are judged.
    """

    def __init__(self, module: ast.Module, script: str, files: Sequence[str]) -> None:
        self.calls: list[ast.Call] = []
        self._script = script
        self._files = files
        self._bindings: dict[str, list[Callable[[], Values]]] = {}
        self._local: dict[str, Values] = {}
        self._open: dict[str, int] = {}
        self._steps = 0
        self._collect(module.body)

    def values(self, node: ast.AST | None) -> Values:
        """Return the values that an expression may have, at least one."""
        self._steps += 1
        if self._steps > MOST_STEPS:
            return [UNKNOWN]
        try:
            found = self._values(node)
        except RecursionError:
            return [UNKNOWN]
        return [bounded(value) for value in found[:MOST_ALTERNATIVES]] or [UNKNOWN]

    def elements(self, node: ast.AST | None) -> Values:
        """Return all elements that a list-valued expression may hold."""
        found: Values = []
        for value in self.values(node):
            found += value if isinstance(value, list) else [UNKNOWN]
        return found

    # Which statements count, and what they bind.

    def _collect(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            if isinstance(statement, ast.If):
                holds = self.holds(statement.test)
                self._note_calls(statement.test)
                if holds is not False:
                    self._collect(statement.body)
                if holds is not True:
                    self._collect(statement.orelse)
            elif isinstance(statement, (ast.For, ast.AsyncFor)):
                self._note_calls(statement.iter)
                self._bind_loop(statement.target, statement.iter)
                self._collect([*statement.body, *statement.orelse])
            elif isinstance(statement, _BLOCKS):
                self._collect(statement.body)
            elif isinstance(statement, ast.Try):
                self._collect([*statement.body, *statement.orelse, *statement.finalbody])
            else:
                self._note_calls(statement)
                self._bind_statement(statement)

    def _note_calls(self, node: ast.AST) -> None:
        self.calls += (part for part in ast.walk(node) if isinstance(part, ast.Call))

    def _bind(self, name: str, make: Callable[[], Values]) -> None:
        self._bindings.setdefault(name, []).append(make)

    def _bind_statement(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                self._assign(target, statement.value)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            self._assign(statement.target, statement.value)
        elif isinstance(statement, ast.AugAssign):
            self._assign(statement.target, statement.value, grows=True)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            call = statement.value
            if isinstance(call.func, ast.Attribute) and call.args:
                if call.func.attr in ("append", "insert", "add"):
                    last = ast.List(elts=[call.args[-1]], ctx=ast.Load())
                    self._assign(call.func.value, last, grows=True)
                elif call.func.attr in ("extend", "update"):
                    self._assign(call.func.value, call.args[0], grows=True)

    def _assign(self, target: ast.expr, value: ast.expr, grows: bool = False) -> None:
        if isinstance(target, ast.Name):

            def make() -> Values:
                found = self.values(value)
                # A string that grows is no longer known; a list or dict that grows may hold more.
                return [v if not grows or isinstance(v, (list, dict)) else UNKNOWN for v in found]

            self._bind(target.id, make)
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            key = target.slice
            self._bind(
                target.value.id,
                lambda: [
                    {name: merged(self.values(value))}
                    for name in self.values(key)
                    if isinstance(name, str)
                ],
            )
        elif isinstance(target, (ast.Tuple, ast.List)):
            if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
                for part, element in zip(target.elts, value.elts, strict=True):
                    self._assign(part, element)
            else:
                for part in target.elts:
                    if isinstance(part, ast.Name):
                        self._bind(part.id, lambda: [UNKNOWN])

    def _bind_loop(self, target: ast.expr, iterable: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._bind(target.id, lambda: self.elements(iterable))
        elif isinstance(target, (ast.Tuple, ast.List)):
            for index, part in enumerate(target.elts):
                if isinstance(part, ast.Name):
                    self._bind(part.id, self._position(iterable, index))

    def _position(self, iterable: ast.expr, index: int) -> Callable[[], Values]:
        """Return what stands at `index` of each element of an iterable of tuples."""
        if isinstance(iterable, ast.Call) and not iterable.keywords:
            name = dotted(iterable.func).rpartition(".")[2]
            if name in ("product", "zip") and index < len(iterable.args):
                return lambda: self.elements(iterable.args[index])
            if name == "enumerate" and index == 1 and iterable.args:
                return lambda: self.elements(iterable.args[0])
        return lambda: [
            item[index] if isinstance(item, list) and index < len(item) else UNKNOWN
            for item in self.elements(iterable)
        ]

    # What a condition says.

    def holds(self, node: ast.expr) -> bool | None:
        """Say whether a condition holds in a CUDA build on Linux; None when it cannot be told."""
        name = dotted(node.func if isinstance(node, ast.Call) else node)
        if name and _HIP_NAME.search(name):
            return False
        if name in _KNOWN_TRUE:
            return True
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.holds(node.operand)
            return None if inner is None else not inner
        if isinstance(node, ast.BoolOp):
            parts = [self.holds(part) for part in node.values]
            decides = isinstance(node.op, ast.Or)
            if decides in parts:
                return decides
            return None if None in parts else not decides
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._compares(node.left, node.ops[0], node.comparators[0])
        return truth(self.values(node))

    def _compares(self, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> bool | None:
        is_none = isinstance(right, ast.Constant) and right.value is None
        if is_none and isinstance(operator, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)):
            there = self.holds(left)
            values = self.values(left)
            if UNKNOWN not in values:
                there = truth([value is not None for value in values])
            if there is None:
                return None
            return there if isinstance(operator, (ast.IsNot, ast.NotEq)) else not there
        first, second = self.values(left), self.values(right)
        if len(first) != 1 or len(second) != 1 or UNKNOWN in first or UNKNOWN in second:
            return None
        a, b = first[0], second[0]
        if isinstance(operator, (ast.Eq, ast.Is)):
            return bool(a == b)
        if isinstance(operator, (ast.NotEq, ast.IsNot)):
            return bool(a != b)
        if isinstance(operator, (ast.In, ast.NotIn)) and isinstance(b, (str, list)):
            if isinstance(b, list) and UNKNOWN in b:
                return None
            inside = isinstance(a, str) and a in b
            return inside if isinstance(operator, ast.In) else not inside
        return None

    # What an expression may be.

    def _values(self, node: ast.AST | None) -> Values:
        if isinstance(node, ast.Constant):
            return [node.value]
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return [[value for element in node.elts for value in self._element(element)]]
        if isinstance(node, ast.Dict):
            return [
                {
                    key: merged(self.values(value))
                    for key_node, value in zip(node.keys, node.values, strict=True)
                    for key in (self.values(key_node) if key_node is not None else [])
                    if isinstance(key, str)
                }
            ]
        if isinstance(node, ast.IfExp):
            holds = self.holds(node.test)
            body = [] if holds is False else self.values(node.body)
            return body + ([] if holds is True else self.values(node.orelse))
        if isinstance(node, ast.BoolOp):
            holds = self.holds(node)
            found = [value for part in node.values for value in self.values(part)]
            return found if holds is None else [value for value in found if bool(value) == holds]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return [-v if isinstance(v, int) else UNKNOWN for v in self.values(node.operand)]
        if isinstance(node, (ast.Compare, ast.UnaryOp)):
            holds = self.holds(node)
            return [UNKNOWN if holds is None else holds]
        if isinstance(node, ast.BinOp):
            return self._operation(node)
        if isinstance(node, ast.JoinedStr):
            parts = [
                self.values(part.value if isinstance(part, ast.FormattedValue) else part)
                for part in node.values
            ]
            return each(lambda *texts: "".join(map(str, texts)), *parts)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
            return [list(self._comprehension(node.elt, node.generators))]
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        if isinstance(node, ast.Attribute):
            name = dotted(node)
            if name in CONSTANTS:
                return [CONSTANTS[name]]
            if node.attr == "parent":
                return each(posixpath.dirname, self._texts(node.value))
            if node.attr in ("name", "stem"):
                return each(
                    lambda text: getattr(PurePosixPath(text), node.attr), self._texts(node.value)
                )
            return [UNKNOWN]
        if isinstance(node, ast.Call):
            return self._call(node)
        return [UNKNOWN]

    def _element(self, node: ast.expr) -> Values:
        return self.elements(node.value) if isinstance(node, ast.Starred) else self.values(node)

    def _name(self, name: str) -> Values:
        if name in self._local:
            return self._local[name]
        if name == "__file__":
            return [self._script]
        # `x = f(x)` means the x of the assignments before it.
        bindings = self._bindings.get(name, [])[: self._open.get(name)]
        if not bindings:
            return [UNKNOWN]
        before, found = self._open.get(name), []
        try:
            for index, make in enumerate(bindings):
                self._open[name] = index
                found += make()
        finally:
            if before is None:
                del self._open[name]
            else:
                self._open[name] = before
        whole = merged(found)
        return [whole] if isinstance(whole, (list, dict)) else distinct(found)

    def _texts(self, node: ast.AST | None) -> Values:
        return only_text(self.values(node))

    def _operation(self, node: ast.BinOp) -> Values:
        left, right = self.values(node.left), self.values(node.right)
        if isinstance(node.op, ast.Div):
            return each(posixpath.join, only_text(left), only_text(right))
        if isinstance(node.op, ast.Add):
            if any(isinstance(value, list) for value in (*left, *right)):
                return [
                    [
                        element
                        for value in (*left, *right)
                        for element in (value if isinstance(value, list) else [UNKNOWN])
                    ]
                ]
            return each(lambda a, b: a + b, only_text(left), only_text(right))
        return [UNKNOWN]

    def _comprehension(
        self, element: ast.expr, generators: Sequence[ast.comprehension]
    ) -> Iterator[Any]:
        if not generators:
            yield from self.values(element)
            return
        first, rest = generators[0], generators[1:]
        if not isinstance(first.target, ast.Name):
            yield UNKNOWN
            return
        for item in islice(self.elements(first.iter), MOST_ALTERNATIVES):
            with self._bound(first.target.id, [item]):
                if any(self.holds(test) is False for test in first.ifs):
                    continue
                yield from self._comprehension(element, rest)

    @contextmanager
    def _bound(self, name: str, values: Values) -> Iterator[None]:
        before = self._local.get(name)
        self._local[name] = values
        try:
            yield
        finally:
            if before is None:
                del self._local[name]
            else:
                self._local[name] = before

    def _subscript(self, node: ast.Subscript) -> Values:
        found: Values = []
        for value in self.values(node.value):
            for key in self.values(node.slice) if not isinstance(node.slice, ast.Slice) else [0]:
                item: Any = UNKNOWN
                if isinstance(value, dict):
                    item = value.get(key, UNKNOWN) if isinstance(key, str) else UNKNOWN
                elif isinstance(value, (list, str)) and isinstance(node.slice, ast.Slice):
                    item = value[self._slice(node.slice)]
                elif isinstance(value, (list, str)) and isinstance(key, int):
                    item = value[key] if -len(value) <= key < len(value) else UNKNOWN
                found.append(item)
        return found

    def _slice(self, node: ast.Slice) -> slice:
        ends = [self.values(part)[0] if part else None for part in (node.lower, node.upper)]
        return slice(*(end if isinstance(end, int) else None for end in ends))

    def _call(self, node: ast.Call) -> Values:
        name = dotted(node.func)
        if name in CONSTANTS:
            return [CONSTANTS[name]]
        arguments = [self.values(argument) for argument in node.args]
        if name and name.partition(".")[0] not in self._bindings:
            found = script_calls.call(name, arguments, self._files)
            if found != [UNKNOWN]:
                return found
        if isinstance(node.func, ast.Attribute):
            base = self.values(node.func.value)
            return script_calls.method(node.func.attr, base, arguments, self._files)
        return [UNKNOWN]


def dotted(node: ast.AST) -> str:
    """Return `a.b.c` for such an expression, "" for any other."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])
