"""The table of replacements and the compat headers say the same."""

from __future__ import annotations

import re

import pytest

from warp2wave.port import shims

from .conftest import COMPAT

HEADERS = {path.name: path.read_text() for path in COMPAT.glob("*.h")}


def defined(header: str) -> set[str]:
    """Every w2w_ name that a header may define, those made by its macros included."""
    text = HEADERS[header]
    names = set(re.findall(r"\bw2w_\w+", text))
    made = re.findall(r"^W2W_\w+\((\w+)", text, re.MULTILINE)
    for name in made:
        names |= {name, f"{name}_sync", f"w2w_{name}2", f"w2w_{name}4"}
        names |= {f"w2w_{name}min", f"w2w_{name}max"}
    return names


REPLACEMENTS = {**shims.SHIMS, **shims.COORDINATES}


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_each_replacement_is_defined_in_its_header(name: str) -> None:
    shim = REPLACEMENTS[name]
    assert shim.replacement in defined(shim.header) | _widths(shim.header)


def _widths(header: str) -> set[str]:
    stems = re.findall(r"w2w_(\w+)##n", HEADERS[header])
    return {f"w2w_{stem}{width}" for stem in stems for width in (2, 4)}


def test_the_other_tables_name_headers_that_exist() -> None:
    others = (shims.HEADER_SHIMS, shims.ADDITIONS, shims.HEADER_ADDITIONS, shims.PROVIDED)
    assert {header for table in others for header in table.values()} <= HEADERS.keys()


def test_replacements_are_distinct_from_cuda_names() -> None:
    assert not {shim.replacement for shim in shims.SHIMS.values()} & shims.SHIMS.keys()


@pytest.mark.parametrize("header", HEADERS)
def test_headers_are_short_and_licensed(header: str) -> None:
    text = HEADERS[header]
    assert len(text.splitlines()) < 400
    if header != "torch_namespaces.h":
        assert text.startswith("// SPDX-License-Identifier: Apache-2.0\n")
