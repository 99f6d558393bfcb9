"""Matrix fragments of `nvcuda::wmma`, which HIP lacks.

## What it does
Finds `#include <mma.h>`, and the namespace `nvcuda` where the header comes from elsewhere.

## Why is this bad
HIP has no `mma.h`: the file does not compile. AMD's matrix units have other shapes and a fragment
is spread over 64 lanes, so that code which reads a fragment's elements by position is wrong even
with a library of the same interface.

## Example
```cuda
#include <mma.h>
```

## Use instead
```cuda
#ifdef USE_ROCM
#include <rocwmma/rocwmma.hpp>
namespace wmma = rocwmma;
#else
#include <mma.h>
namespace wmma = nvcuda::wmma;
#endif
```

## References
F76. rocWMMA's documentation lists the shapes and types per architecture.
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

_CURE = (
    "rocWMMA has the same interface for load, mma_sync and store; "
    "code that touches single elements of a fragment must be rewritten"
)


def _check(view: View, context: Context) -> Iterator[Hit]:
    named = False
    for include in view.includes:
        if include.name in ("mma.h", "crt/mma.h"):
            named = True
            message = f"HIP has no <{include.name}>: {_CURE}"
            yield Hit(include.name_start, include.name_end, message)
    if not named:
        for site in view.sites("nvcuda"):
            if view.on_hip(site.start):
                yield Hit(site.start, site.end, f"HIP has no namespace `nvcuda`: {_CURE}")
                return


RULE = Rule(
    code="W2W307",
    name="wmma",
    severity="error",
    effort="large",
    check=_check,
    page=__doc__,
    words=frozenset({"mma", "nvcuda"}),
)
