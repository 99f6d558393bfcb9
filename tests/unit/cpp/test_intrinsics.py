"""SIMD and integer intrinsics and bfloat16 rounding against their documented meaning.

The meanings are those of the CUDA Math API ("SIMD Intrinsics", "Integer Intrinsics") and of IEEE
754 rounding, worked out here with Python's unbounded integers and fractions.
"""

from __future__ import annotations

import math
import random
import struct
import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from .conftest import CPP, compile_program

Arguments = tuple[int, int, int]


@pytest.fixture(scope="session")
def program(host_compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("intrinsics") / "intrinsics"
    return compile_program(CPP / "intrinsics_cases.cpp", output, "-O1", compiler=host_compiler)


def call(program: Path, calls: list[tuple[str, Arguments]]) -> list[int]:
    mask = (1 << 64) - 1
    lines = (f"{name} {a & mask:x} {b & mask:x} {c & mask:x}\n" for name, (a, b, c) in calls)
    done = subprocess.run(
        [program], input="".join(lines), capture_output=True, text=True, check=True
    )
    return [int(line, 16) for line in done.stdout.split()]


def elements(word: int, bits: int, signed: bool) -> list[int]:
    found = [word >> start & ((1 << bits) - 1) for start in range(0, 32, bits)]
    return [v - (1 << bits) if signed and v >> (bits - 1) else v for v in found]


def joined(values: list[int], bits: int) -> int:
    return sum((v & ((1 << bits) - 1)) << (bits * i) for i, v in enumerate(values))


def clamp(value: int, bits: int, signed: bool) -> int:
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    return min(max(value, low), high)


def rounded_average(a: int, b: int) -> int:
    """Halves away from zero."""
    half = Fraction(a + b, 2)
    return math.ceil(half) if half >= 0 else math.floor(half)


COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
# Name without width: (signed elements, saturating, operation).
ELEMENTWISE: dict[str, tuple[bool, bool, Callable[[int, int], int]]] = {
    "vadd": (False, False, lambda a, b: a + b),
    "vaddss": (True, True, lambda a, b: a + b),
    "vaddus": (False, True, lambda a, b: a + b),
    "vsub": (False, False, lambda a, b: a - b),
    "vsubss": (True, True, lambda a, b: a - b),
    "vsubus": (False, True, lambda a, b: a - b),
    "vmins": (True, False, min),
    "vminu": (False, False, min),
    "vmaxs": (True, False, max),
    "vmaxu": (False, False, max),
    "vavgs": (True, False, rounded_average),
    "vavgu": (False, False, rounded_average),
    "vhaddu": (False, False, lambda a, b: (a + b) // 2),
    "vabsdiffs": (True, False, lambda a, b: abs(a - b)),
    "vabsdiffu": (False, False, lambda a, b: abs(a - b)),
    "vneg": (True, False, lambda a, _: -a),
    "vnegss": (True, True, lambda a, _: -a),
    "vabs": (True, False, lambda a, _: abs(a)),
    "vabsss": (True, True, lambda a, _: abs(a)),
}
for _name, _holds in COMPARISONS.items():
    for _sign, _signed in (("", False),) if _name in ("eq", "ne") else (("s", True), ("u", False)):
        ELEMENTWISE[f"vcmp{_name}{_sign}"] = (_signed, False, lambda a, b, h=_holds: -int(h(a, b)))
        ELEMENTWISE[f"vset{_name}{_sign}"] = (_signed, False, lambda a, b, h=_holds: int(h(a, b)))


def words(rng: random.Random) -> list[tuple[int, int]]:
    edges = [0, 0xFFFFFFFF, 0x80008000, 0x7FFF7FFF, 0x80808080, 0x7F7F7F7F, 0x01FF0001, 0x00010100]
    pairs = [(a, b) for a in edges for b in edges]
    return pairs + [(rng.getrandbits(32), rng.getrandbits(32)) for _ in range(200)]


@pytest.mark.parametrize("width", [2, 4])
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_simd_intrinsics(program: Path, name: str, width: int) -> None:
    signed, saturating, operation = ELEMENTWISE[name]
    bits = 32 // width
    pairs = words(random.Random(name))
    got = call(program, [(f"{name}{width}", (a, b, 0)) for a, b in pairs])
    for (a, b), result in zip(pairs, got, strict=True):
        each = [
            operation(x, y)
            for x, y in zip(elements(a, bits, signed), elements(b, bits, signed), strict=True)
        ]
        if saturating:
            each = [clamp(v, bits, signed) for v in each]
        assert result == joined(each, bits), f"{name}{width}({a:#010x}, {b:#010x})"


@pytest.mark.parametrize("width", [2, 4])
@pytest.mark.parametrize("signed", [True, False])
def test_sums_of_absolute_differences(program: Path, signed: bool, width: int) -> None:
    bits = 32 // width
    pairs = words(random.Random("sad"))
    name = f"vsad{'s' if signed else 'u'}{width}"
    got = call(program, [(name, (a, b, 0)) for a, b in pairs])
    for (a, b), result in zip(pairs, got, strict=True):
        both = zip(elements(a, bits, signed), elements(b, bits, signed), strict=True)
        assert result == sum(abs(x - y) for x, y in both)


@pytest.mark.parametrize("signed", [True, False])
def test_dot_products(program: Path, signed: bool) -> None:
    rng = random.Random("dot")
    cases = [(a, b, rng.getrandbits(32)) for a, b in words(rng)]
    kind = "s32" if signed else "u32"
    names = [f"{n}_{kind}" for n in ("dp4a", "dp2a_lo", "dp2a_hi")]
    got = iter(call(program, [(name, case) for case in cases for name in names]))
    for a, b, c in cases:
        bytes_a, bytes_b = elements(a, 8, signed), elements(b, 8, signed)
        halves = elements(a, 16, signed)
        dots = [
            sum(x * y for x, y in zip(bytes_a, bytes_b, strict=True)),
            sum(x * y for x, y in zip(halves, bytes_b[:2], strict=True)),
            sum(x * y for x, y in zip(halves, bytes_b[2:], strict=True)),
        ]
        for dot in dots:
            assert next(got) == (dot + c) & 0xFFFFFFFF


def test_fns_finds_the_nth_set_bit(program: Path) -> None:
    rng = random.Random("fns")
    cases = [
        (rng.choice([0, 0xFFFFFFFF, rng.getrandbits(32)]), rng.randrange(32), rng.randint(-8, 8))
        for _ in range(500)
    ]
    got = call(program, [("fns", case) for case in cases])
    for (mask, base, offset), result in zip(cases, got, strict=True):
        set_bits = [i for i in range(32) if mask >> i & 1]
        if offset == 0:
            ordered = [i for i in set_bits if i == base]
        elif offset > 0:
            ordered = [i for i in set_bits if i >= base]
        else:
            ordered = [i for i in reversed(set_bits) if i <= base]
        place = max(abs(offset), 1) - 1
        assert result == (ordered[place] if place < len(ordered) else 0xFFFFFFFF)


def as_fraction(bfloat16: int) -> Fraction:
    return Fraction(struct.unpack("<f", struct.pack("<I", bfloat16 << 16))[0])


def neighbours(exact: Fraction) -> tuple[int, int]:
    """The bits of the magnitudes just below (or at) and above |exact|, finite or infinite."""
    low, high = 0, 0x7F80
    while high - low > 1:
        middle = (low + high) // 2
        if as_fraction(middle) <= abs(exact):
            low = middle
        else:
            high = middle
    return low, high


def rounded(exact: Fraction, direction: str) -> int:
    """The bfloat16 bits of an exact value, in one of IEEE 754's directions."""
    sign = 0x8000 if exact < 0 else 0
    low, high = neighbours(exact)
    if as_fraction(low) == abs(exact):
        return sign | low
    if direction == "rz" or ((direction == "rd") == (sign == 0) and direction != "rn"):
        return sign | low
    if direction in ("rd", "ru"):
        return sign | high
    above = Fraction(2) ** 128 if high == 0x7F80 else as_fraction(high)
    to_low, to_high = abs(exact) - as_fraction(low), above - abs(exact)
    if to_low == to_high:
        return sign | (low if low % 2 == 0 else high)
    return sign | (low if to_low < to_high else high)


@pytest.mark.parametrize("direction", ["rn", "rz", "rd", "ru"])
def test_floats_round_to_bfloat16(program: Path, direction: str) -> None:
    rng = random.Random(direction)
    floats = [rng.getrandbits(32) for _ in range(300)]
    floats += [(rng.getrandbits(16) << 16) | 0x8000 for _ in range(100)]  # ties
    floats += [0, 0x80000000, 1, 0x80000001, 0x7F7FFFFF, 0xFF7FFFFF, 0x007FFFFF]
    floats = [bits for bits in floats if bits & 0x7F800000 != 0x7F800000]
    got = call(program, [(direction, (bits, 0, 0)) for bits in floats])
    for bits, result in zip(floats, got, strict=True):
        exact = Fraction(struct.unpack("<f", struct.pack("<I", bits))[0])
        want = rounded(exact, direction) | (bits >> 31 << 15)  # minus zero keeps its sign
        assert result == want, hex(bits)


@pytest.mark.parametrize("direction", ["rn", "rz", "rd", "ru"])
def test_infinities_and_nan_stay(program: Path, direction: str) -> None:
    special = [0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFFFFFFF]
    got = call(program, [(direction, (bits, 0, 0)) for bits in special])
    assert got == [0x7F80, 0xFF80, 0x7FFF, 0x7FFF, 0x7FFF]


def test_integers_round_once_to_bfloat16(program: Path) -> None:
    """2**24 + 2**16 + 1 is past the tie that a float in between would make of it."""
    rng = random.Random("integers")
    signed = [rng.randint(-(1 << n), 1 << n) for n in range(1, 63) for _ in range(4)]
    signed += [(1 << 31) + (1 << 23) + 1, (1 << 40) + (1 << 32) + 1, -(1 << 63), (1 << 63) - 1, 0]
    small = [v for v in signed if -(1 << 31) <= v < 1 << 31]
    for name, values in (
        ("of_ll", signed),
        ("of_int", small),
        ("of_ull", [*map(abs, signed), (1 << 64) - 1]),
    ):
        got = call(program, [(name, (v, 0, 0)) for v in values])
        for value, result in zip(values, got, strict=True):
            assert result == rounded(Fraction(value), "rn"), f"{name}({value})"
