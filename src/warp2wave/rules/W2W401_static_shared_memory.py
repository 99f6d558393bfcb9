"""More static shared memory than a block has.

## What it does
Adds up the `__shared__` arrays and structs of each function whose sizes are known, and compares
the sum with the smallest limit of the chosen targets. Template parameters get the values of the
launches and explicit instantiations in the file.

## Why is this bad
A block has 64 KiB of shared memory (LDS) on AMD GPUs, 160 KiB on gfx950. The compiler refuses a
kernel with more. Arrays in inner scopes may share their place, so only the largest of them counts.

## Example
```cuda
__global__ void k() { __shared__ char s[90000]; }
```

## Use instead
```cuda
__global__ void k() { __shared__ char s[45000]; }
```

## References
F66
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from warp2wave.rules.array_sizes import declared_bytes
from warp2wave.rules.context import Context
from warp2wave.rules.known_sizes import value_of
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import Site, View
from warp2wave.syntax.code import Span
from warp2wave.syntax.functions import Function

_PARAMETER = re.compile(r"\b(\w+)\s*(?:=.*)?$", re.DOTALL)


@dataclass(slots=True)
class _Usage:
    """What one function takes: at all times, in the largest of its scopes, and where it ends."""

    always: int = 0
    inner: int = 0
    exceeding: Site | None = None


def _instances(view: View, context: Context, function: Function) -> list[Mapping[str, int]]:
    """Return the values of a kernel's template parameters, by launch; one empty where none is."""
    opening = view.document.code.starts[function.opening]
    kernels = [k for k in view.kernels if k.body is not None and k.body.start == opening]
    if not kernels or not kernels[0].template_parameters:
        return [{}]
    names = [
        match[1] if (match := _PARAMETER.search(view.source(span))) else ""
        for span in kernels[0].template_parameters
    ]
    found: list[Mapping[str, int]] = []
    for launch in view.launches:
        if launch.name != function.name or launch.macro is not None:
            continue
        values = {
            name: value
            for name, span in zip(names, launch.template_arguments, strict=False)
            if (value := value_of(view, context, span)) is not None
        }
        if values and values not in found:
            found.append(values)
    return found or [{}]


def _bytes(
    view: View, context: Context, site: Site, function: Function, known: Mapping[str, int]
) -> int | None:
    if "extern" in (site.next(-1), site.next()):
        return None
    end = view.text.find(";", site.end)
    declared = view.text[site.end : end]
    parameters = set(site.code.lexemes[function.first : function.opening]) - set(known)

    def evaluate(text: str) -> int | None:
        # A parameter of the template hides a constant of the same name.
        if not parameters.isdisjoint(re.findall(r"[A-Za-z_]\w*", text)):
            return None
        offset = view.text.find(text, site.end, end)
        if offset < 0:
            return context.evaluate(text)
        return value_of(view, context, Span(offset, offset + len(text)), known)

    return declared_bytes(view, declared, evaluate)


def _usage(
    view: View,
    context: Context,
    function: Function,
    sites: list[Site],
    known: Mapping[str, int],
    limit: int,
) -> _Usage:
    usage = _Usage()
    for site in sites:
        size = _bytes(view, context, site, function, known)
        if size is None:
            continue
        nested = site.code.brackets.enclosing(site.position) != function.opening
        if nested or view.document.conditions.at(site.start) is not None:
            usage.inner = max(usage.inner, size)
        else:
            usage.always += size
        if usage.always + usage.inner > limit and usage.exceeding is None:
            usage.exceeding = site
    return usage


def _check(view: View, context: Context) -> Iterator[Hit]:
    least = context.least_shared_memory
    if least is None:
        return
    limit = least.shared_memory_per_block
    by_function: dict[int, tuple[Function, list[Site]]] = {}
    for site in view.sites("__shared__"):
        function = view.function_of(site)
        if function is None or site.macro is not None or not view.on_hip(site.start):
            continue
        by_function.setdefault(function.opening, (function, []))[1].append(site)
    for function, sites in by_function.values():
        usages = [
            _usage(view, context, function, sites, known, limit)
            for known in _instances(view, context, function)
        ]
        worst = max(usages, key=lambda usage: usage.always + usage.inner)
        if worst.exceeding is not None:
            yield Hit(
                worst.exceeding.start,
                worst.exceeding.end,
                f"{worst.always + worst.inner} bytes of static shared memory in {function.name}, "
                f"but a block on {least.arch} has {limit}: use smaller tiles there",
            )


RULE = Rule(
    code="W2W401",
    name="static-shared-memory",
    severity="error",
    effort="medium",
    check=_check,
    page=__doc__,
    words=frozenset({"__shared__"}),
)
