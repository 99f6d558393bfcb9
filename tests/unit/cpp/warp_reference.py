"""What CUDA's warp functions give, lane by lane, written from the CUDA C++ Programming Guide.

Nothing here knows of wavefronts: a warp is 32 lanes. `None` stands for a result that the guide
leaves undefined (a value read from a lane that takes no part). Values are unsigned bit patterns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WARP = 32


@dataclass(frozen=True, slots=True)
class WarpLane:
    """What one lane passes to a collective; lanes that are not `active` do not call it."""

    active: bool
    mask: int
    value: int
    argument: int


def members(warp: Sequence[WarpLane], lane: int, *, sync: bool) -> list[int]:
    """The lanes that take part with `lane`: those of its mask, or all active ones (no `_sync`)."""
    mask = warp[lane].mask if sync else 0xFFFFFFFF
    return [i for i in range(WARP) if warp[i].active and mask >> i & 1]


def shuffle_source(form: str, lane: int, argument: int, width: int) -> int:
    """The lane that `lane` reads (Programming Guide, Warp Shuffle Functions)."""
    segment, position = divmod(lane, width)
    if form == "shfl":
        return segment * width + argument % width
    if form == "shfl_up":
        return lane - argument if position - argument >= 0 else lane
    if form == "shfl_down":
        return lane + argument if position + argument < width else lane
    target = lane ^ argument  # earlier groups may be read, later ones give the own value
    return lane if target // width > segment else target


def shuffle(form: str, warp: Sequence[WarpLane], width: int, *, sync: bool) -> list[int | None]:
    """Each lane's result; `form` is shfl, shfl_up, shfl_down or shfl_xor."""
    results: list[int | None] = []
    for lane in range(WARP):
        source = shuffle_source(form, lane, warp[lane].argument, width)
        readable = source in members(warp, lane, sync=sync)
        results.append(warp[source].value if readable else None)
    return results


def _bits(lanes: Sequence[int]) -> int:
    return sum(1 << i for i in lanes)


def vote(form: str, warp: Sequence[WarpLane], *, sync: bool) -> list[int]:
    """ballot, any, all or uni of the lanes' arguments (non-zero is true)."""
    results = []
    for lane in range(WARP):
        taking_part = members(warp, lane, sync=sync)
        true = [i for i in taking_part if warp[i].argument != 0]
        results.append(
            {
                "ballot": _bits(true),
                "any": int(bool(true)),
                "all": int(len(true) == len(taking_part)),
                "uni": int(len(true) in (0, len(taking_part))),
            }[form]
        )
    return results


def match_any(warp: Sequence[WarpLane]) -> list[int]:
    """The mask of lanes with the same bits."""
    return [
        _bits([i for i in members(warp, lane, sync=True) if warp[i].value == warp[lane].value])
        for lane in range(WARP)
    ]


def match_all(warp: Sequence[WarpLane]) -> list[tuple[int, int]]:
    """(mask, 1) where all lanes of the mask hold the same bits, else (0, 0)."""
    results = []
    for lane in range(WARP):
        same = {warp[i].value for i in members(warp, lane, sync=True)}
        results.append((warp[lane].mask & 0xFFFFFFFF, 1) if len(same) <= 1 else (0, 0))
    return results


def reduce(form: str, warp: Sequence[WarpLane], *, signed: bool) -> list[int]:
    """add, min, max, and, or, xor over the lanes of each lane's mask, as 32-bit patterns."""
    results = []
    for lane in range(WARP):
        values = [warp[i].value for i in members(warp, lane, sync=True)] or [0]
        if signed:
            values = [v - (1 << 32) if v >> 31 else v for v in values]
        total = values[0]
        for value in values[1:]:
            total = {
                "add": total + value,
                "min": min(total, value),
                "max": max(total, value),
                "and": total & value,
                "or": total | value,
                "xor": total ^ value,
            }[form]
        results.append(total & 0xFFFFFFFF)
    return results
