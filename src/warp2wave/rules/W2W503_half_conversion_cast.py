"""A cast of a half value to float where PyTorch switches the conversions off.

## What it does
Finds `static_cast<float>(h)` where the same function declares `h` as a `__half` or
a bfloat16.

## Why is this bad
PyTorch compiles for ROCm with `-D__HIP_NO_HALF_CONVERSIONS__=1`. The conversion is then missing,
and the file does not compile.

## Example
```cuda
__device__ float widen(__half h) { return static_cast<float>(h); }
```

## Use instead
```cuda
__device__ float widen(__half h) { return __half2float(h); }
```

## Fix safety
Safe: the function gives the same value on both sides, and takes the same type.

## References
F53
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.model import Edit, Fix
from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import Site, View

_FUNCTIONS = {
    "__half": "__half2float",
    "half": "__half2float",
    "__nv_bfloat16": "__bfloat162float",
    "nv_bfloat16": "__bfloat162float",
}


def _function_for(view: View, site: Site, name: str) -> str | None:
    """Return what widens `name`, by its declaration as a value in the function around."""
    function = view.function_of(site)
    if function is None:
        return None
    lexemes = site.code.lexemes
    for position in range(site.position, function.parameters, -1):
        if lexemes[position] != name:
            continue
        before = site.code.lexeme(position - 1)
        if before == "&":
            before = site.code.lexeme(position - 2)
        if before in _FUNCTIONS:
            declares_array = site.code.lexeme(position + 1) == "["
            return None if declares_array else _FUNCTIONS[before]
        if site.code.is_name(position - 1) and before not in ("return", "else"):
            # Declared here, as something else.
            return None
    return None


def _check(view: View, context: Context) -> Iterator[Hit]:
    if "undef __HIP_NO_HALF_CONVERSIONS__" in view.text:
        return
    for site in view.sites("static_cast"):
        shape = [site.next(distance) for distance in range(1, 7)]
        if shape[:4] != ["<", "float", ">", "("] or shape[5] != ")":
            continue
        function = _function_for(view, site, shape[4])
        if function is None:
            continue
        end = site.code.ends[site.position + 6]
        edit = Edit(site.start, end, f"{function}({shape[4]})")
        yield Hit(
            site.start,
            end,
            f"PyTorch's ROCm build switches the conversion of {shape[4]} to float off: "
            f"call {function}",
            Fix(f"call {function}", (edit,), "safe"),
        )


RULE = Rule(
    code="W2W503",
    name="half-conversion-cast",
    severity="error",
    effort="trivial",
    check=_check,
    page=__doc__,
    words=frozenset(_FUNCTIONS),
)
