"""Kernel launches in every spelling."""

# ruff: noqa: E501 (a table reads best one case a line)

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warp2wave.syntax.code import Span
from warp2wave.syntax.document import Document
from warp2wave.syntax.launches import Launch, find_launches


@dataclass(frozen=True)
class Seen:
    """A launch in its own words."""

    kernel: str
    name: str
    template: list[str]
    configuration: list[str]
    arguments: list[str]


def words(text: str, spans: tuple[Span, ...]) -> list[str]:
    return [text[span.start : span.end] for span in spans]


def seen(text: str, launch: Launch) -> Seen:
    return Seen(
        text[launch.kernel.start : launch.kernel.end],
        launch.name,
        words(text, launch.template_arguments),
        words(text, launch.configuration),
        words(text, launch.arguments),
    )


ONE_LAUNCH = [
    ("k<<<g, b>>>(x, y);", Seen("k", "k", [], ["g", "b"], ["x", "y"])),
    ("k<<<g,b,0,s>>>();", Seen("k", "k", [], ["g", "b", "0", "s"], [])),
    ("k<<<1, 1>>>(f(a, b), {1, 2}, c[i, j])", Seen("k", "k", [], ["1", "1"], ["f(a, b)", "{1, 2}", "c[i, j]"])),
    # template arguments
    ("k<T, 3><<<g, b>>>(x)", Seen("k<T, 3>", "k", ["T", "3"], ["g", "b"], ["x"])),
    ("k<(1<2),2><<<g, b>>>(x)", Seen("k<(1<2),2>", "k", ["(1<2)", "2"], ["g", "b"], ["x"])),
    ("k<A<B<C>>><<<g, b>>>(x)", Seen("k<A<B<C>>>", "k", ["A<B<C>>"], ["g", "b"], ["x"])),
    ("k<(a > b)><<<g, b>>>(x)", Seen("k<(a > b)>", "k", ["(a > b)"], ["g", "b"], ["x"])),
    ("k<N < 2><<<g, b>>>(x)", Seen("k<N < 2>", "k", ["N < 2"], ["g", "b"], ["x"])),
    ("k<a && b><<<g, b>>>(x)", Seen("k<a && b>", "k", ["a && b"], ["g", "b"], ["x"])),
    ("k<sizeof(T), f(1, 2)><<<g, b>>>(x)", Seen("k<sizeof(T), f(1, 2)>", "k", ["sizeof(T)", "f(1, 2)"], ["g", "b"], ["x"])),
    ("k<::n::T><<<g, b>>>(x)", Seen("k<::n::T>", "k", ["::n::T"], ["g", "b"], ["x"])),
    # what is launched
    ("a::b::k<<<g, b>>>(x)", Seen("a::b::k", "k", [], ["g", "b"], ["x"])),
    ("return ::k<<<g, b>>>(x)", Seen("::k", "k", [], ["g", "b"], ["x"])),
    ("S<T>::k<U><<<g, b>>>(x)", Seen("S<T>::k<U>", "k", ["U"], ["g", "b"], ["x"])),
    ("S<T>::template k<U><<<g, b>>>(x)", Seen("S<T>::template k<U>", "k", ["U"], ["g", "b"], ["x"])),
    ("s->k<<<g, b>>>(x)", Seen("s->k", "k", [], ["g", "b"], ["x"])),
    ("(*f)<<<g, b>>>(x)", Seen("(*f)", "", [], ["g", "b"], ["x"])),
    ("(c ? k : j)<<<g, b>>>(x)", Seen("(c ? k : j)", "", [], ["g", "b"], ["x"])),
    ("if (c) (k)<<<g, b>>>(x)", Seen("(k)", "", [], ["g", "b"], ["x"])),
    ("if (c) k<<<g, b>>>(x)", Seen("k", "k", [], ["g", "b"], ["x"])),
    ("fs[i]<<<g, b>>>(x)", Seen("fs[i]", "", [], ["g", "b"], ["x"])),
    ("pick(n)<<<g, b>>>(x)", Seen("pick(n)", "", [], ["g", "b"], ["x"])),
    ("else k<<<g, b>>>(x)", Seen("k", "k", [], ["g", "b"], ["x"])),
    # configuration with angles of its own
    ("k<<<n < 5 ? 1 : 2, 256>>>(x)", Seen("k", "k", [], ["n < 5 ? 1 : 2", "256"], ["x"])),
    ("k<<<a<b>(1, 2), c>>>(x)", Seen("k", "k", [], ["a<b>(1, 2)", "c"], ["x"])),
    ("k<<<f<g<h<int>>>(n), 256>>>(x)", Seen("k", "k", [], ["f<g<h<int>>>(n)", "256"], ["x"])),
    ("k<<<g, std::min<int>(n, 4)>>>(x)", Seen("k", "k", [], ["g", "std::min<int>(n, 4)"], ["x"])),
    ("k<<<dim3(1, 2), dim3{3, 4}, n * sizeof(T)>>>(x)", Seen("k", "k", [], ["dim3(1, 2)", "dim3{3, 4}", "n * sizeof(T)"], ["x"])),
    ("k<<<g, b, 0, at::cuda::getCurrentCUDAStream()>>>(x)", Seen("k", "k", [], ["g", "b", "0", "at::cuda::getCurrentCUDAStream()"], ["x"])),
    ("k<<<n, f()>>>(x)", Seen("k", "k", [], ["n", "f()"], ["x"])),  # F39
    ("k<<<cdiv<int>>>>(x)", Seen("k", "k", [], ["cdiv<int>"], ["x"])),
    ("k<<<n >> 1, m << 2>>>(x)", Seen("k", "k", [], ["n >> 1", "m << 2"], ["x"])),
    ("k<<<g, b>>>(a < b, c > d)", Seen("k", "k", [], ["g", "b"], ["a < b", "c > d"])),
    ("k<<<g, b>>>(m<a, b>(c), d)", Seen("k", "k", [], ["g", "b"], ["m<a, b>(c)", "d"])),
    ("k<<<g, b>>>([=](int a, int b) { f(a, b); }, c)", Seen("k", "k", [], ["g", "b"], ["[=](int a, int b) { f(a, b); }", "c"])),
    # layout and preprocessor in it
    ("k\n<<<\ng // ,\n, /*>>>*/ b\n>>>\n(x)", Seen("k", "k", [], ["g", "b"], ["x"])),
    ("k<<<g, b>>>\\\n(x)", Seen("k", "k", [], ["g", "b"], ["x"])),
    ("k<<<g,\n#ifdef A\n1\n#endif\n>>>(x)", Seen("k", "k", [], ["g", "1"], ["x"])),
    ('k<<<g, b>>>("a, b", \',\')', Seen("k", "k", [], ["g", "b"], ['"a, b"', "','"])),
    # in macro bodies
    ("#define L k<<<g, b>>>(x)", Seen("k", "k", [], ["g", "b"], ["x"])),
    ("#define L(k, ...) \\\n  k<<<g, b>>>(__VA_ARGS__)", Seen("k", "k", [], ["g", "b"], ["__VA_ARGS__"])),
    ("#define L(k, args) k<<<g, b>>>args", Seen("k", "k", [], ["g", "b"], [])),
    ("#define L(T) k_##T<T><<<g, b>>>(x)", Seen("k_##T<T>", "k_##T", ["T"], ["g", "b"], ["x"])),
    ("#define CFG <<<g, b>>>", Seen("", "", [], ["g", "b"], [])),
    ("#define L(k) (k)<<<g, b>>>(x)", Seen("(k)", "", [], ["g", "b"], ["x"])),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), ONE_LAUNCH)
def test_launch(text: str, expected: Seen) -> None:
    (launch,) = find_launches(Document(text))
    assert seen(text, launch) == expected
    assert text[launch.start : launch.end].startswith(expected.kernel)
    assert (launch.macro is not None) == text.startswith("#define")
    assert not launch.is_spaced
    assert text[launch.opening.start : launch.opening.end] == "<<<"
    assert text[launch.closing.start : launch.closing.end] == ">>>"


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("<< <", ">> >"),
        ("< < <", "> > >"),
        ("< <<", ">>>"),
        ("<<<", "> >>"),
        ("<</**/<", ">>\\\n>"),
    ],
)
def test_f10_spaced_launch(opening: str, closing: str) -> None:
    text = f"k {opening}grid, block{closing}(x);"
    (launch,) = find_launches(Document(text))
    assert seen(text, launch) == Seen("k", "k", [], ["grid", "block"], ["x"])
    assert launch.is_spaced
    # What a fix replaces.
    assert text[launch.opening.start : launch.opening.end] == opening
    assert text[launch.closing.start : launch.closing.end] == closing


@pytest.mark.parametrize(
    "text",
    [
        "// a <<< b",
        '"<<<XYZ>>>(x)"',
        "/* k<<<1, 1>>>(x) */",
        'R"(k<<<1, 1>>>(x))"',
        "#error use k<<<1, 1>>>(x)",
        "#pragma message k<<<1, 1>>>(x)",
        "a <<< b;",
        "a <<< b; c >>> (d)",
        "k<<<g, b>>>;",
        "k<<<",
        "k<<<g, b",
        ">>>(x)",
        "k<<<(g, b>>>(x)",
        "x << y; z << (w >> 3) >> (v)",
        "operator<< <T>(a, b >> c)",
        "std::cout << a << b << (c);",
        "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs\n",
    ],
)
def test_f39_no_launch(text: str) -> None:
    assert find_launches(Document(text)) == ()


def test_named_parts() -> None:
    text = "k<<<g, b>>>(x)"
    (launch,) = find_launches(Document(text))
    assert launch.grid is not None
    assert launch.block is not None
    assert words(text, (launch.grid, launch.block)) == ["g", "b"]
    assert (launch.shared, launch.stream) == (None, None)


def test_nested_and_several() -> None:
    text = "f([&] { a<<<1, 2>>>(p); }, 1); b<c><<<3, d<e>(4)>>>(q), g<<<5, 6>>>(r);"
    assert [launch.name for launch in find_launches(Document(text))] == ["a", "b", "g"]


def test_condition() -> None:
    text = "#ifdef A\nk<<<1, 1>>>(x);\n#endif"
    (launch,) = find_launches(Document(text))
    assert str(launch.condition) == "(defined(A))"


PIECES = st.sampled_from(
    ["k", "<<<", "<<", "<", ">", ">>", ">>>", "(", ")", "{", "}", ",", ";", "::", "template", "1",
     "\n#if A\n", "\n#else\n", "\n#endif\n", "\n#define M ", "##", "[", "]", "&&", ".", '"', "//"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=40).map(" ".join))
def test_any_text_is_read(text: str) -> None:
    for launch in find_launches(Document(text)):
        assert launch.start <= launch.opening.start < launch.opening.end <= launch.closing.start
        assert launch.closing.end <= launch.end <= len(text)
        assert "".join(text[launch.opening.start : launch.opening.end].split()) == "<<<"
        for span in (*launch.configuration, *launch.arguments, *launch.template_arguments):
            assert launch.start <= span.start <= span.end <= launch.end
