"""Dynamic shared memory that has one name and several types.

## What it does
Finds `extern __shared__` arrays that a template declares with a type that depends on its parameters
and arrays of one name that a file declares with different types.

## Why is this bad
All `extern __shared__` arrays of one name are one object. clang stops with "redeclaration of 'smem'
with a different type" as soon as a file has two types for it, which a template that is used with
two types has. A template that is only ever used with one type compiles.

## Example
```cuda
template <typename T> __global__ void first(T *x) {
  extern __shared__ T smem[];
  x[0] = smem[threadIdx.x];
}
```

## Use instead
```cuda
template <typename T> __global__ void first(T *x) {
  extern __shared__ __align__(16) unsigned char smem_bytes[];
  T *smem = reinterpret_cast<T *>(smem_bytes);
  x[0] = smem[threadIdx.x];
}
```

## References
Seen with clang 19 for gfx90a: two kernels, and one template with float and double.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import Site, View

# Where the declaration of a template's parameters may end before its function's first word.
_FARTHEST = 400
_PARAMETER = re.compile(r"\b(?:typename|class)\b\s*(?:\.\.\.)?\s*(\w+)")
_IGNORED = frozenset({"__align__", "alignas", "volatile", "const", "__shared__", "extern"})


@dataclass(frozen=True, slots=True)
class _Array:
    site: Site
    name: str
    type: str
    dependent: str


def _check(view: View, context: Context) -> Iterator[Hit]:
    by_name: dict[str, list[_Array]] = defaultdict(list)
    for site in view.sites("__shared__"):
        array = _array(view, site)
        if array is not None and view.on_hip(site.start):
            by_name[array.name].append(array)
    for name, arrays in by_name.items():
        first = arrays[0]
        for array in arrays:
            if array.dependent:
                message = (
                    f"the shared array {name} has the type of the template parameter "
                    f"{array.dependent}: clang refuses a second type for the same name, so declare "
                    f"bytes and cast"
                )
            elif array.type != first.type and not first.dependent:
                message = (
                    f"the shared array {name} is {array.type} here and {first.type} above: clang "
                    f"refuses two types for the same name"
                )
            else:
                continue
            yield Hit(array.site.start, array.site.end, message)


def _array(view: View, site: Site) -> _Array | None:
    """Read `extern __shared__ TYPE NAME[]`, in either order of the two words."""
    code = site.code
    if code.lexeme(site.position - 1) != "extern" and site.next() != "extern":
        return None
    words: list[str] = []
    position = site.position + 1
    while code.lexeme(position) not in ("[", ";", "=", "{", ""):
        lexeme = code.lexeme(position)
        if lexeme == "(":
            position = max(code.partner(position), position)
        elif lexeme not in _IGNORED:
            words.append(lexeme)
        position += 1
    if code.lexeme(position) != "[" or code.lexeme(position + 1) != "]" or len(words) < 2:
        return None
    named = words[:-1]
    parameters = _template_parameters(view, site)
    dependent = next((word for word in named if word in parameters), "")
    return _Array(site, words[-1], " ".join(named), dependent)


def _template_parameters(view: View, site: Site) -> frozenset[str]:
    """The type parameters of the function template in which a declaration stands."""
    function = view.function_of(site)
    if function is None:
        return frozenset()
    start = site.code.starts[function.first]
    opening = site.code.starts[function.opening]
    head = view.text[max(0, start - _FARTHEST) : opening]
    template = head.rfind("template")
    if template < 0 or re.search(r"[;{}]", head[template:]):
        return frozenset()
    return frozenset(_PARAMETER.findall(head[template:]))


RULE = Rule(
    code="W2W103",
    name="shared-array-of-two-types",
    severity="warning",
    effort="small",
    check=_check,
    page=__doc__,
    words=frozenset({"__shared__"}),
)
