"""A build of GPU code that asks for CUDA_HOME alone.

## What it does
Finds conditions on CUDA_HOME in Python build scripts that never name ROCm.

## Why is this bad
torch for ROCm has CUDA_HOME None. Such a script builds no GPU code there, or stops.

## Example
```python
if CUDA_HOME is not None:
    ext = CUDAExtension("a", ["a.cu"])
```

## Use instead
```python
if CUDA_HOME is not None or ROCM_HOME is not None:
    ext = CUDAExtension("a", ["a.cu"])
```

## References
F74
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from warp2wave.model import Edit, Fix
from warp2wave.rules.build_pieces import Script, script_of
from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View
from warp2wave.script_values import dotted

_HIP = re.compile(r"(?i)rocm|(?<![a-z])hip(?![a-z])")
_MESSAGE = (
    "`CUDA_HOME` is None with torch for ROCm, so that no GPU code is built there: ask for "
    "`ROCM_HOME` or `torch.version.hip` as well"
)


def _check(view: View, context: Context) -> Iterator[Hit]:
    script = script_of(view)
    for node, _ in script.nodes():
        if isinstance(node, (ast.If, ast.IfExp)):
            test = node.test
        elif isinstance(node, ast.Assign):
            test = node.value
        else:
            continue
        if not isinstance(test, (ast.Compare, ast.BoolOp, ast.Name, ast.Attribute, ast.UnaryOp)):
            continue
        if isinstance(node, ast.Assign) and isinstance(test, (ast.Name, ast.Attribute)):
            continue
        homes = [
            part
            for part in ast.walk(test)
            if isinstance(part, (ast.Name, ast.Attribute))
            and dotted(part).rpartition(".")[2] == "CUDA_HOME"
        ]
        if not homes or _HIP.search(script.source(test)) or not _builds(script, node):
            continue
        start, end = script.span(test)
        yield Hit(start, end, _MESSAGE, _proposal(script, test))


def _builds(script: Script, node: ast.If | ast.IfExp | ast.Assign) -> bool:
    """Say whether a condition decides on an extension: within it, or anywhere for a flag."""
    if isinstance(node, ast.Assign):
        return "CUDAExtension" in script.text
    branch = node.orelse
    while isinstance(branch, list) and len(branch) == 1 and isinstance(branch[0], ast.If):
        if _HIP.search(script.source(branch[0].test)):
            return False  # ROCm has a branch of its own
        branch = branch[0].orelse
    return any(
        isinstance(part, (ast.Name, ast.Attribute))
        and dotted(part).rpartition(".")[2] == "CUDAExtension"
        for part in ast.walk(node)
    )


def _proposal(script: Script, test: ast.expr) -> Fix | None:
    for part in ast.walk(test):
        if isinstance(part, ast.Compare) and isinstance(part.ops[0], ast.IsNot):
            start, end = script.span(part)
            text = f"({script.source(part)} or torch.version.hip is not None)"
            return Fix("Ask for ROCm as well", (Edit(start, end, text),), "display")
    return None


RULE = Rule(
    code="W2W716",
    name="cuda-home-gates-the-build",
    severity="error",
    effort="trivial",
    check=_check,
    page=__doc__,
    words=frozenset({"CUDA_HOME"}),
    kinds=frozenset({"python"}),
)
