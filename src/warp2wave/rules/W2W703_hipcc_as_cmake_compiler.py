"""hipcc as the compiler of CMake's HIP language.

## What it does
Finds CMAKE_HIP_COMPILER set to hipcc, CXX=hipcc in calls of CMake, and a cmake_minimum_required
below 3.21 in a file that enables HIP.

## Why is this bad
CMake refuses hipcc for the language HIP since 3.21.3, and older ones lose flags. It wants clang++.

## Example
```cmake
set(CMAKE_HIP_COMPILER /opt/rocm/bin/hipcc)
```

## Use instead
```cmake
set(CMAKE_HIP_COMPILER /opt/rocm/llvm/bin/clang++)
```

## References
F16
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View
from warp2wave.syntax.cmake import commands

_ASSIGNED = re.compile(r"CMAKE_HIP_COMPILER(?::\w+)?\s*=\s*[\"']?[^\s\"']*\bhipcc\b")
_CXX = re.compile(r"\bCXX=[\"']?[^\s\"']*\bhipcc\b[^\n#]*\bcmake\b")
_MESSAGE = "CMake refuses hipcc as the compiler of the HIP language: name ROCm's llvm/bin/clang++"


def _check(view: View, context: Context) -> Iterator[Hit]:
    if view.kind == "cmake":
        yield from _of_cmake(view)
        return
    for pattern in (_ASSIGNED, _CXX):
        for match in pattern.finditer(view.text):
            line = view.text[view.text.rfind("\n", 0, match.start()) + 1 : match.start()]
            if "#" not in line:
                yield Hit(match.start(), match.end(), _MESSAGE)


def _of_cmake(view: View) -> Iterator[Hit]:
    enabled = False
    minimum: Hit | None = None
    for command in commands(view.text):
        words = command.words
        if command.name == "set" and words[:1] in (("CMAKE_HIP_COMPILER",), ("ENV{CXX}",)):
            for argument in command.arguments[1:2]:
                if re.search(r"(?:^|/)hipcc$", argument.text):
                    yield Hit(argument.start, argument.end, _MESSAGE)
        elif command.name in ("enable_language", "project"):
            enabled = enabled or "HIP" in words
        elif command.name == "cmake_minimum_required" and len(words) > 1:
            version = re.match(r"(\d+)\.(\d+)", words[1].rpartition("...")[2])
            if version and (int(version[1]), int(version[2])) < (3, 21):
                place = command.arguments[1]
                text = (
                    f"the language HIP came with CMake 3.21, but {words[1]} is asked for: raise it"
                )
                minimum = Hit(place.start, place.end, text)
    if enabled and minimum is not None:
        yield minimum


RULE = Rule(
    code="W2W703",
    name="hipcc-as-cmake-compiler",
    severity="error",
    effort="small",
    check=_check,
    page=__doc__,
    words=frozenset({"hipcc", "HIP"}),
    kinds=frozenset({"cmake", "python", "text"}),
)
