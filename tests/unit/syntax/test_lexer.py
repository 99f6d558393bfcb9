"""The lexer: every text comes back, and each construct of C++ is cut as a compiler cuts it."""

# ruff: noqa: E501 (a table reads best one case a line)

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warp2wave.syntax.lexer import tokenize
from warp2wave.syntax.patterns import spelling
from warp2wave.syntax.tokens import LAST_TRIVIA, Token, TokenKind

K = TokenKind


def cut(text: str) -> list[tuple[str, str]]:
    """Return (kind, lexeme) of the tokens that are neither blank nor line end."""
    tokens = tokenize(text)
    assert "".join(tokens.lexemes) == text
    return [
        (token.kind.name, text[token.start : token.end])
        for token in tokens
        if token.kind not in (K.BLANK, K.NEWLINE)
    ]


CASES = [
    # raw strings: prefixes, delimiters, quotes and comment marks in them
    ('R"(a"b)"', [("STRING", 'R"(a"b)"')]),
    ('R"x(a)"b)x" c', [("STRING", 'R"x(a)"b)x"'), ("NAME", "c")]),
    *[(f'{p}R"(/*)" y', [("STRING", f'{p}R"(/*)"'), ("NAME", "y")]) for p in ("u8", "u", "U", "L")],
    ('R"(a\\\nb)"', [("STRING", 'R"(a\\\nb)"')]),
    ('R"(unterminated', [("STRING", 'R"(unterminated')]),
    ('R"a(x)b" "', [("STRING", 'R"a(x)b" "')]),
    ('fooR"(x)"', [("NAME", "fooR"), ("STRING", '"(x)"')]),
    ('// R"(\nx', [("COMMENT", '// R"('), ("NAME", "x")]),
    ('"R\\"(" x ")"', [("STRING", '"R\\"("'), ("NAME", "x"), ("STRING", '")"')]),
    ('/*R"(*/x R"(y)"', [("COMMENT", '/*R"(*/'), ("NAME", "x"), ("STRING", 'R"(y)"')]),
    ('R"0123456789abcdef0(x)"', [("NAME", "R"), ("STRING", '"0123456789abcdef0(x)"')]),
    # line continuations
    ("cuda\\\nMalloc", [("NAME", "cuda\\\nMalloc")]),
    ("a\\\r\nb\\ \t\nc", [("NAME", "a\\\r\nb\\ \t\nc")]),
    ("12\\\n34", [("NUMBER", "12\\\n34")]),
    ("// a\\\nb\nc", [("COMMENT", "// a\\\nb"), ("NAME", "c")]),
    ('"a\\\nb"', [("STRING", '"a\\\nb"')]),
    ('"a\\\\\n"b"', [("STRING", '"a\\\\\n"b"')]),  # \ + continuation + " is an escaped quote
    ("/\\\n/ x\ny", [("COMMENT", "/\\\n/ x"), ("NAME", "y")]),
    ("/\\\n* x *\\\n/ y", [("COMMENT", "/\\\n* x *\\\n/"), ("NAME", "y")]),
    ("a \\\n b", [("NAME", "a"), ("NAME", "b")]),
    # digraphs, and the exception for <::
    (
        "<% %> <: :> %: %:%:",
        [
            ("OPEN", "<%"),
            ("CLOSE", "%>"),
            ("OPEN", "<:"),
            ("CLOSE", ":>"),
            ("HASH", "%:"),
            ("PUNCTUATION", "%:%:"),
        ],
    ),
    ("k<::x>", [("NAME", "k"), ("LESS", "<"), ("PUNCTUATION", "::"), ("NAME", "x"), ("GREATER", ">")]),
    ("<:::x", [("OPEN", "<:"), ("PUNCTUATION", "::"), ("NAME", "x")]),
    ("<::>", [("OPEN", "<:"), ("CLOSE", ":>")]),
    # literals
    ('"a"_km "b"s "c"sv', [("STRING", '"a"_km'), ("STRING", '"b"s'), ("STRING", '"c"sv')]),
    ('"%"PRId64', [("STRING", '"%"'), ("NAME", "PRId64")]),
    ('"a"cudaX', [("STRING", '"a"'), ("NAME", "cudaX")]),
    ("1.5_km 'c'_x", [("NUMBER", "1.5_km"), ("CHARACTER", "'c'_x")]),
    ("1'000'000 x", [("NUMBER", "1'000'000"), ("NAME", "x")]),
    ("0x1'fp-3f 1e+5 .5 1.", [("NUMBER", n) for n in ("0x1'fp-3f", "1e+5", ".5", "1.")]),
    ("u8'a' L'b' U\"c\" u'\\''", [("CHARACTER", "u8'a'"), ("CHARACTER", "L'b'"), ("STRING", 'U"c"'), ("CHARACTER", "u'\\''")]),
    # unterminated, and comments that do not nest
    ('"abc\nd', [("STRING", '"abc'), ("NAME", "d")]),
    ("'a\nd", [("CHARACTER", "'a"), ("NAME", "d")]),
    ("/* a", [("COMMENT", "/* a")]),
    ("/*/ a", [("COMMENT", "/*/ a")]),
    ("/* /* */ x */", [("COMMENT", "/* /* */"), ("NAME", "x"), ("PUNCTUATION", "*"), ("PUNCTUATION", "/")]),
    ("// /* \nx", [("COMMENT", "// /* "), ("NAME", "x")]),
    ('"\\', [("STRING", '"'), ("OTHER", "\\")]),
    # line ends, byte-order mark, undecodable bytes
    ("// a\r\nb", [("COMMENT", "// a"), ("NAME", "b")]),
    ("// a\rb", [("COMMENT", "// a"), ("NAME", "b")]),
    ("\ufeffint", [("NAME", "int")]),
    ("caf\udce9 \u00e9t\u00e9", [("NAME", "caf\udce9"), ("NAME", "\u00e9t\u00e9")]),
    ("a\x00b@", [("NAME", "a"), ("OTHER", "\x00"), ("NAME", "b"), ("OTHER", "@")]),
    ("\\u00e9x y", [("NAME", "\\u00e9x"), ("NAME", "y")]),
    # operators
    ("a->*b <=> c >>= d", [("NAME", "a"), ("PUNCTUATION", "->*"), ("NAME", "b"), ("PUNCTUATION", "<=>"), ("NAME", "c"), ("PUNCTUATION", ">>="), ("NAME", "d")]),
    ("k<<<g,b>>>()", [("NAME", "k"), ("LESS", "<<<"), ("NAME", "g"), ("PUNCTUATION", ","), ("NAME", "b"), *[("GREATER", ">")] * 3, ("OPEN", "("), ("CLOSE", ")")]),
    # header names
    ("#include <a//b's.h>\nx", [("HASH", "#"), ("NAME", "include"), ("HEADER", "<a//b's.h>"), ("NAME", "x")]),
    ("#include<a.h>", [("HASH", "#"), ("NAME", "include"), ("HEADER", "<a.h>")]),
    ("", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_cut(text: str, expected: list[tuple[str, str]]) -> None:
    assert cut(text) == expected


def test_blank_kinds() -> None:
    kinds = [token.kind for token in tokenize("a \\\n b \n c \\\r\n\n")]
    assert kinds == [K.NAME, K.BLANK, K.NAME, K.NEWLINE, K.NAME, K.NEWLINE]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_ends_a_line(end: str) -> None:
    assert [t.kind for t in tokenize(f"a{end}b")] == [K.NAME, K.NEWLINE, K.NAME]


def test_spelling_removes_continuations() -> None:
    assert spelling("cuda\\\nMal\\ \r\nloc") == "cudaMalloc"
    assert spelling("plain") == "plain"


def test_columns_agree() -> None:
    tokens = tokenize("int a; // x\n")
    assert list(tokens) == [tokens[i] for i in range(len(tokens))]
    assert [Token(K(kind), start, end) for kind, start, end in tokens.rows()] == list(tokens)
    assert tokens[-1] == tokens[len(tokens) - 1]
    assert tokens[1:3] == [tokens[1], tokens[2]]
    assert [tokens.at(0), tokens.at(4), tokens.at(11)] == [0, 2, 6]
    for outside in (-1, 12):
        with pytest.raises(IndexError):
            tokens.at(outside)


# Pieces whose combinations are where lexers go wrong.
PIECES = st.sampled_from(
    ['"', "'", "\\", "\n", "\r", "R\"(", ')"', "/*", "*/", "//", "<", ">", ":", "%", "1", "e", "+",
     "#", "include ", "a", "u8", "_", ".", "\ufeff", "\udc80", "\u00e9", " ", "\\u00e9", "(", "}"]
)  # fmt: skip
ANY_TEXT = st.one_of(
    st.text(st.characters(exclude_categories=())), st.lists(PIECES, max_size=40).map("".join)
)


@given(ANY_TEXT)
def test_tokens_joined_are_the_text(text: str) -> None:
    tokens = tokenize(text)
    assert "".join(tokens.lexemes) == text
    assert "".join(text[start:end] for _, start, end in tokens) == text
    assert all(tokens.lexemes)


@given(st.binary())
def test_bytes_come_back(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    joined = "".join(tokenize(text).lexemes)
    assert joined.encode("utf-8", "surrogateescape") == data


@given(ANY_TEXT)
def test_code_tokens_are_what_their_kind_says(text: str) -> None:
    for kind, lexeme in cut(text):
        if kind == "NAME":
            assert not any(c in " \t\r\n()<>;,\"'" for c in spelling(lexeme))
        elif kind in ("OPEN", "CLOSE", "LESS", "GREATER"):
            assert len(lexeme) <= 3
        else:
            assert K[kind] > K.NEWLINE


@given(ANY_TEXT, st.sampled_from(["cudaMalloc", "( )", "x1"]))
def test_a_token_after_a_line_end_is_not_swallowed(text: str, word: str) -> None:
    """Whatever comes before, a comment that is closed leaves the next line's tokens alone."""
    lexemes = [
        lexeme
        for lexeme, kind in zip(
            tokenize(f"/* {text.replace('*', '')} */\n{word}").lexemes,
            tokenize(f"/* {text.replace('*', '')} */\n{word}").kinds,
            strict=True,
        )
        if kind > LAST_TRIVIA
    ]
    assert lexemes == word.split()
