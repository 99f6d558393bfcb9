"""A test of the CUDA toolkit's version, which counts as 0 on HIP.

## What it does
Finds `#if` groups that ask for `CUDA_VERSION`, `CUDART_VERSION` or nvcc's own version, and says
which branch HIP takes. Groups that also name a macro of HIP or ROCm are left alone.

## Why is this bad
None of these is defined on HIP, so `CUDA_VERSION >= 11000` is false: what needs a newer toolkit,
such as bf16 kernels, goes without a word, and what serves an old one comes back.

## Example
```cuda
#if CUDA_VERSION >= 11000
void bf16_kernels();
#endif
```

## Use instead
```cuda
#if CUDA_VERSION >= 11000 || defined(USE_ROCM)
void bf16_kernels();
#endif
```

## Fix safety
Proposed only: whether HIP has what the test guards is for a person to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.model import Severity
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

_NAMES = (
    "CUDA_VERSION",
    "CUDART_VERSION",
    "__CUDACC_VER_MAJOR__",
    "__CUDACC_VER_MINOR__",
    "__CUDACC_VER__",
    "CUDNN_VERSION",
    "CUBLAS_VERSION",
    "CUSPARSE_VERSION",
    "CUB_VERSION",
)
_QUESTION = re.compile(r"\b(?:" + "|".join(_NAMES) + r")\b")


def _check(view: View, context: Context) -> Iterator[Hit]:
    for group in groups_asking(view, _QUESTION):
        branch = group.asking
        asked = _QUESTION.search(branch.expression)
        if asked is None or branch.expression == f"!defined({asked[0]})":
            continue
        line = directive_line(view, branch)
        severity: Severity = "warning" if left_out_code(view, group) else "note"
        if refuses(view, group):
            severity = "error"
        yield Hit(
            branch.directive,
            branch.directive + len(line),
            f"`{asked[0]}` is not defined on HIP and counts as 0: {outcome(view, group)}",
            severity=severity,
            anywhere=True,
        )
    for site in view.sites("CUDA_VERSION", "CUDART_VERSION"):
        if site.macro is None:
            message = (
                f"`{site.code.lexeme(site.position)}` is not defined on HIP: this does not compile"
            )
            yield Hit(site.start, site.end, message, severity="error")


RULE = Rule(
    code="W2W305",
    name="cuda-version-test",
    severity="warning",
    effort="trivial",
    check=_check,
    page=__doc__,
    words=frozenset(_NAMES),
)
