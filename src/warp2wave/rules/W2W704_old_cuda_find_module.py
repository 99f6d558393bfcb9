"""The old find modules of CUDA and HIP.

## What it does
Finds `find_package(CUDA)`, `cuda_add_library` and their like, and `hip_add_library` and its like.

## Why is this bad
CMake's FindCUDA knows nvcc alone and is gone from CMake 3.27; FindHIP calls hipcc by hand. CMake's
own languages CUDA and HIP take the same targets on both platforms.

## Example
```cmake
find_package(CUDA REQUIRED)
cuda_add_library(ops ops.cu)
```

## Use instead
```cmake
enable_language(HIP)
add_library(ops ops.cu)
set_source_files_properties(ops.cu PROPERTIES LANGUAGE HIP)
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.rules.build_pieces import open_commands
from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

_OLD = re.compile(r"(cuda|hip)_(?:add_(?:library|executable)|compile\w*|wrap_srcs)")


def _check(view: View, context: Context) -> Iterator[Hit]:
    for command in open_commands(view.text):
        match = _OLD.fullmatch(command.name)
        if match:
            language = "nvcc alone" if match[1] == "cuda" else "hipcc by hand"
            text = f"`{command.name}` drives {language}: use CMake's language HIP and LANGUAGE HIP"
            yield Hit(command.start, command.end, text + " on the sources")
        elif command.name == "find_package" and command.words[:1] == ("CUDA",):
            place = command.arguments[0]
            yield Hit(
                place.start, place.end, "FindCUDA finds no ROCm: enable the language HIP there"
            )


RULE = Rule(
    code="W2W704",
    name="old-cuda-find-module",
    severity="error",
    effort="small",
    check=_check,
    page=__doc__,
    kinds=frozenset({"cmake"}),
)
