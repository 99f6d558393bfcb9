"""What counts as a declaration in a header."""

from __future__ import annotations

import pytest
from apimap_headers import declarations, parameter_counts

HEADER = r"""
/* cudaInComment(int); */
#define GUARD_H
#define toyAlias toyAlias_v2
#define TOY_FLAG 0x1  /* twoLines(
*/
#define TOY_CALL(a, b) \
    helper(a, b)
typedef struct toyHandle_st *toyHandle_t;
typedef enum toyKind_enum { toyKindA = 0, toyKindB = TOY_BASE + 1, toyKindC } toyKind;
typedef void (TOY_CB *toyCallback_t)(void *data);
struct TOY_ALIGN(8) toyParms { int field; struct toyOther *other; };
extern __host__ toyError_t TOYAPI toyAlias_v2(toyHandle_t handle, int flags __dv(0));
static __device__ __forceinline__ unsigned long long __toy_ballot(int predicate) {
    const char *text = "quoted(1)"; return called(predicate) * product(2);
}
template <class T> toyError_t toyTemplate(T *p, size_t n = 0);
extern const toyDim toyIdx;
using toyVector = int;
"""


def _kinds() -> dict[str, str]:
    found: dict[str, str] = {}
    for item in declarations(HEADER, "toy.h"):
        found.setdefault(item.name, item.kind)
    return found


def test_declared_names_and_their_kinds() -> None:
    found = _kinds()
    expected = {
        "toyAlias": "macro",
        "TOY_FLAG": "macro",
        "TOY_CALL": "macro",
        "toyHandle_t": "type",
        "toyKind": "type",
        "toyKindA": "enumerator",
        "toyKindB": "enumerator",
        "toyKindC": "enumerator",
        "toyCallback_t": "type",
        "toyParms": "type",
        "toyAlias_v2": "function",
        "__toy_ballot": "function",
        "toyTemplate": "function",
        "toyIdx": "variable",
        "toyVector": "type",
    }
    assert {name: found.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    "name", ["cudaInComment", "GUARD_H", "twoLines", "quoted", "called", "helper", "TOY_BASE"]
)
def test_mentions_are_no_declarations(name: str) -> None:
    assert name not in _kinds()


def test_a_macro_that_is_one_name_is_an_alias() -> None:
    alias = next(item for item in declarations(HEADER, "toy.h") if item.name == "toyAlias")
    assert alias.alias == "toyAlias_v2"


@pytest.mark.parametrize(
    ("arguments", "counts"),
    [
        ("", {0}),
        ("void", {0}),
        ("int a, const void *b", {2}),
        ("int a, int b = f(1, 2), stream_t s = 0", {1, 2, 3}),
        ("int a, int b __dv(0)", {1, 2}),
        ("pair<int, int> a, void (*f)(int, int)", {2}),
        ("const char *format, ...", {-1}),
    ],
)
def test_how_many_arguments_a_list_takes(arguments: str, counts: set[int]) -> None:
    assert parameter_counts(arguments) == counts
