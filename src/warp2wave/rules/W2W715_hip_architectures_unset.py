"""CMake's HIP language without an architecture, or with one that cannot be set.

## What it does
Finds `enable_language(HIP)` and projects in HIP in a tree that never sets CMAKE_HIP_ARCHITECTURES,
and a `set` of it that takes the choice from the caller.

## Why is this bad
Without one CMake asks the machine's GPUs, and finds none where a package is built. A plain `set`
hides what `-DCMAKE_HIP_ARCHITECTURES=…` says.

## Example
```cmake
enable_language(HIP)
```

## Use instead
```cmake
set(CMAKE_HIP_ARCHITECTURES gfx90a gfx942 CACHE STRING "GPUs to build for")
enable_language(HIP)
```

## References
F70, F71
"""

from __future__ import annotations

from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View
from warp2wave.syntax.cmake import Command, commands

_NAME = "CMAKE_HIP_ARCHITECTURES"
_SETTERS = frozenset({_NAME, "HIP_ARCHITECTURES"})


def _check(view: View, context: Context) -> Iterator[Hit]:
    known = any(v.kind == "cmake" and _SETTERS & v.words for v in context.views)
    asked: list[bool] = []
    for command in commands(view.text):
        if command.name in ("if", "elseif"):
            if command.name == "elseif" and asked:
                asked.pop()
            asked.append(_NAME in " ".join(command.words))
        elif command.name == "endif" and asked:
            asked.pop()
        elif not known and _enables(command):
            text = "HIP is enabled with no architecture, so that CMake asks the machine's GPUs"
            yield Hit(command.start, command.end, text + f": give {_NAME} a default")
        elif command.name == "set" and command.words[:1] == (_NAME,):
            fixed = all("$" not in word for word in command.words[1:])
            if len(command.words) > 1 and fixed and "CACHE" not in command.words and not any(asked):
                place = command.arguments[0]
                text = f"this hides -D{_NAME}: set it as a CACHE variable, or only if NOT DEFINED"
                yield Hit(place.start, place.end, text, severity="warning")


def _enables(command: Command) -> bool:
    if command.name == "enable_language":
        return "HIP" in command.words
    return command.name == "project" and "HIP" in command.words[1:]


RULE = Rule(
    code="W2W715",
    name="hip-architectures-unset",
    severity="error",
    effort="trivial",
    check=_check,
    page=__doc__,
    words=frozenset({"HIP", _NAME}),
    kinds=frozenset({"cmake"}),
)
