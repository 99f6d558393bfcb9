"""Which braces are bodies of functions, and on which side these run."""

from __future__ import annotations

import pytest

from warp2wave.syntax.document import Document
from warp2wave.syntax.functions import find_functions

TEXT = """
__global__ void __launch_bounds__(256) k(int *p) { if (p) { *p = 1; } for (;;) {} }
template <typename T> __device__ __forceinline__ T f(T x) { return [](T y) { return y; }(x); }
C10_HOST_DEVICE int g(int a) noexcept { return a; }
namespace n {
struct S : B {
  S(int a) : x(a), y{a} { while (a) { --a; } }
  int get() const { return x; }
  auto h() -> int { return 1; }
};
}
enum E { A, B };
int table[] = {1, 2};
void host() {
  LOOP(i, n) { work(i); }
  run([=] __device__ (int i) { return i; });
}
"""


def test_the_functions_are_found_with_their_sides() -> None:
    functions = find_functions(Document(TEXT).code)
    sides = [(f.name, f.is_kernel, f.is_device, f.is_host) for f in functions.named]
    assert sides == [
        ("k", True, True, False),
        ("f", False, True, False),
        ("g", False, True, True),
        ("S", False, False, True),
        ("get", False, False, True),
        ("h", False, False, True),
        ("host", False, False, True),
    ]
    assert [(f.is_device, f.is_host) for f in functions.lambdas] == [(False, True), (True, False)]


@pytest.mark.parametrize(
    ("word", "name", "inner"), [("y", "f", ""), ("work", "host", "host"), ("table", None, None)]
)
def test_the_function_around_a_place(word: str, name: str | None, inner: str | None) -> None:
    code = Document(TEXT).code
    functions = find_functions(code)
    position = len(code.lexemes) - 1 - code.lexemes[::-1].index(word)
    if word == "y":
        position = [i for i, lexeme in enumerate(code.lexemes) if lexeme == "y"][1]
    around = functions.at(position)
    innermost = functions.innermost(position)
    assert (around.name if around else None) == name
    assert (innermost.name if innermost else None) == inner


def test_cut_text_raises_nothing() -> None:
    for stop in range(len(TEXT)):
        find_functions(Document(TEXT[:stop]).code)
