"""A part of libcu++, which ROCm lacks.

## What it does
Finds the first include of each part of libcu++ in a file (`<cuda/pipeline>`, `<cuda/barrier>`,
`<cuda/atomic>`, `<cuda/std/…>` and others), or the first use of its names in the namespace `cuda`
where the header comes from elsewhere.

## Why is this bad
ROCm has no libcu++: the file does not compile. Some parts stand for instructions that AMD's
processors lack, as the asynchronous copy to shared memory of `cuda::memcpy_async`; those are
written anew, as a copy and a barrier of the block.

## Example
```cuda
#include <cuda/pipeline>
```

## Use instead
```cuda
__global__ void load(const float *in, float *out) {
  __shared__ float tile[256];
  tile[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.library_table import LIBCUDACXX
from warp2wave.rules.library_uses import library_hits
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

# `cuda` alone is in nearly every file, as in at::cuda and in paths.
_MAY_USE = re.compile(r"[<\"](?:cuda|nv)/\w|(?<!\w::)\bcuda\s*::")


def _check(view: View, context: Context) -> Iterator[Hit]:
    if _MAY_USE.search(view.text):
        yield from library_hits(view, LIBCUDACXX)


RULE = Rule(
    code="W2W903",
    name="libcudacxx-part",
    severity="error",
    effort="small",
    check=_check,
    page=__doc__,
    words=frozenset({"cuda", "nv"}),
)
