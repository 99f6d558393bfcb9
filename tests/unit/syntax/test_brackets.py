"""The bracket tree: right where code is right, local in its errors where it is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warp2wave.syntax.document import Document


def pairs(text: str) -> set[tuple[int, int]]:
    """Return the matched pairs as character offsets, seen from either bracket."""
    code = Document(text).code
    partners = code.brackets.partners
    return {
        (min(code.starts[a], code.starts[b]), max(code.starts[a], code.starts[b]))
        for a, b in enumerate(partners)
        if b >= 0
    }


def unmatched(text: str) -> str:
    code = Document(text).code
    return "".join(code.lexemes[p] for p in code.brackets.unmatched)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("()[]{}", {(0, 1), (2, 3), (4, 5)}),
        ("([{}])", {(0, 5), (1, 4), (2, 3)}),
        ("<% a<:0:> %>", {(0, 10), (4, 7)}),
        ("<%}", {(0, 2)}),
        ("\"(\" (')') /*)*/", {(4, 8)}),
        ("{ ( }", {(0, 4)}),  # an unclosed ( does not reach out of its braces
        ("{ ) }", {(0, 4)}),
        ("( { ) } )", {(0, 8), (2, 6)}),
        ("(]) ]", {(0, 2)}),
        ("#define A (\n()", {(12, 13)}),  # a directive's brackets are its own
    ],
)
def test_pairs(text: str, expected: set[tuple[int, int]]) -> None:
    assert pairs(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("()", ""), ("(", "("), (")", ")"), ("([)", "["), ("{)}", ")"), ("}{", "}{")],
)
def test_unmatched_are_reported(text: str, expected: str) -> None:
    assert unmatched(text) == expected


def test_branches_of_a_group_each_start_anew() -> None:
    text = "f(\n#if A\n1)\n#else\n2)\n#endif\n;g()"
    opening = text.index("(")
    assert pairs(text) == {
        (opening, text.index("1)") + 1),
        (opening, text.index("2)") + 1),
        (text.index("g(") + 1, text.index("g(") + 2),
    }
    assert unmatched(text) == ""


def test_two_openers_that_share_a_closer() -> None:
    text = "#if A\nif (x) {\n#else\nif (y) {\n#endif\nz();\n}\nf();"
    closer = text.index("}")
    braces = [i for i, c in enumerate(text) if c == "{"]
    assert {(braces[0], closer), (braces[1], closer)} <= pairs(text)
    assert unmatched(text) == ""


def test_enclosing() -> None:
    text = "a { b ( c ) d } e ( f"
    code = Document(text).code

    def around(name: str) -> str:
        position = code.brackets.enclosing(code.lexemes.index(name))
        return code.lexemes[position] if position >= 0 else ""

    assert [around(name) for name in "abcdef"] == ["", "{", "(", "{", "", "("]


PIECES = st.lists(
    st.sampled_from(["(", ")", "[", "]", "{", "}", "a", "\n#if A\n", "\n#else\n", "\n#endif\n"]),
    max_size=40,
)


@given(PIECES)
def test_partners_fit(pieces: list[str]) -> None:
    code = Document(" ".join(pieces)).code
    partners = code.brackets.partners
    for position, partner in enumerate(partners):
        if partner >= 0:
            opener, closer = min(position, partner), max(position, partner)
            assert code.lexemes[opener] + code.lexemes[closer] in ("()", "[]", "{}")


@given(PIECES.map(lambda pieces: [p for p in pieces if "#" not in p]))
def test_pairs_nest(pieces: list[str]) -> None:
    code = Document(" ".join(pieces)).code
    partners = code.brackets.partners
    found = sorted((p, q) for p, q in enumerate(partners) if q > p)
    assert all(partners[q] == p for p, q in found)
    for p, q in found:
        assert not any(p < other < q < end for other, end in found)
