"""Hours from findings: ranges, shared causes, and nothing for what is handled."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

from warp2wave.estimate import estimate
from warp2wave.model import Finding

ONE = Finding(
    "W2W999", "x", "error", "medium", PurePosixPath("a.cu"), 0, 1, 1, 1, "m", "", handled=False
)


def test_nothing_open_costs_nothing() -> None:
    assert estimate([]).hours == (0, 0)
    assert estimate([replace(ONE, handled=True)]).hours == (0, 0)
    assert estimate([replace(ONE, handled=True)]).blocks == ()


def test_one_cause_in_one_file_is_paid_once_in_full() -> None:
    assert estimate([ONE]).hours == (2, 8)
    assert estimate([ONE] * 5).hours == (4, 16)
    elsewhere = replace(ONE, path=PurePosixPath("b.cu"))
    assert estimate([ONE, elsewhere]).hours == (4, 16)
    # The dearest of a cause is the one in full, wherever it stands.
    assert estimate([replace(ONE, effort="small"), ONE]).hours == (2.0, 8.5)


def test_it_counts_efforts_and_names_what_blocks() -> None:
    warning = replace(ONE, code="W2W998", severity="warning", effort="trivial")
    result = estimate([ONE, warning, warning])
    assert result.by_effort == {"trivial": 2, "medium": 1}
    assert result.blocks == ("W2W999",)
    assert "not measured" in result.calibration
