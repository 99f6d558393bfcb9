"""warp32.h, run lane by lane on a model of a wavefront, against CUDA's definitions."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from .conftest import COMPAT, CPP, MODEL, compile_program
from .warp_cases import SHUFFLES, SIZES, Case, differences, random_case, run
from .warp_reference import WARP, WarpLane

WAVES = (32, 64)
VOTES = ("ballot", "any", "all", "ballot_sync", "any_sync", "all_sync", "uni_sync", "activemask")
LANES = ("lane_id", *(f"lanemask_{which}" for which in ("eq", "lt", "le", "gt", "ge")))
REDUCTIONS = ("add", "min", "max", "and", "or", "xor")
MATCHED = ("i32", "u32", "u64", "f32", "f64")


def shuffle_cases(rng: random.Random, types: tuple[str, ...]) -> list[Case]:
    return [
        random_case(rng, form + suffix, case_type, wave, width)
        for case_type in types
        for form in SHUFFLES
        for suffix in ("", "_sync")
        for wave in WAVES
        for width in (0, 1, 2, 4, 8, 16, 32)
    ]


def other_cases(rng: random.Random, rounds: int) -> list[Case]:
    cases = []
    for _ in range(rounds):
        for wave in WAVES:
            cases += [random_case(rng, f, "u32", wave, 0) for f in (*VOTES, *LANES)]
            for case_type in MATCHED:
                for function in ("match_any_sync", "match_all_sync"):
                    cases.append(random_case(rng, function, case_type, wave, 0))
            for form in REDUCTIONS:
                for case_type in ("u32",) if form in ("and", "or", "xor") else ("u32", "i32"):
                    cases.append(random_case(rng, f"reduce_{form}_sync", case_type, wave, 0))
    return cases


@pytest.mark.parametrize("case_type", SIZES)
def test_shuffles_agree_with_the_programming_guide(warp32_program: Path, case_type: str) -> None:
    rng = random.Random(f"shuffle {case_type}")
    cases = shuffle_cases(rng, (case_type,))
    wrong, compared = differences(warp32_program, cases)
    assert not wrong, wrong[:5]
    assert compared > 1000


def test_votes_matches_reductions_and_lane_registers_agree(warp32_program: Path) -> None:
    wrong, compared = differences(warp32_program, other_cases(random.Random("votes"), rounds=12))
    assert not wrong, wrong[:5]
    assert compared > 8000


def test_distances_count_modulo_32_as_ptx_defines(warp32_program: Path) -> None:
    """PTX ISA, shfl.sync: "bval = b[4:0]"."""
    cases = []
    for form in SHUFFLES:
        for argument in (32, 33, 47, 63):
            far = tuple(WarpLane(True, 0xFFFFFFFF, 1000 + i, argument) for i in range(64))
            near = tuple(WarpLane(True, 0xFFFFFFFF, 1000 + i, argument - WARP) for i in range(64))
            cases += [Case(f"{form}_sync", "u32", "u32", 0, lanes) for lanes in (far, near)]
    results = run(warp32_program, cases)
    assert results[::2] == results[1::2]


def test_f23_a_ballot_of_the_upper_half_fits_32_bits(warp32_program: Path) -> None:
    """`__popc(__ballot_sync(full, p))`: the upper warp counts its own lanes, not the lower's."""
    lanes = tuple(WarpLane(True, 0xFFFFFFFF, 0, int(i in (3, 40, 63))) for i in range(64))
    (got,) = run(warp32_program, [Case("ballot_sync", "u32", "u32", 0, lanes)])
    assert got == ["00000008"] * 32 + ["80000100"] * 32


MUTANTS = {
    "reads cross into the other half": (
        "return (w2w_wave_lane() & 32u) | (lane & 31u);",
        "return lane & 31u;",
    ),
    "ballot not shifted to the own half": (
        "wave_mask >> (w2w_wave_lane() & 32u)",
        "wave_mask",
    ),
    "lane id counts to 64": (
        "w2w_lane_id() { return w2w_wave_lane() & 31u; }",
        "w2w_lane_id() { return w2w_wave_lane(); }",
    ),
    "ballot_sync forgets the mask": (
        "return w2w_ballot(predicate) & static_cast<unsigned>(mask);",
        "return (void)mask, w2w_ballot(predicate);",
    ),
    "up stops one lane early": (
        "(width - 1u)) >= offset",
        "(width - 1u)) > offset",
    ),
    "a segment of 32 whatever the width": (
        "return w2w_read_lane(value, (w2w_lane_id() & ~within) | (source & within));",
        "return w2w_read_lane(value, (void(within), source));",
    ),
    "reduction ignores who takes part": (
        "if (w2w_wave_ballot(members != 0xffffffffu) == 0) {",
        "if (members != 0) {",
    ),
    "match_any forgets the mask": (
        "if (same) return matching & static_cast<unsigned>(mask);",
        "if (same) return (void)mask, matching;",
    ),
    "match_all compares with lane 0": (
        "same &= bits[word] == w2w_read_lane(bits[word], first);",
        "same &= bits[word] == (void(first), w2w_read_lane(bits[word], 0));",
    ),
    "narrow types are not promoted": ("using type = decltype(+T{});", "using type = T;"),
    "only the first word of a wide value moves": (
        "    bits[word] = w2w_wave_read(bits[word], source);",
        "    bits[word] = word == 0 ? w2w_wave_read(bits[word], source) : bits[word];",
    ),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_fault_in_the_header_is_found(mutant: str, tmp_path: Path) -> None:
    """The tests above can fail: each of these faults makes them."""
    old, new = MUTANTS[mutant]
    text = (COMPAT / "warp32.h").read_text()
    assert text.count(old) == 1, "the header changed: update the mutant"
    (tmp_path / "warp32.h").write_text(text.replace(old, new))
    program = compile_program(
        CPP / "warp32_cases.cpp", tmp_path / "mutant", *MODEL, f"-I{tmp_path}", "-Wno-error"
    )
    rng = random.Random("mutants")
    cases = shuffle_cases(rng, ("u32", "i8", "b8")) + other_cases(rng, rounds=10)
    wrong, _ = differences(program, cases)
    assert wrong
