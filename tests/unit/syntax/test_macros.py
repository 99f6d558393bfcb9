"""Macro definitions and other directives."""

from __future__ import annotations

import pytest

from warp2wave.syntax.document import Document


@pytest.mark.parametrize(
    ("text", "name", "parameters", "body"),
    [
        ("#define A", "A", None, ""),
        ("#define A 1 + 2 // c", "A", None, "1 + 2"),
        ("#define A (x)", "A", None, "(x)"),
        ("#define F() x", "F", (), "x"),
        ("#define F(a, b) a + b", "F", ("a", "b"), "a + b"),
        ("#define F(a, ...) a", "F", ("a", "..."), "a"),
        ("#define F(args...) args", "F", ("args", "..."), "args"),
        ("# define\tF( /* x */ a \\\n , b ) \\\n  a \\\n  b", "F", ("a", "b"), "a \\\n  b"),
        ("%:define A 1", "A", None, "1"),
        ("#define A/**/1", "A", None, "1"),
        ("#define A\\\nB 1", "AB", None, "1"),
        ("#define F(a", "F", ("a",), ""),
        ("#define F(", "F", (), ""),
    ],
)
def test_macro(text: str, name: str, parameters: tuple[str, ...] | None, body: str) -> None:
    for ending in ("", "\n", "\nint x;", "\r\nint x;"):
        full = text + ending
        (macro,) = Document(full).macros
        assert (macro.name, macro.parameters) == (name, parameters)
        assert full[macro.body_start : macro.body_end] == body
        assert full[macro.name_start : macro.name_end].replace("\\\n", "") == name


def test_conditions_and_undefinitions() -> None:
    text = "#ifdef X\n#define A 1\n#undef B // c\n#endif\n#undef\n#define\n"
    document = Document(text)
    (macro,) = document.macros
    (undefinition,) = document.undefinitions
    assert str(macro.condition) == str(undefinition.condition) == "(defined(X))"
    assert undefinition.name == text[undefinition.name_start : undefinition.name_end] == "B"


def test_directives_keep_their_text() -> None:
    text = '#pragma unroll 4\n#error don\'t "use\n#warning x /* y */\n#\n# 12 "f.c"\nint a;'
    found = [
        (d.keyword, text[document_start(text, d.body) : d.end]) for d in Document(text).directives
    ]
    assert found == [
        ("pragma", "unroll 4"),
        ("error", "don't \"use"),
        ("warning", "x"),
        ("", ""),
        ("", '12 "f.c"'),
    ]


def document_start(text: str, token: int) -> int:
    return Document(text).tokens.starts[token]


def test_line_and_column() -> None:
    document = Document("a\nbc\r\nd\re\u00e9f")
    assert [document.line_column(i) for i in (0, 1, 2, 3, 6, 8, 10, 11)] == [
        (1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (4, 1), (4, 3), (4, 4),
    ]  # fmt: skip
    for outside in (-1, 12):
        with pytest.raises(IndexError):
            document.line_column(outside)
    assert Document("").line_column(0) == (1, 1)
