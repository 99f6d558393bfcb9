"""Kernels from the field cases, unedited, run on wavefronts of 32 and 64 lanes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from warp2wave.port.shims import SHIMS

from .conftest import CPP, MODEL, compile_program

WARP_HEADER = "warp32.h"


def maps(renames: dict[str, str]) -> str:
    """What the port writes: one object-like macro a name."""
    return "".join(f"#define {name} {to}\n" for name, to in sorted(renames.items()))


def kernels(folder: Path, compiler: str, text: str) -> Path:
    """field_cases.cpp with these maps, compiled."""
    (folder / "field_maps.h").write_text(text)
    own = '-DFIELD_MAPS="field_maps.h"'
    flags = (*MODEL, f"-I{folder}", own, "-Wno-shift-negative-value")  # as people write it
    return compile_program(CPP / "field_cases.cpp", folder / "field", *flags, compiler=compiler)


def results(program: Path, wave: int) -> dict[str, list[float]]:
    done = subprocess.run([program, str(wave)], capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return {row[0]: [float(value) for value in row[1:]] for row in rows}


@pytest.fixture(scope="session")
def field_program(host_compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    warp_names = {n: s.replacement for n, s in SHIMS.items() if s.header == WARP_HEADER}
    return kernels(tmp_path_factory.mktemp("field"), host_compiler, maps(warp_names))


@pytest.fixture(params=[32, 64])
def found(field_program: Path, request: pytest.FixtureRequest) -> dict[str, list[float]]:
    return results(field_program, int(request.param))


def number(i: int, modulus: int = 101) -> int:
    """Input element i, as field_cases.cpp makes it."""
    return (i * 37 + 11) % modulus


def warp_sums(count: int) -> list[int]:
    return [sum(number(32 * w + i) for i in range(32)) for w in range(count)]


Found = dict[str, list[float]]


def test_f01_a_warp_sum_is_right_in_each_warp(found: Found) -> None:
    assert found["f01"] == warp_sums(4)


def test_f02_every_form_of_the_mask_gives_the_same(found: Found) -> None:
    expected = []
    for thread in range(64):
        warp, lane = divmod(thread, 32)
        value = 6 * number(32 * warp + (lane ^ 16))
        if lane < 20:
            odd = sum(1 << i for i in range(20) if number(32 * warp + i) % 2)
            value += number(32 * warp + 19) + odd
        expected.append(value)
    assert found["f02"] == expected


def test_f03_one_warp_size_for_host_and_device(found: Found) -> None:
    assert found["f03"] == [3 * total for total in warp_sums(3)]


def test_f04_a_block_sum_in_two_stages(found: Found) -> None:
    assert found["f04"] == [sum(warp_sums(8))]


def test_f07_syncwarp_also_in_divergent_code(found: Found) -> None:
    expected = []
    for thread in range(64):
        warp, lane = divmod(thread, 32)
        source = ((lane + 1) % 16 + 1) % 32 if lane < 16 else (lane + 1) % 32
        expected.append(number(32 * warp + source))
    assert found["f07"] == expected


def test_f08_f26_f27_the_warp_size_is_a_constant(found: Found) -> None:
    assert found["f26"] == [32]
    assert found["f27"] == [number(32 * (thread // 32)) for thread in range(128)]


def test_f22_the_hosts_rows_per_block_hold(found: Found) -> None:
    assert found["f22"] == [sum(number(50 * row + c) for c in range(50)) for row in range(10)]


def test_f23_counts_ranks_and_leaders_from_a_ballot(found: Found) -> None:
    expected = []
    for thread in range(64):
        warp, lane = divmod(thread, 32)
        true = [i for i in range(32) if number(32 * warp + i, 2)]
        before = len([i for i in true if i < lane])
        expected.append(len(true) * 10000 + before * 100 + true[0])
    assert found["f23"] == expected


def test_f31_a_scan_by_shuffles_and_its_total(found: Found) -> None:
    expected = []
    for thread in range(64):
        warp, lane = divmod(thread, 32)
        true = [i for i in range(32) if number(32 * warp + i, 2)]
        below = len([i for i in true if i < lane])
        expected.append(len(true) * 10000 + below * 100 + true[0] + 1)
    assert found["f31"] == expected


def test_f24_one_atomic_a_key(found: Found) -> None:
    of_key = {k: [number(i) for i in range(128) if number(i, 7) == k] for k in range(7)}
    assert found["f24_sums"] == [sum(of_key[k]) for k in range(7)]
    assert found["f24_greatest"] == [max(of_key[k]) for k in range(7)]


def test_f28_f30_rows_of_a_square_block(found: Found) -> None:
    assert found["f30"] == warp_sums(32)


def broadcast_sums() -> list[int]:
    return [
        sum(
            number(16 * row + i) * number(64 + number(16 * row + i, 20) * 32 + lane)
            for i in range(16)
        )
        for row in range(2)
        for lane in range(32)
    ]


def test_a_broadcast_without_mask_and_width(found: Found) -> None:
    assert found["broadcast"] == broadcast_sums()


def test_a_plain_rename_of_the_broadcast_is_wrong_on_64_lanes(tmp_path: Path) -> None:
    """What HIP's own `__shfl(var, lane)` does: the lane counts within the wavefront."""
    names = {n: s.replacement for n, s in SHIMS.items() if s.header == WARP_HEADER}
    names["__shfl"] = "renamed_shfl"
    own = (
        "template <typename T> T renamed_shfl(T value, int lane) {\n"
        "  unsigned word; __builtin_memcpy(&word, &value, 4);\n"
        "  word = w2w_wave_read(word, static_cast<unsigned>(lane));\n"
        "  __builtin_memcpy(&value, &word, 4); return value;\n}\n"
    )
    program = kernels(tmp_path, "g++", own + maps(names))
    right = broadcast_sums()
    assert results(program, 32)["broadcast"] == right
    on_64_lanes = results(program, 64)["broadcast"]
    assert on_64_lanes[:32] == right[:32]
    assert on_64_lanes[32:] != right[32:]
