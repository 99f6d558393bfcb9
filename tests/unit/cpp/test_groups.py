"""F32: cooperative groups' reduce() and partitions, on wavefronts of 32 and 64 lanes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from .conftest import CPP, MODEL, compile_program


@pytest.fixture(scope="session")
def program(host_compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("groups") / "groups"
    return compile_program(CPP / "groups_cases.cpp", output, *MODEL, compiler=host_compiler)


def value(i: int) -> int:
    return (i * 37 + 11) % 101


def peers(i: int, size: int, same: Callable[[int], object]) -> list[int]:
    """The threads of i's aligned run of `size` with the same property."""
    start = i - i % size
    return [j for j in range(start, start + size) if same(j) == same(i)]


def odd(j: int) -> bool:
    return value(j) % 2 == 1


def bits(flags: Iterable[bool]) -> int:
    return sum(1 << rank for rank, flag in enumerate(flags) if flag)


def tile_of(i: int, size: int) -> list[int]:
    return peers(i, size, lambda _: 0)


def tile8_shuffles(i: int) -> int:
    start, rank = i - i % 8, i % 8
    up = value(i if rank < 1 else i - 1)
    down = value(i if rank + 2 > 7 else i + 2)
    return value(start + 3) + 2 * value(start + (rank ^ 5)) + 3 * up + 5 * down


def coalesced_shuffles(i: int) -> int:
    group = peers(i, 32, odd)
    rank = group.index(i)
    up = value(group[max(rank - 1, 0)])
    down = value(group[rank + 2] if rank + 2 < len(group) else i)
    return value(group[1]) + 2 * up + 3 * down


EXPECTED: dict[str, Callable[[int], int]] = {
    "tile32_add": lambda i: sum(map(value, peers(i, 32, lambda _: 0))),
    "tile8_max": lambda i: max(map(value, peers(i, 8, lambda _: 0))),
    "tile8_rank": lambda i: i % 32 // 8,
    "label_size": lambda i: len(peers(i, 16, lambda j: value(j) % 3)),
    "label_add": lambda i: sum(map(value, peers(i, 32, lambda j: value(j) % 3))),
    "coalesced_min": lambda i: min(map(value, peers(i, 32, odd))) if odd(i) else -1,
    "coalesced_rank": lambda i: peers(i, 32, odd).index(i) if odd(i) else -1,
    "binary_size": lambda i: len(peers(i, 32, lambda j: value(j) > 50)),
    "tile8_ballot": lambda i: bits(odd(j) for j in tile_of(i, 8)),
    "tile16_votes": lambda i: (
        2 * any(value(j) > 95 for j in tile_of(i, 16)) + all(value(j) > 5 for j in tile_of(i, 16))
    ),
    "tile8_match": lambda i: bits(value(j) % 3 == value(i) % 3 for j in tile_of(i, 8)),
    "tile8_shuffles": tile8_shuffles,
    "coalesced_ballot": lambda i: bits(value(j) > 50 for j in peers(i, 32, odd)) if odd(i) else -1,
    "coalesced_match": lambda i: (
        bits(value(j) % 3 == value(i) % 3 for j in peers(i, 32, odd)) if odd(i) else -1
    ),
    "coalesced_shuffles": lambda i: coalesced_shuffles(i) if odd(i) else -1,
}


@pytest.mark.parametrize("wave", [32, 64])
def test_f32_groups_within_a_warp(program: Path, wave: int) -> None:
    done = subprocess.run([program, str(wave)], capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    found = {row[0]: [int(number) for number in row[1:]] for row in rows}
    assert found == {name: [of(i) for i in range(64)] for name, of in EXPECTED.items()}
