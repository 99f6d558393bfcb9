"""Rows and data files are written as they are read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warp2wave.apimap.tables import Group, Row, format_row, format_table, parse_row, read_table

_NAMES = st.from_regex(r"[A-Za-z_][\w:./]{0,20}", fullmatch=True)
_NOTES = st.text(st.characters(codec="ascii", categories=["L", "N", "P", "Zs"]), max_size=40).map(
    str.strip
)


@given(_NAMES, st.none() | _NAMES, _NOTES)
def test_a_row_survives_writing_and_reading(cuda: str, hip: str | None, note: str) -> None:
    assert parse_row(format_row(cuda, hip, note)) == (cuda, hip, note)


@pytest.mark.parametrize("line", ["", "cudaMalloc", "a b c", "a b | ", "| note"])
def test_another_form_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="not a row"):
        parse_row(line)


def test_a_table_is_sorted_and_survives_writing_and_reading(tmp_path: Path) -> None:
    late = Group("toy", "", "type", "same", "here", "b.h", "hip/b.h", "", "", "6.0")
    early = Group("toy", "", "function", "missing", "here", "a.h", "", "11.8", "12.0", "", "none")
    rows = (
        Row(late, "cuZ", "hipZ", ""),
        Row(late, "cuA", "hipA", "a note"),
        Row(early, "cuB", None, ""),
    )
    text = format_table("toy", rows)
    (tmp_path / "toy.toml").write_text(text)
    table = read_table(tmp_path / "toy.toml")
    assert [row.cuda for row in table.rows] == ["cuB", "cuA", "cuZ"]
    assert set(table.rows) == set(rows)
    assert format_table("toy", table.rows) == text
