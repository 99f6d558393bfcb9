"""A dispatch macro that is given `x.type()`.

## What it does
Finds `AT_DISPATCH_…` macros whose type argument is a call of a tensor's `type()`.

## Why is this bad
The macros take a scalar type. PyTorch dropped the conversion from what `type()` returns, so that
the code does not compile with the releases that current ROCm needs.

## Example
```cuda
AT_DISPATCH_FLOATING_TYPES(x.type(), "scale", ([&] { scale<scalar_t>(x); }));
```

## Use instead
```cuda
AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scale", ([&] { scale<scalar_t>(x); }));
```

## Fix safety
Safe: `scalar_type()` is the value that the macro took out of `type()`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.model import Edit, Fix
from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

_MACRO = re.compile(r"AT_DISPATCH_(?!CASE)\w+")
_OF_TENSOR = re.compile(r".*(?:\.|->)\s*(type)\s*\(\s*\)", re.DOTALL)


def _check(view: View, context: Context) -> Iterator[Hit]:
    for site in view.matching(_MACRO):
        call = view.call_of(site)
        if call is None:
            continue
        for argument in call.arguments:
            text = view.source(argument)
            if text.lstrip().startswith(('"', "[", "(")):
                break  # the name or the body: the type stands before them
            match = _OF_TENSOR.fullmatch(text)
            if match is None:
                continue
            start = argument.start + match.start(1)
            fix = Fix("Ask for the scalar type", (Edit(start, start + 4, "scalar_type"),), "safe")
            yield Hit(
                argument.start,
                argument.end,
                f"`{call.name}` takes a scalar type, and PyTorch no longer converts what `type()` "
                "returns: write `scalar_type()`",
                fix,
            )


RULE = Rule(
    code="W2W801",
    name="dispatch-on-type",
    severity="error",
    effort="trivial",
    check=_check,
    page=__doc__,
    prefixes=("AT_DISPATCH_",),
)
