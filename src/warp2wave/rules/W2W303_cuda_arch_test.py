"""A test of `__CUDA_ARCH__`, which HIP never defines.

## What it does
Finds `#if` groups that ask for `__CUDA_ARCH__`, and uses of it in code, and says which branch a HIP
build takes. Groups that name a macro of HIP or ROCm in one of their branches are left alone.

Tests of a version that say the same are one finding a file, with a count.

## Why is this bad
`__CUDA_ARCH__` is undefined on HIP in both passes, so it counts as 0: `#ifdef __CUDA_ARCH__` gives
device code the host's branch, `#if __CUDA_ARCH__ >= 700` the oldest card's fallback or nothing at
all. All of that compiles, and a kernel whose body stood under the test does nothing.

## Example
```cuda
__device__ int which() {
#ifdef __CUDA_ARCH__
  return 1;
#else
  return 0;
#endif
}
```

## Use instead
```cuda
__device__ int which() {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return 1;
#else
  return 0;
#endif
}
```

## Fix safety
Unsafe: on NVIDIA nothing changes, but the device branch may hold PTX or rely on a card's features.
Offered for plain `#ifdef`, `#ifndef` and `defined(…)` tests only; what a version test means on AMD
is for a person to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from warp2wave.model import Edit, Fix, Severity
from warp2wave.rules.conditional_groups import (
    Group,
    directive_line,
    empties_function,
    groups_asking,
    left_out_code,
    outcome,
    refuses,
)
from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

_QUESTION = re.compile(r"\b__CUDA_ARCH__\b")
_PLAIN = re.compile(
    r"#([ \t]*)(?:(?P<def>ifdef[ \t]+__CUDA_ARCH__|if[ \t]+defined[ \t]*\(?[ \t]*__CUDA_ARCH__"
    r"[ \t]*\)?)|(?P<ndef>ifndef[ \t]+__CUDA_ARCH__|if[ \t]+![ \t]*defined[ \t]*\(?[ \t]*"
    r"__CUDA_ARCH__[ \t]*\)?))(?=[ \t]*(?://|/\*|\r?\n|$))"
)


def _check(view: View, context: Context) -> Iterator[Hit]:
    # Generated code asks the same of every instance: one finding a file says it, with a count.
    seen: dict[tuple[str, bool, Severity], list[Hit]] = {}
    for group in groups_asking(view, _QUESTION):
        start = group.asking.directive
        end = start + len(directive_line(view, group.asking))
        message = f"`__CUDA_ARCH__` is not defined on HIP: {outcome(view, group)}"
        severity = _severity(view, group)
        fix = _fix(view, start)
        hit = Hit(start, end, message, fix, severity=severity, anywhere=True)
        if fix is not None:
            yield hit
            continue
        key = (group.asking.expression, group.taken is None, severity)
        seen.setdefault(key, []).append(hit)
    for hits in seen.values():
        more = f" (and {len(hits) - 1} more tests like it in this file)" if len(hits) > 1 else ""
        yield replace(hits[0], message=hits[0].message + more)
    for site in view.sites("__CUDA_ARCH__"):
        if site.macro is None:
            yield Hit(
                site.start,
                site.end,
                "`__CUDA_ARCH__` is not defined on HIP: this does not compile",
                severity="error",
            )
        elif not site.macro.name.startswith("__CUDA_ARCH"):
            yield Hit(
                site.start,
                site.end,
                f"`{site.macro.name}` asks for `__CUDA_ARCH__`, which counts as 0 on HIP in `#if` "
                "and does not compile elsewhere",
            )


def _severity(view: View, group: Group) -> Severity:
    if empties_function(view, group) or refuses(view, group):
        return "error"
    asks_version = re.search(
        r"__CUDA_ARCH__\s*[<>=!]|[<>=]\s*__CUDA_ARCH__", group.asking.expression
    )
    if asks_version and not left_out_code(view, group):
        return "note"
    return "warning"


def _fix(view: View, start: int) -> Fix | None:
    plain = _PLAIN.match(view.text, start)
    if plain is None:
        return None
    blank = plain[1]
    if plain["def"]:
        test = "defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)"
    else:
        test = "!defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)"
    edit = Edit(start, plain.end(), f"#{blank}if {test}")
    return Fix("let HIP's device pass take the device's branch", (edit,), "unsafe")


RULE = Rule(
    code="W2W303",
    name="cuda-arch-test",
    severity="warning",
    effort="small",
    check=_check,
    page=__doc__,
    words=frozenset({"__CUDA_ARCH__"}),
)
