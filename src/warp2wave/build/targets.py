"""What a target string such as "hip:gfx90a" names."""

from __future__ import annotations

import re

from warp2wave.errors import UsageError
from warp2wave.model import TargetKind

_FORMS = {
    TargetKind.HIP: (re.compile(r"gfx[0-9a-f]{3,4}(:(sramecc|xnack)[+-]){0,2}"), "hip:gfx90a"),
    TargetKind.CUDA: (re.compile(r"sm_\d{2,3}[af]?"), "cuda:sm_90"),
    TargetKind.SIMT: (re.compile(r"32|64"), "simt:64"),
}


def parse_target(text: str) -> tuple[TargetKind, str]:
    """Split "hip:gfx90a" into its kind and its architecture.

    Raises UsageError for a kind that is none or an architecture that is not written as its vendor
    writes it. Whether a compiler knows the architecture is for that compiler to say.
    """
    name, colon, arch = text.partition(":")
    kind = next((kind for kind in TargetKind if kind.value == name), None)
    if kind is None or not colon:
        raise UsageError(f"{text!r} is no target: write one as hip:gfx90a or cuda:sm_90")
    pattern, example = _FORMS[kind]
    if not pattern.fullmatch(arch):
        raise UsageError(f"{text!r}: {arch!r} is no {kind.value} architecture, as in {example}")
    return kind, arch
