"""The regular expression for identifiers that may be in the map."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Families of names: whatever starts so is CUDA's, whether the map has it or not.
# Each needs a further letter, so that a user's own `cu` or `CU` is not one of them.
FAMILIES = (
    "cuda[A-Z_]",
    "CUDA[A-Z_]",
    "cu[A-Z]",
    "CU_",
    "CU(?:BLAS|FFT|RAND|SPARSE|SOLVER|DNN)[A-Z_]",
    "cu(?:blas|fft|rand|sparse|solver|dnn|pti)[A-Z_a-z]",
    "nccl[A-Z_]",
    "NCCL_",
    "nvrtc[A-Z_]",
    "NVRTC_",
    "nvtx[A-Z_]",
    "NVTX_",
    "nvml[A-Z_]",
    "NVML_",
    "__nv_",
)
# Names with two leading underscores are many (intrinsics): matching their first letters is enough,
# the caller looks each one up anyway. Six tell `__clz` from `__clang__`.
_KEPT = 6
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z")


def name_pattern(names: Iterable[str]) -> str:
    """One alternation of the families and of the given names outside them, as a prefix tree."""
    families = re.compile("|".join(FAMILIES))
    others: set[str] = set()
    heads: set[str] = set()
    for name in names:
        if _IDENTIFIER.match(name) and not families.match(name):
            if name.startswith("__") and len(name) > _KEPT:
                heads.add(name[:_KEPT])
            else:
                others.add(name)
    branches = [f"(?:{'|'.join(FAMILIES)})\\w*"]
    if heads:
        branches.append(rf"{_tree(sorted(heads), 0)}\w*")
    if others:
        branches.append(_tree(sorted(others), 0))
    return rf"\b(?:{'|'.join(branches)})\b"


def _tree(names: list[str], depth: int) -> str:
    """Match exactly these sorted names from their letter `depth` on."""
    branches: list[str] = []
    optional = False
    start = 0
    while start < len(names):
        if len(names[start]) == depth:
            optional = True
            start += 1
            continue
        letter = names[start][depth]
        end = start
        while end < len(names) and names[end][depth : depth + 1] == letter:
            end += 1
        branches.append(re.escape(letter) + _tree(names[start:end], depth + 1))
        start = end
    if not branches:
        return ""
    body = branches[0] if len(branches) == 1 and not optional else f"(?:{'|'.join(branches)})"
    return f"{body}?" if optional else body
