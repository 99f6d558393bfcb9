"""AT_CHECK, which PyTorch has no more.

## What it does
Finds calls of `AT_CHECK` in files that do not define it themselves.

## Why is this bad
PyTorch 1.5 took it out for `TORCH_CHECK`. The releases that current ROCm needs do not compile it.

## Example
```cuda
AT_CHECK(x.is_cuda(), "x must be on the GPU");
```

## Use instead
```cuda
TORCH_CHECK(x.is_cuda(), "x must be on the GPU");
```

## Fix safety
Safe: both take the same arguments and throw the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.model import Edit, Fix
from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

_OWN = frozenset({"AT_CHECK", "TORCH_CHECK"})


def _check(view: View, context: Context) -> Iterator[Hit]:
    calls = tuple(view.calls("AT_CHECK"))
    if not calls or any(macro.name in _OWN for macro in view.document.macros):
        return
    for call in calls:
        span = call.name_span
        yield Hit(
            span.start,
            span.end,
            "PyTorch has no `AT_CHECK` since 1.5: write `TORCH_CHECK`",
            Fix("Write TORCH_CHECK", (Edit(span.start, span.end, "TORCH_CHECK"),), "safe"),
        )


RULE = Rule(
    code="W2W802",
    name="at-check",
    severity="error",
    effort="trivial",
    check=_check,
    page=__doc__,
    words=frozenset({"AT_CHECK"}),
)
