"""Shorthand for the scan tests: small trees on disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from warp2wave.model import Finding

SPACED = "extern dim3 g, b;\nvoid f(float* p) {\n  k<< <g, b>> >(p);\n}\n"
"""One W2W101: an error on line 3 with a safe fix."""
MASK = "__device__ int f(int v) {\n  return __shfl_down_sync(0xffffffff, v, 16);\n}\n"
"""A 32-bit mask, which the compat layer widens."""


def tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def places(findings: tuple[Finding, ...]) -> list[tuple[str, str, int]]:
    return [(f.code, str(f.path), f.line) for f in findings]
