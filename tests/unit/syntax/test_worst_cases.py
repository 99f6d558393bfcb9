"""Hostile texts: a step that is quadratic or recursive would run into the timeout, or fail."""

from __future__ import annotations

import pytest

from warp2wave.syntax.calls import find_calls
from warp2wave.syntax.conditions import active_regions, is_active
from warp2wave.syntax.document import Document
from warp2wave.syntax.expressions import MacroFacts
from warp2wave.syntax.includes import find_includes
from warp2wave.syntax.kernels import find_kernels
from warp2wave.syntax.launches import find_launches
from warp2wave.syntax.names import scan_names

# Bytes a text. Quadratic work on as many tokens takes minutes, linear work a fraction of a second.
SIZE = 120_000

UNITS = [
    *'<>(){}[]"\'\\/*#,;:.&|%1a \n\r\0\ufeff\udc80',
    "\\\n", "\\ \r\n", "/*", "*/", "//", "/\\\n", "*\\\n", '"\\\n', '\\"', "'\n", "1'", "1'0", "a'",
    'R"(', 'R"a(', ')a"', '"R"(', '/*R"(', "u8'", "k<<<", ">>>(", "k<<<g,b>>>(x)", "k<<<a<b>>>(",
    "a<", "a<b,", "a::", "a<b>::", "k<a<", "a<&&", "a(", "a(b)", "a<(b)>(c)", "a.b(c).", ">a<",
    "__global__ ", "__global__ a(b) ", "__global__ a(", "template<", "template<a> ", "a##", "f{",
    "#if A\n", "#if A\n#else\n", "#endif\n", "#if (\n", "\n#if A\n(\n#else\n(\n#endif\n",
    "#elif A\n",
    "#define A(\n", "#define A k<<<1,1>>>(\n", "#include <a>\n", "#include\n", "# /**/", "/**/#",
    "%:", "<:", "<::", ":>", "\\u00e9", "1e+", ".1", "...", "cuda\\\n", "cuda'", "a /**/ # ", "if(",
    "(a)", ")(", "](", "<<", "< ", "> ", "<<< ", ">> >", "&& a<b> <<<c>>>(d)", "{)", "(}", "a<b;",
]  # fmt: skip


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", UNITS, ids=ascii)
def test_one_thing_over_and_over(unit: str) -> None:
    text = unit * (SIZE // len(unit))
    document = Document(text)
    assert "".join(document.tokens.lexemes) == text
    for _ in scan_names(text, ("cuda", "a")):
        pass
    for finder in (find_includes, find_launches, find_kernels, find_calls):
        finder(document)
    regions = active_regions(document.conditions, MacroFacts({"A": 1}))
    assert len(regions) == len(document.conditions.regions)
    assert document.line_column(len(text))[0] >= 1


def test_deep_nesting() -> None:
    depth = 100_000
    code = Document("f(" * depth + ")" * depth).code
    assert code.brackets.unmatched == ()
    assert code.brackets.partners[1] == len(code) - 1
    assert code.angles.launches == ()
    assert len(find_calls(Document("f(" * 10_000 + ")" * 10_000))) == 10_000


def test_deep_conditions() -> None:
    depth = 20_000
    text = "#if A\n" * depth + "x\n" + "#endif\n" * depth
    conditions = Document(text).conditions
    innermost = conditions.at(text.index("x"))
    assert is_active(innermost, MacroFacts({"A": 1})) is True
    assert is_active(innermost, MacroFacts({"A": 0})) is False
    assert is_active(innermost, MacroFacts()) is None


def test_one_long_line() -> None:
    text = "int a[] = {" + "0x1f, " * SIZE + "};"
    document = Document(text)
    assert "".join(document.tokens.lexemes) == text
    assert document.line_column(len(text)) == (1, len(text) + 1)
    assert find_launches(document) == ()
