"""From findings to a range of hours: what the open ones may cost a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from warp2wave.model import Effort, Finding

HOURS: Mapping[Effort, tuple[float, float]] = MappingProxyType(
    {
        "none": (0.0, 0.0),
        "trivial": (0.05, 0.25),
        "small": (0.5, 2.0),
        "medium": (2.0, 8.0),
        "large": (8.0, 40.0),
    }
)
"""What one finding of each class costs, from and to."""
REPEATED = 0.25
"""The share of that for each further finding of one code in one file: mostly one cause."""
CALIBRATION = (
    "the authors' judgement, not measured: hours per effort class for one person who knows the "
    "code, further findings of one code in one file at a quarter; build set-up, tests and tuning "
    "are not in it"
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """`hours` from and to; `by_effort` counts open findings; `blocks` are codes of open errors."""

    hours: tuple[float, float]
    by_effort: Mapping[Effort, int]
    blocks: tuple[str, ...]
    calibration: str = CALIBRATION


def estimate(findings: Iterable[Finding]) -> Estimate:
    """Return what the findings cost; those that the compat layer handles cost nothing."""
    opened = [finding for finding in findings if not finding.handled]
    causes: dict[tuple[str, str], list[Effort]] = {}
    for finding in opened:
        causes.setdefault((str(finding.path), finding.code), []).append(finding.effort)
    low = high = 0.0
    for efforts in causes.values():
        dearest, *others = sorted(efforts, key=lambda effort: HOURS[effort], reverse=True)
        low += HOURS[dearest][0] + REPEATED * sum(HOURS[effort][0] for effort in others)
        high += HOURS[dearest][1] + REPEATED * sum(HOURS[effort][1] for effort in others)
    counted = Counter(finding.effort for finding in opened)
    return Estimate(
        hours=(_rounded(low), _rounded(high)),
        by_effort={effort: counted[effort] for effort in HOURS if counted[effort]},
        blocks=tuple(sorted({f.code for f in opened if f.severity == "error"})),
    )


def _rounded(hours: float) -> float:
    """To quarters below ten, to whole hours above: no more digits than the figure deserves."""
    return round(hours * 4) / 4 if hours < 10 else float(round(hours))
