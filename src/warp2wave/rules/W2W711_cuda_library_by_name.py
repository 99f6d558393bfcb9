"""A CUDA library linked by its name.

## What it does
Finds cudart, cublas, cusparse and other CUDA libraries in `libraries=`, link flags and
target_link_libraries, outside of platform conditions.

## Why is this bad
ROCm has none of them; the link stops. torch's build does not rename libraries.

## Example
```python
ext = CUDAExtension("a", ["a.cu"], libraries=["cublas"])
```

## Use instead
```python
ext = CUDAExtension("a", ["a.cu"], libraries=["hipblas" if torch.version.hip else "cublas"])
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.rules.build_pieces import pieces
from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

_LIBRARIES = {
    "cudart": "amdhip64",
    "cudart_static": "amdhip64",
    "cublas": "hipblas",
    "cublasLt": "hipblaslt",
    "cusparse": "hipsparse",
    "cusolver": "hipsolver",
    "cufft": "hipfft",
    "curand": "hiprand",
    "cudnn": "MIOpen",
    "nccl": "rccl",
    "nvrtc": "hiprtc",
    "nvToolsExt": "roctx64",
    "cuda_driver": "amdhip64",
}
_NAME = re.compile(r"(-l|CUDA::)?(" + "|".join(_LIBRARIES) + r")(?:\.so[.\d]*)?")
_LINKS = frozenset({"libraries", "extra_link_args", "extra_ldflags", "target_link_libraries"})


def _check(view: View, context: Context) -> Iterator[Hit]:
    for piece in pieces(view):
        match = _NAME.fullmatch(piece.text)
        if match and (match[1] == "-l" or not _LINKS.isdisjoint(piece.within)):
            text = f"ROCm has no library {match[2]}: link {_LIBRARIES[match[2]]} there"
            yield Hit(piece.start, piece.end, text)


RULE = Rule(
    code="W2W711",
    name="cuda-library-by-name",
    severity="error",
    effort="small",
    check=_check,
    page=__doc__,
    prefixes=("cu", "nccl", "nv", "lcu", "lnv"),
    kinds=frozenset({"python", "cmake"}),
)
