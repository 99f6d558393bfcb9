"""The C++ names of the map: CUB and Thrust, their headers, libcu++'s headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from apimap_hand import Hand
from apimap_headers import split_directives, strip_comments

from warp2wave.apimap.tables import Group, Row

if TYPE_CHECKING:
    from apimap_build import Inputs
    from apimap_packages import Opened

_CLASS = re.compile(
    r"\b(?:struct|class)\s+(?:_CCCL_\w+\s+|CCCL_\w+\s+|alignas\([^)]*\)\s+)*([A-Z]\w*)\s*(?=[:{]|final\b)"
)
_ENUM = re.compile(r"\benum(?:\s+class)?\s+([A-Z]\w*)?[^;{}()]*\{([^{}]*)\}")
_STATIC = re.compile(r"\bstatic\b[^;{}()]*?\b([A-Z]\w*)\s*\(")
_FUNCTION = re.compile(r"\b(?:int|void|bool|T|OffsetT|cudaError_t|hipError_t)\s+([A-Z]\w*)\s*\(")
CUB_FOLDERS = ("block", "warp", "device", "grid", "iterator", "thread")
NO_CUB = "not in hipCUB's headers"
NO_LIBCUDACXX = (
    "libcu++ is not part of ROCm: use the C++ standard library's or HIP's own counterpart"
)


def _scopes(text: str) -> Iterator[tuple[int, int, int]]:
    """(start, end, depth) of the text's stretches at one brace depth."""
    depth = start = 0
    for match in re.finditer(r"[{}]", text):
        yield start, match.start(), depth
        depth = max(0, depth + (1 if match[0] == "{" else -1))
        start = match.start()
    yield start, len(text), depth


def outer_names(text: str, namespace: str) -> set[str]:
    """Classes, enumerations with their enumerators, and static members of `Device*` classes.

    Only what stands in the library's own namespace counts, not in `detail` or inside a class; CUB
    opens its namespace by a macro without a brace, older sources by `namespace NAME {`.
    """
    code, _ = split_directives(strip_comments(text))
    # The library's own namespace opens no depth; its closing brace, at depth 0, is then ignored.
    code = re.sub(rf"\bnamespace\s+{namespace}\s*\{{", " ", code)
    depth_at = [0] * (len(code) + 1)
    for start, end, depth in _scopes(code):
        for index in range(start, end + 1):
            depth_at[index] = depth
    names: set[str] = set()
    for match in _FUNCTION.finditer(code):
        if depth_at[match.start(1)] == 0:
            names.add(match[1])
    owners: list[tuple[int, str]] = []
    for match in _CLASS.finditer(code):
        if depth_at[match.start()] == 0:
            names.add(match[1])
            owners.append((match.start(), match[1]))
    for match in _ENUM.finditer(code):
        if depth_at[match.start()] == 0:
            if match[1]:
                names.add(match[1])
            for item in match[2].split(","):
                enumerator = re.match(r"\s*([A-Z]\w*)", item)
                if enumerator:
                    names.add(enumerator[1])
    for match in _STATIC.finditer(code):
        owner = next((name for place, name in reversed(owners) if place < match.start()), "")
        if owner.startswith("Device") and depth_at[match.start()] == 1:
            names.add(f"{owner}::{match[1]}")
    return names


def _opened(inputs: Inputs, key: str) -> Opened | None:
    return next((item for item in inputs.opened if item.package.key == key), None)


def _collect(inputs: Inputs, key: str, pattern: str, namespace: str) -> set[str]:
    item = _opened(inputs, key)
    names: set[str] = set()
    if item is not None:
        for header, inside in inputs.headers[key].items():
            if re.fullmatch(pattern, header):
                names |= outer_names(item.text(inside), namespace)
    return names


def _row(
    library: str, kind: str, cuda: str, hip: str | None, header: str, hip_header: str, source: str,
    since_hip: str, note: str = "", status: str = "",
) -> Row:  # fmt: skip
    if kind == "header":
        header = hip_header = ""  # a header's row says both
    group = Group(
        library, "", "header" if kind == "header" else "template",
        "missing" if hip is None else "changed" if status == "changed" else "same",
        source, header, hip_header, "", "", since_hip,
        note if hip is None else "",
    )  # fmt: skip
    return Row(group, cuda, hip, "" if hip is None else note)


def _cub(inputs: Inputs) -> Iterator[Row]:
    folders = "|".join(CUB_FOLDERS)
    pattern = rf"cub/(({folders})/)?[^/]*\.cuh"
    newest = _collect(inputs, "cuda-cccl-13.0", pattern, "cub")
    older = _collect(inputs, "cuda-cccl-12.9", pattern, "cub")
    hip = _collect(inputs, "rocm-6.0", r"hipcub/(backend/rocprim/)?(\w+/)?[^/]*\.hpp", "hipcub")
    newer = set(inputs.tables.get("hipcub", {}))
    for name in sorted(newest | older):
        # The table lists plain names without their class, so it cannot speak for a member.
        plain = "" if "::" in name else name
        spelling: str | None = f"hipcub::{name}"
        hip_header, note = "hipcub/hipcub.hpp", ""
        if name in hip:
            source, since_hip = "rocm-6.0", "6.0"
        elif plain in newer:
            source, since_hip = "hipcub-names", "6.3"
        else:
            spelling, hip_header, since_hip, note = None, "", "", NO_CUB
            source = "cuda-cccl-13.0" if name in newest else "cuda-cccl-12.9"
        row = _row(
            "cub",
            "template",
            f"cub::{name}",
            spelling,
            "cub/cub.cuh",
            hip_header,
            source,
            since_hip,
            note,
        )
        versions = ("12.9" if name in older else "13.0", "" if name in newest else "13.0")
        yield replace(row, group=replace(row.group, since_cuda=versions[0], until_cuda=versions[1]))


def _headers(inputs: Inputs) -> Iterator[Row]:
    cuda = inputs.headers.get("cuda-cccl-13.0", {})
    hip = inputs.headers.get("rocm-6.0", {})
    newer = inputs.tables.get("rocthrust-headers", {})
    folders = "|".join(CUB_FOLDERS)
    for name in sorted(cuda):
        if re.fullmatch(rf"cub/(({folders})/)?[^/]*\.cuh", name):
            yield _row("cub", "header", name, "hipcub/hipcub.hpp", name, "hipcub/hipcub.hpp",
                       "rocm-6.0", "6.0")  # fmt: skip
        elif re.fullmatch(
            r"thrust/(iterator/|random/)?[^/]*\.h|thrust/system/(cpp|omp|tbb)/\w+\.h", name
        ):
            if name in hip:
                yield _row("thrust", "header", name, name, name, name, "rocm-6.0", "6.0")
            elif name in newer:
                yield _row(
                    "thrust", "header", name, name, name, name, "rocthrust-headers-names", "6.3"
                )
            else:
                yield _row("thrust", "header", name, None, name, "", "cuda-cccl-13.0", "",
                           "not among rocThrust's headers")  # fmt: skip
        elif re.fullmatch(r"thrust/system/cuda/[^/]*\.h", name):
            spelling = name.replace("/cuda/", "/hip/")
            if spelling in hip:
                yield _row("thrust", "header", name, spelling, name, spelling, "rocm-6.0", "6.0")
    item = _opened(inputs, "cuda-cccl-13.0")
    if item is not None:
        for name in libcudacxx_headers(item):
            yield _row(
                "libcudacxx", "header", name, None, name, "", "cuda-cccl-13.0", "", NO_LIBCUDACXX
            )


def libcudacxx_headers(item: Opened) -> list[str]:
    """`cuda/std/array`, `cuda/atomic` …: the headers without a suffix that users include."""
    prefix = item.package.prefixes[0] if item.wheel is not None else ""
    return sorted(
        name[len(prefix) :]
        for name in item.inside()
        if re.fullmatch(
            re.escape(prefix) + r"cuda/(std/)?[a-z_]+|" + re.escape(prefix) + r"nv/target", name
        )
    )


def cplusplus_names(inputs: Inputs, hand: Hand) -> Iterator[Row]:
    """The rows of CUB, Thrust and libcu++; names of the hand-kept table are left to it."""
    for rows in (_cub(inputs), _headers(inputs)):
        for row in rows:
            if row.cuda not in hand.entries:
                yield row
