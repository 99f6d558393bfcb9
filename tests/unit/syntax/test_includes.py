"""Include directives."""

from __future__ import annotations

import pytest

from warp2wave.syntax.document import Document
from warp2wave.syntax.includes import find_includes


@pytest.mark.parametrize(
    ("line", "name", "quote"),
    [
        ("#include <cuda.h>", "cuda.h", "<"),
        ('#include "a/b.cuh"', "a/b.cuh", '"'),
        ("#  include\t<a.h> // <b.h>", "a.h", "<"),
        ("  # /* x */ include /* y */ <a.h>", "a.h", "<"),
        ("#include<a.h>", "a.h", "<"),
        ("#include_next <a.h>", "a.h", "<"),
        ("%:include <a.h>", "a.h", "<"),
        ("#include <a//b's.h>", "a//b's.h", "<"),
        ("#include   <a//b.h>", "a//b.h", "<"),
        ("#include \\\n <a.h>", "a.h", "<"),
        ("#inc\\\nlude <a.h>", "a.h", "<"),
        ("#include HEADER", "HEADER", ""),
        ("#include HEADER(x) // c", "HEADER(x)", ""),
        ("#include <hip/device_functions.h>", "hip/device_functions.h", "<"),  # F37
        ('#include "a.h" cudaMalloc', "a.h", '"'),
        ("#include <unterminated", "<unterminated", ""),
    ],
)
def test_include(line: str, name: str, quote: str) -> None:
    text = f"int a;\n{line}\nint b;"
    (include,) = find_includes(Document(text))
    assert (include.name, include.quote) == (name, quote)
    assert text[include.name_start : include.name_end] == name
    assert text[include.start] in "#%"
    assert text[include.start : include.end].endswith(
        {"<": f"<{name}>"}.get(quote, name) if quote != '"' else f'"{name}"'
    )
    assert include.is_next == ("include_next" in line)


@pytest.mark.parametrize(
    "text",
    ["#include", "#include // <a.h>", "// #include <a.h>", "/*\n#include <a.h>\n*/",
     'R"(\n#include <a.h>\n)"', "x #include <a.h>", "#define A \\\n#include <a.h>",
     "#included <a>"],
)  # fmt: skip
def test_no_include(text: str) -> None:
    assert find_includes(Document(text)) == ()


def test_conditions_go_with_includes() -> None:
    text = '#ifdef USE_ROCM\n#include <hip/hip_runtime.h>\n#else\n#include "x.h"\n#endif\n'
    first, second = find_includes(Document(text))
    assert (str(first.condition), str(second.condition)) == (
        "(defined(USE_ROCM))",
        "!(defined(USE_ROCM))",
    )


def test_line_ends_and_byte_order_mark() -> None:
    text = "\ufeff#include <a.h>\r\n#include <b.h>\r#include <c.h>"
    assert [include.name for include in find_includes(Document(text))] == ["a.h", "b.h", "c.h"]
