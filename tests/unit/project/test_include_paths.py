"""Includes are found wherever they stand, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warp2wave.include_paths import IncludeLine, include_lines, is_outside
from warp2wave.syntax.document import Document
from warp2wave.syntax.includes import find_includes


def test_quotes_brackets_and_lines() -> None:
    text = '#include "a.h"\r\n\r\n  #  include <b/c.h> // why\n%:include "d e.h"\n#include MACRO\n'
    assert include_lines(text) == (
        IncludeLine("a.h", True, 1),
        IncludeLine("b/c.h", False, 3),
        IncludeLine("d e.h", True, 4),
    )


@pytest.mark.parametrize(
    "text",
    [
        '// #include "a.h"\n',
        '// continued \\\n#include "a.h"\n',
        '/* \n#include "a.h"\n*/',
        'auto s = R"(\n#include "a.h"\n)";',
        'auto s = "#include <a.h>";',
        "/* never closed\n#include <a.h>\n",
        "#include <>\n",
        "int include; // import\n",
    ],
)
def test_f11_comments_and_strings_hold_no_includes(text: str) -> None:
    assert include_lines(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "int n = 1'000'000; /* it's\n*/\n#include <a.h>\n",
        "#if 0\n#else\n#include <a.h>\n#endif\n",
        "char c = '\"';\n#include <a.h>\n",
        "\ufeff#include <a.h>",
        "// \udce9\n#include <a.h>\n",
    ],
)
def test_what_looks_like_a_quote_hides_no_include(text: str) -> None:
    assert [include.name for include in include_lines(text)] == ["a.h"]


PIECES = [
    '#include "a.h"', "#include <b.h>", "\n", "// x", "/*", "*/", '"', "'", 'R"(', ')"', " ",
    "1'0", "int x;", "#define X", "#if 0", "#endif",
]  # fmt: skip


@settings(deadline=None, max_examples=200)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_the_lexer_agrees(text: str) -> None:
    """The full lexer, which is slower by far, is the oracle."""
    lexed = [
        (include.name, include.quote == '"')
        for include in find_includes(Document(text))
        if include.quote
    ]
    # The quick look also takes a directive that does not start its line, which no compiler does.
    lines = text.split("\n")
    quick = [
        (include.name, include.quoted)
        for include in include_lines(text)
        if lines[include.line - 1].startswith("#include")
        and lines[include.line - 1].count("#include") == 1
    ]
    alone = [line for line in lines if line.count("#include") == 1 and line.startswith("#include")]
    if len(alone) == text.count("#include"):
        assert quick == lexed


@pytest.mark.parametrize(
    ("name", "outside"),
    [
        ("cuda_runtime.h", True),
        ("cublas_v2.h", True),
        ("ATen/cuda/CUDAContext.h", True),
        ("torch/extension.h", True),
        ("cub/cub.cuh", True),
        ("math.h", True),
        ("mma.h", True),
        ("Python.h", True),
        ("utils.cuh", False),
        ("cutlass/gemm.h", False),
        ("extensions.h", False),
        ("cuda/rw_cuda.h", True),
    ],
)
def test_headers_of_others(name: str, outside: bool) -> None:
    assert is_outside(name) is outside
