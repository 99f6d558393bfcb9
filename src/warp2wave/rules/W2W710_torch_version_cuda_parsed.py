"""torch.version.cuda taken apart where it may be None.

## What it does
Finds `torch.version.cuda.split(…)`, subscripts and conversions of it, outside platform conditions.

## Why is this bad
torch for ROCm has `torch.version.cuda` None and says its version in `torch.version.hip`.

## Example
```python
major = int(torch.version.cuda.split(".")[0])
```

## Use instead
```python
if torch.version.cuda is not None:
    major = int(torch.version.cuda.split(".")[0])
```
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from warp2wave.rules.build_pieces import script_of
from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View
from warp2wave.script_values import dotted

_PARSERS = frozenset({"parse", "Version", "LooseVersion", "float"})
_TAKEN = re.compile(r"^(?:torch\.)?version\.cuda$")


def _check(view: View, context: Context) -> Iterator[Hit]:
    script = script_of(view)
    for node, around in script.nodes():
        if not isinstance(node, ast.Attribute) or not _TAKEN.match(dotted(node)) or not around:
            continue
        outer = around[-1]
        taken = isinstance(outer, (ast.Attribute, ast.Subscript)) or (
            isinstance(outer, ast.Call) and dotted(outer.func).rpartition(".")[2] in _PARSERS
        )
        guards = (part for part in around if isinstance(part, ast.BoolOp))
        if taken and not any(script.source(g).count("version.cuda") > 1 for g in guards):
            start, end = script.span(node)
            text = "`torch.version.cuda` is None on ROCm, so that this stops with an exception"
            yield Hit(start, end, text + ": ask for `torch.version.hip` first")


RULE = Rule(
    code="W2W710",
    name="torch-version-cuda-parsed",
    severity="error",
    effort="small",
    check=_check,
    page=__doc__,
    words=frozenset({"version"}),
    kinds=frozenset({"python"}),
)
