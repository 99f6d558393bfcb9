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


@cache
def real_texts() -> tuple[tuple[str, str], ...]:
    files = [
        path for path in Path(__file__).parents[2].rglob("*") if path.suffix in (".cu", ".cuh")
    ]
    if (torch := torch_include()) is not None:
        files += torch.rglob("*.cuh")
        files += (torch / "ATen" / "cuda").rglob("*.h")
        files += (torch / "c10").rglob("*.h")
        files += (torch / "torch" / "csrc" / "api").rglob("*.h")
    cuda = Path("/usr/local/cuda/include")
    files += [path for path in cuda.rglob("*.h") if path.stat().st_size < 1_000_000]
    return tuple(
        (str(path), path.read_bytes().decode("utf-8", "surrogateescape")) for path in sorted(files)
    )


def test_files_are_there() -> None:
    if torch_include() is None:
        pytest.skip("torch is not installed")
    assert len(real_texts()) > 100


def test_tokens_joined_are_the_text() -> None:
    for path, text in real_texts():
        assert "".join(Document(text).tokens.lexemes) == text, path


def test_names_scan_agrees_with_tokens() -> None:
    for path, text in real_texts():
        tokens = Document(text).tokens
        expected = [
            (spelling(lexeme), start)
            for lexeme, kind, start in zip(
                tokens.lexemes, tokens.kinds, tokens.starts, strict=False
            )
            if kind in (TokenKind.NAME, TokenKind.HEADER) and spelling(lexeme).startswith(PREFIXES)
        ]
        headers = [t for t in tokens if t.kind == TokenKind.HEADER]
        inside = {o for t in headers for o in range(t.start, t.end)}
        found = [(n, o) for n, o in scan_names(text, PREFIXES) if o not in inside]
        assert found == expected, path


def test_brackets_and_conditions_close() -> None:
    """In headers that compile, every bracket and every `#if` has its partner."""
    for path, text in real_texts():
        document = Document(text)
        assert document.conditions.unclosed == (), path
        assert document.conditions.stray == (), path
        if "tests" not in path:
            assert len(document.brackets.unmatched) <= len(document.conditions.regions), path


def test_shapes_are_read() -> None:
    for path, text in real_texts():
        document = Document(text)
        for include in find_includes(document):
            assert text[include.name_start : include.name_end] == include.name, path
        for launch in find_launches(document):
            assert text[launch.start : launch.end].count("<<<") >= 1, path
        for kernel in find_kernels(document):
            assert "__global__" in text[kernel.start : kernel.end], path
        for call in find_calls(document):
            assert text[call.arguments_span.start] == "(", path
            assert text[call.end - 1] == ")", path
