"""A GPU architecture where the build does not look for it.

## What it does
Finds gfx names in CMAKE_CUDA_ARCHITECTURES or TORCH_CUDA_ARCH_LIST, `--offload-arch` in flags given
to torch's build, and `--cuda-gpu-arch`.

## Why is this bad
The CUDA variables mean nothing to a HIP build. A fixed `--offload-arch` takes the choice from
PYTORCH_ROCM_ARCH, and older torch adds its own list to it. hipcc adds the host's GPU to
`--cuda-gpu-arch`.

## Example
```python
flags = {"nvcc": ["--offload-arch=gfx90a"]}
```

## Use instead
```python
os.environ.setdefault("PYTORCH_ROCM_ARCH", "gfx90a")
```

## References
F68, F69
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.rules.build_pieces import pieces
from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

_OFFLOAD = re.compile(r"(?<![\w-])--(?:offload-arch|amdgpu-target)\b")
_CUDA_ARCH = re.compile(r"(?<![\w-])--cuda-gpu-arch\b")
_VARIABLE = re.compile(r"(?:CMAKE_CUDA_ARCHITECTURES|TORCH_CUDA_ARCH_LIST)")


def _check(view: View, context: Context) -> Iterator[Hit]:
    # A condition on the platform makes none of these right, so every place counts.
    for piece in pieces(view, guarded=True):
        if _CUDA_ARCH.search(piece.text):
            text = "hipcc adds the host's own GPU to `--cuda-gpu-arch`: write `--offload-arch`"
            yield Hit(piece.start, piece.end, text + " and call clang++")
        elif view.kind == "python" and _OFFLOAD.match(piece.text) and "nvcc" in view.words:
            text = "`--offload-arch` here overrides or adds to the list that torch chooses"
            yield Hit(piece.start, piece.end, text + ": set PYTORCH_ROCM_ARCH instead")
        elif re.match(r"gfx\d", piece.text) and view.kind == "cmake":
            match = _VARIABLE.search(" ".join(piece.within))
            if match:
                text = f"{match[0]} has no meaning for HIP: put {piece.text} into"
                yield Hit(piece.start, piece.end, text + " CMAKE_HIP_ARCHITECTURES")
        elif re.search(_VARIABLE.pattern + r"\W*=\W*gfx", piece.text):
            text = "a gfx name in a CUDA variable has no meaning: set CMAKE_HIP_ARCHITECTURES"
            yield Hit(piece.start, piece.end, text + " or PYTORCH_ROCM_ARCH")


RULE = Rule(
    code="W2W706",
    name="misplaced-gpu-architecture",
    severity="error",
    effort="small",
    check=_check,
    page=__doc__,
    words=frozenset({"offload", "amdgpu", "gpu"}),
    prefixes=("gfx",),
    kinds=frozenset({"python", "cmake"}),
)
