"""A test of `__CUDACC__` or `__NVCC__`, the macros of NVIDIA's compiler.

## What it does
Finds `#if` groups that ask whether nvcc compiles the file, and says which branch HIP takes. Groups
that also name a macro of HIP or ROCm are left alone.

## Why is this bad
clang defines neither for HIP. What stands under the test, often `__host__ __device__` marks or
whole kernels, silently goes.

## Example
```cuda
#ifdef __NVCC__
#define BOTH __host__ __device__
#else
#define BOTH
#endif
```

## Use instead
```cuda
#if defined(__NVCC__) || defined(__HIPCC__)
#define BOTH __host__ __device__
#else
#define BOTH
#endif
```

## Handled by the port
`__CUDACC__`: the compat folder defines it for the HIP build of a tree that asks for it. `__NVCC__`
stays undefined, since third-party headers take it for NVIDIA's tool chain.

## Fix safety
Unsafe: on NVIDIA nothing changes, but what is under the test may be for nvcc alone, such as its
pragmas.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.model import Edit, Fix, Severity
from warp2wave.port.platform import HIP_FACTS
from warp2wave.rules.conditional_groups import (
    directive_line,
    groups_asking,
    left_out_code,
    outcome,
    refuses,
)
from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View
from warp2wave.syntax.expressions import MacroFacts

_QUESTION = re.compile(r"\b__(?:CUDACC|NVCC)__\b")
_PRAGMAS_ONLY = re.compile(r"(?:\s*#\s*pragma\b[^\n]*\n?)+\s*")
# A rename would leave `__CUDACC__` undefined: what happens then is what the message tells.
_BARE_HIP = MacroFacts(defined=HIP_FACTS.defined, undefined=HIP_FACTS.undefined | {"__CUDACC__"})


def _check(view: View, context: Context) -> Iterator[Hit]:
    for group in groups_asking(view, _QUESTION, _BARE_HIP):
        branch = group.asking
        if _PRAGMAS_ONLY.fullmatch(view.text[branch.start : branch.end]):
            continue
        nvcc = "__NVCC__" in branch.expression
        name = "__NVCC__" if nvcc else "__CUDACC__"
        line = directive_line(view, branch)
        severity: Severity = (
            "error" if refuses(view, group) else "warning" if left_out_code(view, group) else "note"
        )
        message = f"clang does not define `{name}` for HIP: {outcome(view, group)}"
        yield Hit(
            branch.directive,
            branch.directive + len(line),
            message if nvcc else f"{message}, unless the compat folder defines it",
            _fix(branch.directive, line) if nvcc else None,
            severity=severity,
            handled=not nvcc,
            anywhere=True,
        )


_PLAIN = re.compile(
    r"#(?P<blank>[ \t]*)(?:ifdef[ \t]+__NVCC__|if[ \t]+defined[ \t]*\(?[ \t]*__NVCC__[ \t]*\)?)"
    r"(?=[ \t]*(?:/|$))"
)


def _fix(start: int, line: str) -> Fix | None:
    plain = _PLAIN.match(line)
    if plain is None:
        return None
    text = f"#{plain['blank']}if defined(__NVCC__) || defined(__HIPCC__)"
    edit = Edit(start, start + plain.end(), text)
    return Fix("let HIP's compiler take nvcc's branch", (edit,), "unsafe")


RULE = Rule(
    code="W2W304",
    name="nvcc-test",
    severity="warning",
    effort="trivial",
    check=_check,
    page=__doc__,
    words=frozenset({"__CUDACC__", "__NVCC__"}),
)
