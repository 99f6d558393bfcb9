"""Random cases for warp32_cases.cpp, and the comparison with the reference."""

from __future__ import annotations

import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

from . import warp_reference as reference
from .warp_reference import WARP, WarpLane

SIZES = {
    "bool": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8,
    "f32": 4, "f64": 8, "b2": 2, "b4": 4, "b8": 8, "b12": 12, "b16": 16,
}  # fmt: skip
PROMOTED_TO_INT = {"bool", "i8", "u8", "i16", "u16"}
SHUFFLES = ("shfl", "shfl_up", "shfl_down", "shfl_xor")
FULL = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Case:
    """One collective over one wavefront of `len(lanes)` lanes; width 0 is the default."""

    function: str
    type: str
    mask_type: str
    width: int
    lanes: tuple[WarpLane, ...]

    def text(self) -> str:
        """The case as the program reads it."""
        digits = 2 * SIZES[self.type]
        head = f"{self.function} {self.type} {self.mask_type} {len(self.lanes)} {self.width}\n"
        return head + "".join(
            f"{int(lane.active)} {lane.mask:x} {lane.value:0{digits}x} {lane.argument}\n"
            for lane in self.lanes
        )


def run(program: Path, cases: list[Case]) -> list[list[str]]:
    """What each lane of each case got."""
    done = subprocess.run(
        [program],
        input="".join(case.text() for case in cases),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, f"exit {done.returncode}: {done.stderr}"
    return [line.split() for line in done.stdout.splitlines()]


def _participation(rng: random.Random) -> list[tuple[bool, int]]:
    """(active, mask) of a warp's lanes, one of the shapes that CUDA allows."""
    shape = rng.choice(["full", "full", "idle", "low", "sparse", "groups", "exited"])
    if shape == "full":
        return [(True, FULL)] * WARP
    if shape == "idle":
        return [(False, 0)] * WARP
    if shape == "exited":  # the mask still names lanes that have exited
        gone = rng.getrandbits(WARP)
        return [(not gone >> i & 1, FULL) for i in range(WARP)]
    if shape == "groups":  # disjoint masks in one call
        group = [rng.randrange(4) for _ in range(WARP)]
        masks = {g: sum(1 << i for i in range(WARP) if group[i] == g) for g in set(group)}
        return [(True, masks[group[i]]) for i in range(WARP)]
    mask = (1 << rng.randrange(1, WARP)) - 1 if shape == "low" else rng.getrandbits(WARP) | 1
    return [(bool(mask >> i & 1), mask) for i in range(WARP)]


def _value(rng: random.Random, case_type: str, few: bool) -> int:
    if case_type == "bool":
        return rng.getrandbits(1)
    if few:
        return rng.choice([0, 1, 1 << (8 * SIZES[case_type] - 1)])  # +0.0 and -0.0 among them
    return rng.getrandbits(8 * SIZES[case_type])


def random_case(rng: random.Random, function: str, case_type: str, wave: int, width: int) -> Case:
    """A case whose warps each have a participation of their own."""
    mask_type = rng.choice(["u32", "i32", "u64"]) if case_type == "u32" else "u32"
    few_values = function.startswith("match") and rng.random() < 0.8
    one_value = _value(rng, case_type, few=True) if rng.random() < 0.4 else None
    bias = rng.choice([0.0, 0.5, 1.0])
    same_argument = rng.randrange(WARP) if rng.random() < 0.5 else None
    lanes = []
    for _ in range(wave // WARP):
        for active, mask in _participation(rng):
            value = _value(rng, case_type, few_values)
            if function == "match_all_sync" and one_value is not None:
                value = one_value
            argument = same_argument if same_argument is not None else rng.randrange(WARP)
            if function in {"shfl", "shfl_sync"}:
                argument += rng.choice([0, 0, WARP, -WARP])  # taken modulo width
            elif not function.startswith("shfl"):
                argument = rng.choice([1, 2, -1, 256]) if rng.random() < bias else 0
            lanes.append(WarpLane(active, mask, value, argument))
    return Case(function, case_type, mask_type, width, tuple(lanes))


def _as_returned(case: Case, value: int) -> str:
    """A shuffle's result in hexadecimal; narrow types are promoted to int."""
    bits = 8 * SIZES[case.type]
    if case.type in PROMOTED_TO_INT:
        if case.type.startswith("i") and value >> (bits - 1):
            value -= 1 << bits
        return f"{value & FULL:08x}"
    return f"{value:0{2 * SIZES[case.type]}x}"


def _of_warp(case: Case, warp: list[WarpLane]) -> list[str | None]:
    function = case.function.removesuffix("_sync")
    sync = case.function.endswith("_sync")
    if function in SHUFFLES:
        found = reference.shuffle(function, warp, case.width or WARP, sync=sync)
        return [None if v is None else _as_returned(case, v) for v in found]
    if function == "match_any":
        return [f"{v:08x}" for v in reference.match_any(warp)]
    if function == "match_all":
        return [f"{mask:08x}:{predicate}" for mask, predicate in reference.match_all(warp)]
    if function.startswith("reduce_"):
        form = function.removeprefix("reduce_")
        found_sums = reference.reduce(form, warp, signed=case.type == "i32")
        return [f"{v:08x}" for v in found_sums]
    if function == "activemask":
        active = sum(1 << i for i in range(WARP) if warp[i].active)
        return [f"{active:08x}"] * WARP
    if function.startswith("lane"):
        return [f"{_lane_register(function, i) & FULL:08x}" for i in range(WARP)]
    return [f"{v:08x}" for v in reference.vote(function, warp, sync=sync)]


def _lane_register(name: str, lane: int) -> int:
    """PTX ISA, special registers %laneid and %lanemask_*."""
    chosen = {
        "lanemask_eq": [i for i in range(WARP) if i == lane],
        "lanemask_lt": [i for i in range(WARP) if i < lane],
        "lanemask_le": [i for i in range(WARP) if i <= lane],
        "lanemask_gt": [i for i in range(WARP) if i > lane],
        "lanemask_ge": [i for i in range(WARP) if i >= lane],
    }
    return lane if name == "lane_id" else sum(1 << i for i in chosen[name])


def expected(case: Case) -> list[str | None]:
    """Each lane's result; "-" where it takes no part, None where CUDA leaves it undefined."""
    results: list[str | None] = []
    for start in range(0, len(case.lanes), WARP):
        warp = list(case.lanes[start : start + WARP])
        of_warp = _of_warp(case, warp)
        results += [of_warp[i] if warp[i].active else "-" for i in range(WARP)]
    return results


def differences(program: Path, cases: list[Case]) -> tuple[list[str], int]:
    """What differs from the reference, in words, and how many lanes were compared."""
    wrong: list[str] = []
    compared = 0
    outputs = run(program, cases)
    assert len(outputs) == len(cases)
    for case, got in zip(cases, outputs, strict=True):
        assert len(got) == len(case.lanes)
        for lane, want in enumerate(expected(case)):
            if want is None:
                continue
            compared += want != "-"
            if got[lane] != want:
                name = f"{case.function}<{case.type}, {case.mask_type}> width {case.width}"
                size = len(case.lanes)
                wrong.append(f"{name}, lane {lane} of {size}: {got[lane]}, expected {want}")
    return wrong, compared
