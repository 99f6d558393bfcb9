"""The names scan: what it yields is what the full tokens hold."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warp2wave.syntax.lexer import tokenize
from warp2wave.syntax.names import scan_names, used_names
from warp2wave.syntax.patterns import spelling
from warp2wave.syntax.tokens import TokenKind


def names(text: str, wanted: str | tuple[str, ...] = ("cuda", "__", "CU")) -> list[str]:
    found = list(scan_names(text, wanted))
    assert used_names(text, wanted) == {name for name, _ in found}
    return [name for name, _ in found]


def test_f11_comments_and_strings_are_skipped() -> None:
    text = "// calls cudaMalloc\nputs(\"cudaMalloc failed\"); /* cudaFree */ cudaMemcpy('c');"
    assert names(text) == ["cudaMemcpy"]


def test_f45_end_of_text_is_a_boundary() -> None:
    assert list(scan_names("CUfunction", ["CU"])) == [("CUfunction", 0)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my_cudaX xcuda $cuda 1cuda cuda", ["cuda"]),
        ("#error cudaMalloc\n#define A cudaFree", ["cudaMalloc", "cudaFree"]),
        ('R"(cudaA)" cudaB R"x(" cudaC )x"', ["cudaB"]),
        ('u8R"(cudaA)" LR"(cudaB)" R"(cudaC', []),
        ('"\\"" cudaA "\\\\" cudaB', ["cudaA", "cudaB"]),
        ("1'000 cudaA 0x1'f'f cudaB", ["cudaA", "cudaB"]),
        ("u8'\"' cudaA L'\\'' cudaB", ["cudaA", "cudaB"]),
        ("cuda\\\nMalloc", ["cudaMalloc"]),
        ("// x \\\n cudaA\ncudaB", ["cudaB"]),
        ("/\\\n/ cudaA\ncudaB", ["cudaB"]),
        ('"cudaA\ncudaB', ["cudaB"]),
        ("a/cudaA/b", ["cudaA"]),
        ("\ufeffcudaA \ufeff", ["cudaA"]),
        ("", []),
    ],
)
def test_names(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_the_ways_to_ask() -> None:
    text = "cudaMalloc cublasCreate half2 ncclSend"
    assert names(text, "cuda|cublas") == ["cudaMalloc", "cublasCreate"]
    assert names(text, ("half", "half2", "nccl")) == ["half2", "ncclSend"]
    assert names(text, r"cu(?:da|blas)[MC]") == ["cudaMalloc", "cublasCreate"]
    assert names(text, ()) == []


PIECES = st.sampled_from(
    ['"', "'", "\\", "\n", 'R"(', ')"', "/*", "*/", "//", "cuda", "X", " ", "1", "u8", "L", ";"]
)


@pytest.mark.parametrize("wanted", [("cuda",), r"cud(?:a)"])
@settings(deadline=None)  # the first example compiles the expression
@given(st.lists(PIECES, max_size=40).map("".join))
def test_agrees_with_full_tokens(wanted: str | tuple[str, ...], text: str) -> None:
    tokens = tokenize(text)
    expected = [
        (spelling(lexeme), start)
        for lexeme, kind, start in zip(tokens.lexemes, tokens.kinds, tokens.starts, strict=False)
        if kind == TokenKind.NAME and spelling(lexeme).startswith("cuda")
    ]
    assert list(scan_names(text, wanted)) == expected
