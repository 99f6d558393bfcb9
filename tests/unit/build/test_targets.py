"""Target strings."""

from __future__ import annotations

import pytest

from warp2wave.build.targets import parse_target
from warp2wave.errors import UsageError
from warp2wave.model import TargetKind


@pytest.mark.parametrize(
    ("text", "kind", "arch"),
    [
        ("hip:gfx90a", TargetKind.HIP, "gfx90a"),
        ("hip:gfx1201", TargetKind.HIP, "gfx1201"),
        ("hip:gfx90a:xnack+", TargetKind.HIP, "gfx90a:xnack+"),
        ("hip:gfx90a:sramecc+:xnack-", TargetKind.HIP, "gfx90a:sramecc+:xnack-"),
        ("cuda:sm_90", TargetKind.CUDA, "sm_90"),
        ("cuda:sm_100a", TargetKind.CUDA, "sm_100a"),
        ("simt:64", TargetKind.SIMT, "64"),
    ],
)
def test_targets(text: str, kind: TargetKind, arch: str) -> None:
    assert parse_target(text) == (kind, arch)


@pytest.mark.parametrize(
    "text",
    ["", "hip", "gfx90a", "hip:", "hip:sm_90", "cuda:gfx90a", "cuda:90", "simt:48", "hip:gfx90a ",
     "HIP:gfx90a", "hip:gfx90a\n", "hip:gfx90a;rm", "cuda:sm_90,sm_80"],
)  # fmt: skip
def test_what_is_no_target_is_named(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_target(text)
    assert repr(text) in str(caught.value)
