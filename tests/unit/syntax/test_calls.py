"""Calls with their names and arguments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warp2wave.syntax.calls import find_calls
from warp2wave.syntax.code import Span
from warp2wave.syntax.document import Document


def words(text: str, spans: tuple[Span, ...]) -> list[str]:
    return [text[span.start : span.end] for span in spans]


@pytest.mark.parametrize(
    ("text", "qualified", "template", "arguments"),
    [
        ("cudaMalloc(&p, n);", "cudaMalloc", [], ["&p", "n"]),
        ("f ( );", "f", [], []),
        ("at::cuda :: f(x)", "at::cuda::f", [], ["x"]),
        ("return ::f(x)", "::f", [], ["x"]),
        ("a<T>::f<U, 3>(x)", "a<T>::f", ["U", "3"], ["x"]),
        ("x = f<int>(y)", "f", ["int"], ["y"]),
        ("x.f(y)", "f", [], ["y"]),
        ("x->template f<T>(y)", "f", ["T"], ["y"]),
        ("f({1, 2}, [a, b], \"c, d\")", "f", [], ["{1, 2}", "[a, b]", '"c, d"']),
        ("f(a < b, c > d)", "f", [], ["a < b", "c > d"]),
        ("f(std::pair<int, T>{}, y)", "f", [], ["std::pair<int, T>{}", "y"]),
        ("f(a,, b)", "f", [], ["a", "", "b"]),
        ("f(x /* , */ , // )\n y)", "f", [], ["x", "y"]),
        ("cuda\\\nFree(x)", "cudaFree", [], ["x"]),
        ("f(\n#if A\nx\n#else\ny\n#endif\n)", "f", [], ["x\n#else\ny"]),
        ("a = b * f(x)", "f", [], ["x"]),
        ("a = 4L * at::cuda::f(x)->n", "at::cuda::f", [], ["x"]),
        ("#define M(x) f(x)", "f", [], ["x"]),
        ("typename A::B(x)", "A::B", [], ["x"]),
    ],
)  # fmt: skip
def test_call(text: str, qualified: str, template: list[str], arguments: list[str]) -> None:
    (call,) = find_calls(Document(text))
    assert call.qualified == qualified
    assert words(text, call.template_arguments) == template
    assert words(text, call.arguments) == arguments
    assert text[call.start : call.end].endswith(")")
    assert text[call.arguments_span.start] == "("
    assert call.is_member == text.startswith(("x.", "x->"))
    assert (call.macro is not None) == text.startswith("#define")


@pytest.mark.parametrize(
    "text",
    [
        "if (x) while (y) return (z);",
        "sizeof(x)",
        "int f(int);",
        "void A::f(int) const {",
        "T* f(int) {",
        "T& f() const;",
        "std::vector<int> f(int);",
        "dim3 grid(1, 2);",
        "__global__ void __launch_bounds__(256) k(int x) {}",
        "k<<<1, 2>>>(x);",
        "[=] __device__ (int i) {}",
        "// f(x)",
        '"f(x)"',
        "f(x",
        "#if F(x)\n#endif",
        "#error f(x)",
        "a < b > c",
    ],
)
def test_no_call(text: str) -> None:
    assert find_calls(Document(text)) == ()


def test_f11_only_code_counts() -> None:
    text = '// cudaMalloc(a)\nlog("cudaMalloc(b)"); cudaMalloc(c);'
    (call,) = find_calls(Document(text), {"cudaMalloc"})
    assert words(text, call.arguments) == ["c"]


def test_nested_calls_and_names() -> None:
    text = "CHECK(cudaMemcpy(p, q, n * sizeof(T), kind(1))); other();"
    document = Document(text)
    assert [call.name for call in find_calls(document)] == ["CHECK", "cudaMemcpy", "kind", "other"]
    assert [c.name for c in find_calls(document, ["kind", "CHECK"])] == ["CHECK", "kind"]
    assert find_calls(document, ()) == ()


PIECES = st.sampled_from(
    ["f", "::", "<", ">", "(", ")", "[", "]", "{", "}", ",", ";", "template", "return", ".", "->",
     "1", "*", "&&", "\n#if A\n", "\n#endif\n", "\n#define M ", "operator", "~"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=30).map(" ".join))
def test_any_text_is_read(text: str) -> None:
    for call in find_calls(Document(text)):
        assert call.start <= call.name_span.start < call.arguments_span.start < call.end
        assert text[call.end - 1] == ")"
        for span in call.arguments:
            assert call.arguments_span.start < span.start <= span.end < call.end
