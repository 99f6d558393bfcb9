"""CUTLASS and CuTe, which ROCm lacks.

## What it does
Finds the first include of CUTLASS and the first of CuTe in a file, or the first use of their
namespaces where the header comes from elsewhere. Files of a vendored CUTLASS are left alone.

## Why is this bad
Both are written for NVIDIA's tensor cores, asynchronous copies and PTX. They do not compile with
HIP, and the tile shapes and layouts that a kernel takes from them do not fit AMD's matrix units:
such a kernel is written anew.

## Example
```cuda
#include <cutlass/gemm/device/gemm.h>
```

## Use instead
```cuda
#ifdef USE_ROCM
#include <hipblaslt/hipblaslt.h>
#else
#include <cutlass/gemm/device/gemm.h>
#endif
```

Composable Kernel has tiled products, attention and fused epilogues; hipBLASLt has plain matrix
products; rocWMMA has matrix fragments for kernels of your own.
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.library_table import TEMPLATES
from warp2wave.rules.library_uses import library_hits
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View


def _check(view: View, context: Context) -> Iterator[Hit]:
    yield from library_hits(view, TEMPLATES)


RULE = Rule(
    code="W2W901",
    name="cutlass-cute",
    severity="error",
    effort="large",
    check=_check,
    page=__doc__,
    words=frozenset({"cutlass", "cute"}),
)
