"""Kernel declarations and definitions."""

# ruff: noqa: E501 (a table reads best one case a line)

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warp2wave.syntax.code import Span
from warp2wave.syntax.document import Document
from warp2wave.syntax.kernels import Kernel, find_kernels


def words(text: str, spans: tuple[Span, ...]) -> list[str]:
    return [text[span.start : span.end] for span in spans]


def only(text: str) -> Kernel:
    (kernel,) = find_kernels(Document(text))
    assert text[kernel.keyword.start : kernel.keyword.end] == "__global__"
    return kernel


@pytest.mark.parametrize(
    ("text", "name", "parameters"),
    [
        ("__global__ void k(int* a, int n) {}", "k", ["int* a", "int n"]),
        ("void __global__ k(int);", "k", ["int"]),
        ("__global__ void k();", "k", []),
        ("static __global__ void\nk ( float x )\n{}", "k", ["float x"]),
        ('extern "C" __global__ void k(void) {}', "k", ["void"]),
        ("__global__ void a::b::k(int x) {}", "a::b::k", ["int x"]),
        ("__global__ void k(std::map<int, T> m, int x[2], void (*f)(int, int)) {}", "k", ["std::map<int, T> m", "int x[2]", "void (*f)(int, int)"]),
        ("__global__ void k(const T* __restrict__ a = f(1, 2)) {}", "k", ["const T* __restrict__ a = f(1, 2)"]),
        ("__global__ __launch_bounds__(256) void k(int x) {}", "k", ["int x"]),
        ("__global__ void __launch_bounds__(256, 2) k(int x) {}", "k", ["int x"]),
        ("__launch_bounds__(256) __global__ void k(int x) {}", "k", ["int x"]),
        ("C10_LAUNCH_BOUNDS_1(512) __global__ void k(int x) {}", "k", ["int x"]),
        ("__global__ void C10_LAUNCH_BOUNDS_2(512, 1) k(int x) {}", "k", ["int x"]),
        ("__global__ void __attribute__((amdgpu_flat_work_group_size(1, 64))) k(int x) {}", "k", ["int x"]),
        ("[[maybe_unused]] __global__ void k(int x) noexcept {}", "k", ["int x"]),
        ("__global__ auto k(int x) -> void {}", "k", ["int x"]),
        ("__global__ void KERNEL(scan)(int x) {}", "KERNEL(scan)", ["int x"]),
        ("#define DEF(NAME, T) __global__ void NAME##_k(T* p) { p[0]; }", "NAME##_k", ["T* p"]),
        ("__glo\\\nbal__ void k(int x) {}".replace("\\\n", ""), "k", ["int x"]),
    ],
)  # fmt: skip
def test_name_and_parameters(text: str, name: str, parameters: list[str]) -> None:
    kernel = only(text)
    assert kernel.name == name
    assert text[kernel.name_span.start : kernel.name_span.end] == name
    assert words(text, kernel.parameters) == parameters
    assert text[kernel.parameters_span.start : kernel.end].endswith(")")


@pytest.mark.parametrize(
    ("text", "header", "parameters"),
    [
        ("template <typename T> __global__ void k(T x) {}", "template <typename T>", ["typename T"]),
        ("template<class T, int N = (1 < 2)>\nstatic __global__ void k(T x);", "template<class T, int N = (1 < 2)>", ["class T", "int N = (1 < 2)"]),
        ("template <class T, std::enable_if_t<A && B, int> = 0> __global__ void k(T x);", "template <class T, std::enable_if_t<A && B, int> = 0>", ["class T", "std::enable_if_t<A && B, int> = 0"]),
        ("template <template <class> class C> __global__ void k();", "template <template <class> class C>", ["template <class> class C"]),
        ("template <> __global__ void k<float, 3>(float x) {}", "template <>", []),
    ],
)  # fmt: skip
def test_template_header(text: str, header: str, parameters: list[str]) -> None:
    kernel = only(f"int before; {text}")
    text = f"int before; {text}"
    assert kernel.template is not None
    assert text[kernel.template.start : kernel.template.end] == header
    assert words(text, kernel.template_parameters) == parameters
    assert kernel.start == text.index("template")


def test_specialisation() -> None:
    text = "template <> __global__ void k<float, 3>(float x) {}"
    assert words(text, only(text).template_arguments) == ["float", "3"]


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("__global__ void __launch_bounds__(256, 2) k();", ["256", "2"]),  # F64
        ("__launch_bounds__(f(1, 2)) __global__ void k();", ["f(1, 2)"]),
        ("template <int N> __global__ __launch_bounds__(N) void k();", ["N"]),
        ("__global__ void k();", None),
    ],
)
def test_launch_bounds(text: str, bounds: list[str] | None) -> None:
    found = only(text).launch_bounds
    assert (None if found is None else words(text, found)) == bounds


def test_body_and_start() -> None:
    text = "int a;\n__global__ void k(int x) { if (x) { } }\nint b;"
    kernel = only(text)
    assert kernel.body is not None
    assert text[kernel.body.start : kernel.body.end] == "{ if (x) { } }"
    assert text[kernel.start : kernel.end] == "__global__ void k(int x)"
    assert only("__global__ void k();").body is None


def test_several_in_order_with_conditions_and_macros() -> None:
    text = (
        "#define D(n) __global__ void n() {}\n__global__ void a() {}\n"
        "#ifdef X\n__global__ void b();\n#endif\nstruct S { friend __global__ void c(int); };"
    )
    kernels = find_kernels(Document(text))
    assert [kernel.name for kernel in kernels] == ["n", "a", "b", "c"]
    assert [kernel.macro is not None for kernel in kernels] == [True, False, False, False]
    assert [str(kernel.condition) for kernel in kernels] == ["None", "None", "(defined(X))", "None"]


@pytest.mark.parametrize(
    "text",
    ["__global__", "__global__ void", "__global__ void k", "__global__ void k(", "__global__ int x;",
     "// __global__ void k() {}", '"__global__ void k() {}"', "__global__ } void k()",
     "#define KERNEL __global__ void", "__global__ void = k()", "#ifdef __global__\n#endif"],
)  # fmt: skip
def test_no_kernel(text: str) -> None:
    assert find_kernels(Document(text)) == ()


PIECES = st.sampled_from(
    ["__global__", "void", "k", "template", "<", ">", "(", ")", "{", "}", ",", ";", "::", "##",
     "__launch_bounds__", "[", "]", "\n#define M ", "\n", "static", '"C"', "1"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=30).map(" ".join))
def test_any_text_is_read(text: str) -> None:
    for kernel in find_kernels(Document(text)):
        assert kernel.start <= kernel.keyword.start < kernel.name_span.end <= kernel.end
        assert kernel.end <= len(text)
