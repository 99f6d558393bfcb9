"""Round trip over real headers: what an installed torch and CUDA bring."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

import pytest

from warp2wave.syntax.calls import find_calls
from warp2wave.syntax.document import Document
from warp2wave.syntax.includes import find_includes
from warp2wave.syntax.kernels import find_kernels
from warp2wave.syntax.launches import find_launches
from warp2wave.syntax.names import scan_names
from warp2wave.syntax.patterns import spelling
from warp2wave.syntax.tokens import TokenKind

PREFIXES = ("cuda", "cu", "__", "at", "c10")


@cache
def torch_include() -> Path | None:
    found = importlib.util.find_spec("torch")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent / "include"


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape")


@cache
def documents() -> tuple[tuple[str, Document], ...]:
    files = [
        path for path in Path(__file__).parents[2].rglob("*") if path.suffix in (".cu", ".cuh")
    ]
    if (torch := torch_include()) is not None:
        files += torch.rglob("*.cuh")
        files += (torch / "ATen" / "cuda").rglob("*.h")
        files += (torch / "c10").glob("*/*.h")
    cuda = Path("/usr/local/cuda/include")
    files += [path for path in cuda.glob("*.h*") if path.stat().st_size < 200_000]
    return tuple((str(path), Document(_read(path))) for path in sorted(files))


def test_files_are_there() -> None:
    if torch_include() is None:
        pytest.skip("torch is not installed")
    assert len(documents()) > 100


def test_tokens_joined_are_the_text() -> None:
    for path, document in documents():
        assert "".join(document.tokens.lexemes) == document.text, path


def test_names_scan_agrees_with_tokens() -> None:
    for path, document in documents():
        tokens = document.tokens
        expected = [
            (spelling(lexeme), start)
            for lexeme, kind, start in zip(
                tokens.lexemes, tokens.kinds, tokens.starts, strict=False
            )
            if kind == TokenKind.NAME and spelling(lexeme).startswith(PREFIXES)
        ]
        # The scan reads header names as if they were code.
        found = [
            (name, offset)
            for name, offset in scan_names(document.text, PREFIXES)
            if tokens.kinds[tokens.at(offset)] != TokenKind.HEADER
        ]
        assert found == expected, path


def test_brackets_and_conditions_close() -> None:
    """In headers that compile, every bracket and every `#if` has its partner."""
    for path, document in documents():
        assert document.conditions.unclosed == (), path
        assert document.conditions.stray == (), path
        if "tests" not in path:
            assert len(document.brackets.unmatched) <= len(document.conditions.regions), path


def test_shapes_are_read() -> None:
    for path, document in documents():
        text = document.text
        for include in find_includes(document):
            assert text[include.name_start : include.name_end] == include.name, path
        for launch in find_launches(document):
            assert text[launch.start : launch.end].replace(" ", "").count("<<<") >= 1, path
        for kernel in find_kernels(document):
            assert "__global__" in text[kernel.start : kernel.end], path
        for call in find_calls(document):
            assert text[call.arguments_span.start] == "(", path
            assert text[call.end - 1] == ")", path
