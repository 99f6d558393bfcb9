"""Listings of cuobjdump 13.2, split into kernels and compared."""

from __future__ import annotations

import pytest

from warp2wave.build.machine_code import compare_listings, read_listing

LISTING = """

	code for sm_90
	.target	sm_90

		Function : _Z1kIdEvPT_
	.headerflags	@"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
        /*0000*/                   LDC R1, c[0x0][0x28] ;      /* 0x00000a00ff017b82 */
                                                               /* 0x000fe20000000800 */
        /*0010*/                   S2R R9, SR_TID.X ;          /* 0x0000000000097919 */
                                                               /* 0x000e2e0000002100 */
		..........


		Function : _Z1kIfEvPT_
        /*0000*/                   EXIT ;                      /* 0x000000000000794d */
                                                               /* 0x000fea0003800000 */
"""


def test_kernels_of_a_listing() -> None:
    code = read_listing(LISTING)
    assert list(code) == ["_Z1kIdEvPT_ sm_90", "_Z1kIfEvPT_ sm_90"]
    assert code["_Z1kIfEvPT_ sm_90"].splitlines() == [
        "/*0000*/ EXIT ; /* 0x000000000000794d */",
        "/* 0x000fea0003800000 */",
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("S2R R9", "S2R R8"),
        # The second word of an instruction holds its scheduling: it counts as well.
        ("0x000e2e0000002100", "0x000e2e0000002101"),
    ],
)
def test_any_other_instruction_or_encoding_is_a_difference(old: str, new: str) -> None:
    first, second = read_listing(LISTING), read_listing(LISTING.replace(old, new))
    compared = compare_listings(first, second)
    assert not compared.identical
    assert compared.different == ("_Z1kIdEvPT_ sm_90",)
    assert compared.same == ("_Z1kIfEvPT_ sm_90",)


def test_other_spacing_is_none() -> None:
    spaced = read_listing(LISTING.replace("        ", "     "))
    assert compare_listings(read_listing(LISTING), spaced).identical


def test_a_kernel_more_is_a_difference() -> None:
    first = read_listing(LISTING)
    second = {name: code for name, code in first.items() if "Id" in name}
    assert compare_listings(first, second).only_first == ("_Z1kIfEvPT_ sm_90",)
    assert compare_listings(second, first).only_second == ("_Z1kIfEvPT_ sm_90",)
    assert not compare_listings(second, first).identical


def test_no_kernel_at_all_proves_nothing() -> None:
    assert not compare_listings({}, {}).identical
