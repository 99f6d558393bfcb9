"""A compiler flag that only nvcc has.

## What it does
Finds flags such as `-gencode`, `--expt-relaxed-constexpr`, `-Xptxas` or `-maxrregcount` in setup.py
and CMake files, where no condition on the platform stands around them.

## Why is this bad
clang, which compiles HIP, stops at most of them with "unknown argument". A few it reads as another
flag: `-lineinfo` as a library, `-G` as a flag that takes the next argument. torch's build hands the
list named `nvcc` to hipcc as it is; it takes none out on ROCm.

## Example
```python
flags = {"cxx": ["-O3"], "nvcc": ["-O3", "--expt-relaxed-constexpr"]}
```

## Use instead
```python
flags = {"cxx": ["-O3"], "nvcc": ["-O3"]}
if torch.version.hip is None:
    flags["nvcc"] += ["--expt-relaxed-constexpr"]
```

## References
F68 and F75 have rules of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp2wave.rules.build_pieces import pieces
from warp2wave.rules.context import Context
from warp2wave.rules.rule import Hit, Rule
from warp2wave.rules.view import View

_NONE = "it needs none"
_REFUSED = "clang stops at it"
_SAVE = "clang takes it for another flag"
# What clang 19 does with each in a HIP compilation, and what to write there.
_FLAGS: dict[str, tuple[str, str]] = {
    "-gencode": (_REFUSED, "set PYTORCH_ROCM_ARCH or CMAKE_HIP_ARCHITECTURES"),
    "--generate-code": (_REFUSED, "set PYTORCH_ROCM_ARCH or CMAKE_HIP_ARCHITECTURES"),
    "-arch": (_REFUSED, "set PYTORCH_ROCM_ARCH or CMAKE_HIP_ARCHITECTURES"),
    "--gpu-architecture": (_REFUSED, "set PYTORCH_ROCM_ARCH or CMAKE_HIP_ARCHITECTURES"),
    "--expt-relaxed-constexpr": (_REFUSED, _NONE),
    "--expt-extended-lambda": (_REFUSED, _NONE),
    "--extended-lambda": (_REFUSED, _NONE),
    "-Xptxas": (_REFUSED, "leave it out, AMD has no ptxas"),
    "--ptxas-options": (_REFUSED, "leave it out, AMD has no ptxas"),
    "-Xcompiler": ("clang ignores it", "write the flag behind it alone"),
    "--compiler-options": (_REFUSED, "write the flag behind it alone"),
    "-Xcudafe": (_REFUSED, "leave it and its value out"),
    "-lineinfo": (_SAVE + ", the library `ineinfo`", "write -gline-tables-only"),
    "--generate-line-info": (_REFUSED, "write -gline-tables-only"),
    "-maxrregcount": (_REFUSED, "use __launch_bounds__"),
    "--maxrregcount": (_REFUSED, "use __launch_bounds__"),
    "--threads": (_REFUSED, "leave it out"),
    "-rdc": (_REFUSED, "write -fgpu-rdc for compiling and linking"),
    "--relocatable-device-code": (_REFUSED, "write -fgpu-rdc for compiling and linking"),
    "-dc": ("clang ignores it", "write -fgpu-rdc -c"),
    "-dlink": ("clang ignores it", "write -fgpu-rdc --hip-link"),
    "-diag-suppress": ("clang ignores it", "write the -Wno-… of the warning"),
    "--diag-suppress": (_REFUSED, "write the -Wno-… of the warning"),
    "--default-stream": (_REFUSED, "write -fgpu-default-stream=per-thread"),
    "-ccbin": (_REFUSED, "leave it and its value out"),
    "--compiler-bindir": (_REFUSED, "leave it and its value out"),
    "--forward-unknown-to-host-compiler": (_REFUSED, _NONE),
    "-forward-unknown-to-host-compiler": (_REFUSED, _NONE),
    "-G": (_SAVE + " that eats the next argument", "write -g"),
    "-ftz": (_REFUSED, "write -fgpu-flush-denormals-to-zero"),
    "--ftz": (_REFUSED, "write -fgpu-flush-denormals-to-zero"),
    "-fmad": (_REFUSED, "write -ffp-contract=off or fast"),
    "--fmad": (_REFUSED, "write -ffp-contract=off or fast"),
    "--resource-usage": (_REFUSED, "write -Rpass-analysis=kernel-resource-usage"),
}
_FLAG = re.compile(
    r"(?<![\w=-])("
    + "|".join(sorted(map(re.escape, _FLAGS), key=len, reverse=True))
    + r")(?=[=\s,;]|$)"
)
_NO_FLAGS = frozenset(
    {"add_argument", "remove", "startswith", "print", "message", "index", "count"}
)


def _check(view: View, context: Context) -> Iterator[Hit]:
    if _FLAG.search(view.text.replace('"', " ").replace("'", " ")) is None:
        return
    for piece in pieces(view):
        match = _FLAG.search(piece.text)
        if match is None or not _NO_FLAGS.isdisjoint(piece.within):
            continue
        if match[1] == "-arch" and "sm_" not in piece.text and "compute_" not in piece.text:
            continue
        if not piece.text.lstrip().startswith("-") and view.kind == "python":
            continue
        if match[1] in ("-G", "--threads", "-dc") and not _has_device_flags(view, piece.within):
            continue
        does, cure = _FLAGS[match[1]]
        yield Hit(
            piece.start,
            piece.end,
            f"`{match[1]}` is a flag of nvcc, {does}, and torch hands it on: for HIP {cure}"
            if view.kind == "python"
            else f"`{match[1]}` is a flag of nvcc, {does}: for HIP {cure}",
        )


def _has_device_flags(view: View, within: tuple[str, ...]) -> bool:
    if view.kind == "cmake":
        return any("cuda" in name.lower() or "compile_options" in name for name in within)
    return "nvcc" in view.words and "run" not in within and "check_call" not in within


RULE = Rule(
    code="W2W701",
    name="nvcc-flag",
    severity="error",
    effort="trivial",
    check=_check,
    page=__doc__,
    kinds=frozenset({"python", "cmake"}),
)
