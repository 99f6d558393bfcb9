"""Decide what the compat layer holds for one tree: from what it uses, the API map and the shims."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from warp2wave.apimap import ApiMap
from warp2wave.model import ApiEntry
from warp2wave.port.plan import (
    CompatPlan,
    CubNames,
    OpenItem,
    Wrapper,
)
from warp2wave.port.plan import Mapping as NameMapping
from warp2wave.port.platform import (
    CLANG_INCLUDES_FIRST,
    THIRD_PARTY_GPU_PREFIXES,
    TORCH_PREFIXES,
)
from warp2wave.port.shims import (
    ADDITIONS,
    COORDINATES,
    HEADER_ADDITIONS,
    HEADER_SHIMS,
    PROVIDED,
    SHIMS,
    Shim,
)
from warp2wave.port.usage import IncludeUse, Usage

RUNTIME_HEADER = "cuda_runtime.h"
_RUNTIME_REAL = "hip/hip_runtime.h"
_CUB_NAMES = "w2w_cub.h"
_THRUST_NAMES = "w2w_thrust.h"
_WARP_HEADER = "warp32.h"
_RUNTIME_SHIMS = "runtime_shims.h"
_TORCH_NAMESPACES = "torch_namespaces.h"
_BLAS_MATH_MODE = "blas_math_mode.h"
_LAUNCH_BOUNDS = "__launch_bounds__"
_32_LANE_HEADERS = frozenset(
    {_WARP_HEADER, "torch_warp.h", "cooperative_groups_partition.h", _TORCH_NAMESPACES}
)
# Not with the maps: what they include is not every file's business.
_WITH_THEIR_WRAPPERS = frozenset({_TORCH_NAMESPACES, _BLAS_MATH_MODE})
# They tell the host about the 32 lanes that device code then has.
_32_LANE_NAMES = frozenset({"cudaDeviceProp", "cudaGetDeviceProperties", "cudaDeviceGetAttribute"})
_HOST_HEADERS = frozenset({_RUNTIME_SHIMS, _TORCH_NAMESPACES})
_HOST_NAMES = frozenset({"warpSize", "C10_WARP_SIZE"})
_CUB_WARP = frozenset(
    {"WarpReduce", "WarpScan", "WarpMergeSort", "WarpExchange", "WarpLoad", "WarpStore"}
    | {"LaneId", "WarpId", "LaneMaskLt", "LaneMaskLe", "LaneMaskGt", "LaneMaskGe"}
)
# What belongs to CUDA by its name alone, whether the map knows it or not.
CERTAINLY_CUDA = re.compile(
    r"(?:cuda[A-Z]|cu(?:blas|blasLt|sparse|solver|rand|fft|dnn)[A-Z]|CU(?:BLAS|SPARSE|FFT|RAND|DNN)_"
    r"|nvrtc[A-Z]|nvtx[A-Z]|nvml[A-Z])"
)
# HIP's C++ headers take CUDA's arguments here (hip_runtime_api.h's templates), though C's differ.
_TEMPLATES_OF_HIP = frozenset(
    {
        "cudaGetSymbolAddress",
        "cudaGetSymbolSize",
        "cudaMemcpyFromSymbol",
        "cudaMemcpyFromSymbolAsync",
        "cudaMemcpyToSymbol",
        "cudaMemcpyToSymbolAsync",
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
        "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
        "cudaOccupancyMaxPotentialBlockSize",
    }
)
# PyTorch's own answers about the warp size. The first two matter only to code that reads
# `->warpSize` from what they return.
_TORCH_PROPERTIES = {
    "getCurrentDeviceProperties": "w2w_current_device_properties",
    "getDeviceProperties": "w2w_device_properties",
}
_TORCH_WARP_SIZE = {
    "warp_size": ("w2w_logical_warp_size", _TORCH_NAMESPACES),
    "C10_WARP_SIZE": ("w2w_warp_size", _WARP_HEADER),
}

SHIMMED_NAMES: tuple[str, ...] = tuple(
    sorted({*SHIMS, *PROVIDED, *COORDINATES, *_TORCH_PROPERTIES, *_TORCH_WARP_SIZE})
)
"""Names that we define ourselves; the API map need not know them."""


@dataclass(frozen=True, slots=True)
class _Names:
    """The used names sorted by what serves them."""

    api: tuple[NameMapping, ...]
    device: tuple[NameMapping, ...]
    support: frozenset[str]
    hip_headers: frozenset[tuple[str, str]]
    same: tuple[str, ...]
    open_items: tuple[OpenItem, ...]
    to_check: tuple[OpenItem, ...]


def make_plan(
    usage: Usage,
    api: ApiMap,
    tree_headers: frozenset[str],
    support_texts: Mapping[str, str],
    undefines: Sequence[str] = (),
) -> CompatPlan:
    """Return the plan for a tree that uses `usage`.

    `undefines` are the macros that its build takes back. `tree_headers` are the names under
    which the tree's own files are included; `support_texts` the compat headers that exist, by
    file name.
    """
    native = bool(usage.native_waves)
    names = _plan_names(usage, api, native)
    headers, header_items = _plan_headers(usage, api, tree_headers, names)
    cub, cub_items = _plan_cub(usage, api)
    torch = any(w.name.startswith(("ATen/cuda", "c10/cuda")) for w in headers)
    support = set(names.support) | {
        header for name, header in HEADER_SHIMS.items() if any(w.name == name for w in headers)
    }
    if cub.warp_primitives:
        support.add("cub_warp.h")
    if torch:
        support.add(_TORCH_NAMESPACES)
    return CompatPlan(
        api=names.api,
        device=names.device,
        wrappers=headers,
        support=_with_needed(support, support_texts),
        prelude=_with_needed(set(names.support) - _WITH_THEIR_WRAPPERS, support_texts),
        cub=cub,
        thrust_cuda=bool(usage.thrust_cuda),
        cuda_compiler_macro=bool(usage.asks_cudacc),
        open_items=(*names.open_items, *header_items, *cub_items, *_hand_work(usage, undefines)),
        to_check=names.to_check,
        same=names.same,
    )


def _plan_names(usage: Usage, api: ApiMap, native: bool) -> _Names:
    api_maps: list[NameMapping] = []
    device: list[NameMapping] = []
    support: set[str] = set()
    hip_headers: set[tuple[str, str]] = set()
    same: list[str] = []
    items: list[OpenItem] = []
    checks: list[OpenItem] = []
    support.update(
        HEADER_ADDITIONS[use.include.name]
        for use in usage.includes
        if use.include.name in HEADER_ADDITIONS
    )
    for name, places in sorted(usage.names.items()):
        if name in ADDITIONS:
            support.add(ADDITIONS[name])
        if name in usage.defined:
            same.append(name)  # the tree defines it for HIP itself
            continue
        if name in PROVIDED:
            support.add(PROVIDED[name])
            same.append(name)
            continue
        shim = _shim(name, usage, native)
        if shim is not None:
            support.add(shim.header)
            known_to_host = shim.header in _HOST_HEADERS or name in _HOST_NAMES
            (api_maps if known_to_host else device).append(
                NameMapping(name, shim.replacement, f"defined in {shim.header}")
            )
            continue
        entry = api.find(name)
        if entry is None:
            if CERTAINLY_CUDA.match(name):
                items.append(OpenItem(name, "not in the API map", tuple(places)))
            continue
        if entry.kind == "header":
            continue
        if entry.hip is None:
            reason = "no counterpart in HIP" + (f": {entry.note}" if entry.note else "")
            items.append(OpenItem(name, reason, tuple(places)))
            continue
        if entry.status == "unverified":
            reason = f"mapped to {entry.hip}, which no header that we can read declares"
            items.append(OpenItem(name, reason, tuple(places)))
        elif _is_recent(entry) and name not in ADDITIONS:
            reason = f"mapped to {entry.hip}, which ROCm has from {entry.since_hip} on"
            items.append(OpenItem(name, reason, tuple(places)))
        if entry.status == "changed" and entry.note and name not in _TEMPLATES_OF_HIP:
            checks.append(OpenItem(name, f"{entry.hip}: {entry.note}", tuple(places)))
        if entry.hip == name:
            same.append(name)
        else:
            api_maps.append(NameMapping(name, entry.hip, _origin(entry)))
        if entry.hip_header:
            hip_headers.add((entry.header, entry.hip_header))
    return _Names(
        api=tuple(api_maps),
        device=tuple(device),
        support=frozenset(support),
        hip_headers=frozenset(hip_headers),
        same=tuple(same),
        open_items=tuple(items),
        to_check=tuple(checks),
    )


def _shim(name: str, usage: Usage, native: bool) -> Shim | None:
    """The definition of ours that a name needs in this tree; HIP's own may do."""
    if name == _LAUNCH_BOUNDS and not usage.wide_launch_bounds:
        return None
    if name in COORDINATES:
        return COORDINATES[name] if name in usage.whole_coordinates else None
    if name in _TORCH_PROPERTIES:
        asked = "warpSize" in usage.names and not native
        return Shim(_TORCH_PROPERTIES[name], _RUNTIME_SHIMS) if asked else None
    shim = Shim(*_TORCH_WARP_SIZE[name]) if name in _TORCH_WARP_SIZE else SHIMS.get(name)
    if native and (name in _32_LANE_NAMES or (shim and shim.header in _32_LANE_HEADERS)):
        return None
    return shim


_OLDEST_HIP = (6, 0)


def _is_recent(entry: ApiEntry) -> bool:
    """Whether a ROCm that a port has to serve lacks the counterpart."""
    version = tuple(int(part) for part in entry.since_hip.split(".") if part.isdigit())
    return version > _OLDEST_HIP


def _origin(entry: ApiEntry) -> str:
    return entry.source.split("\n", 1)[0]


def _plan_headers(
    usage: Usage, api: ApiMap, tree_headers: frozenset[str], names: _Names
) -> tuple[tuple[Wrapper, ...], tuple[OpenItem, ...]]:
    wrappers: dict[str, Wrapper] = {
        RUNTIME_HEADER: Wrapper(
            RUNTIME_HEADER, _RUNTIME_REAL, next=False, also=_brought(usage, names)
        )
    }
    items: dict[str, OpenItem] = {}
    for name, uses in sorted(_by_header(usage.includes).items()):
        if name in wrappers:
            continue
        if name in HEADER_SHIMS:
            wrappers[name] = Wrapper(name, f"../{HEADER_SHIMS[name]}", next=False)
            continue
        entry = api.header(name)
        if entry is None:
            if name in tree_headers or name in CLANG_INCLUDES_FIRST:
                continue
            if name.startswith((*TORCH_PREFIXES, *THIRD_PARTY_GPU_PREFIXES)):
                wrappers[name] = Wrapper(name, name, next=True)
            continue
        if entry.hip is None:
            reason = "header without a counterpart in HIP" + (
                f": {entry.note}" if entry.note else ""
            )
            items[name] = OpenItem(name, reason, tuple(use.place for use in uses))
            continue
        if entry.status == "unverified":
            reason = f"served by {entry.hip}, which we could not read"
            items[name] = OpenItem(name, reason, tuple(use.place for use in uses))
        elif entry.status == "changed":
            reason = f"served by {entry.hip}: {entry.note}"
            items[name] = OpenItem(name, reason, tuple(use.place for use in uses))
        also: tuple[str, ...] = ()
        if name.startswith("cub/"):
            also = (_CUB_NAMES,)
        elif name.startswith("thrust/") and usage.thrust_cuda:
            also = (_THRUST_NAMES,)
        elif name.startswith(("ATen/cuda", "c10/cuda")):
            # The device properties that it defines need those of the runtime shims.
            shims = (_RUNTIME_SHIMS,) if _RUNTIME_SHIMS in names.support else ()
            also = tuple(f"../{header}" for header in (*shims, _TORCH_NAMESPACES))
        if _BLAS_MATH_MODE in names.support and name.startswith(("cublas", "ATen/cuda/CUDA")):
            also = (*also, f"../{_BLAS_MATH_MODE}")
        wrappers[name] = Wrapper(name, entry.hip, next=entry.hip == name, also=also)
    return tuple(wrappers.values()), tuple(items.values())


def _by_header(includes: Iterable[IncludeUse]) -> dict[str, list[IncludeUse]]:
    grouped: dict[str, list[IncludeUse]] = {}
    for use in includes:
        if use.include.quote and _is_plain(use.include.name):
            grouped.setdefault(use.include.name, []).append(use)
    return grouped


def _is_plain(name: str) -> bool:
    """A header name that can become a file below gpu_compat/hip."""
    return not name.startswith("/") and ".." not in name.split("/") and "\\" not in name


def _brought(usage: Usage, names: _Names) -> tuple[str, ...]:
    """HIP headers that used names need and that no include of the tree brings.

    nvcc's own prelude and CUDA's headers bring half, bfloat16 and complex types along; HIP's
    runtime header does not.
    """
    included = {use.include.name for use in usage.includes}
    wanted = {
        hip_header
        for cuda_header, hip_header in names.hip_headers
        if hip_header in _PRELUDE and cuda_header not in included
    }
    return tuple(sorted(wanted))


_PRELUDE = frozenset({"hip/hip_fp16.h", "hip/hip_bf16.h", "hip/hip_complex.h"})


def _plan_cub(usage: Usage, api: ApiMap) -> tuple[CubNames, tuple[OpenItem, ...]]:
    forwarded: list[str] = []
    items: list[OpenItem] = []
    warp = False
    for name, places in sorted(usage.cub.items()):
        if name in _CUB_WARP:
            warp = True
            continue
        entry = api.find(f"cub::{name}")
        if entry is None or entry.hip is None:
            note = f": {entry.note}" if entry is not None and entry.note else ""
            items.append(OpenItem(f"cub::{name}", f"no counterpart in hipCUB{note}", tuple(places)))
        else:
            forwarded.append(name)
    return CubNames(tuple(forwarded), warp), tuple(items)


# PyTorch's builds switch off what this macro stands for; a build that takes it back may use casts.
_BFLOAT16_CASTS = "__CUDA_NO_BFLOAT16_CONVERSIONS__"
_BFLOAT16_TYPES = frozenset({"__nv_bfloat16", "nv_bfloat16"})


def _hand_work(usage: Usage, undefines: Sequence[str]) -> tuple[OpenItem, ...]:
    items: list[OpenItem] = []
    if usage.assembly:
        items.append(
            OpenItem(
                "inline PTX",
                "AMD compilers do not take it: write the HIP branch by hand",
                tuple(usage.assembly),
            )
        )
    if _BFLOAT16_CASTS in undefines and _BFLOAT16_TYPES & usage.names.keys():
        reason = (
            "ROCm 6.0's bfloat16 is a plain structure, so casts such as static_cast<float>(b) do "
            "not compile there: call __bfloat162float and __float2bfloat16"
        )
        uses = tuple(p for name in sorted(_BFLOAT16_TYPES) for p in usage.names.get(name, ()))
        items.append(OpenItem("bfloat16 conversions", reason, uses))
    for name, places in sorted(usage.pasted.items()):
        reason = "pasted together by the preprocessor, where no map reaches: write the name whole"
        items.append(OpenItem(name, reason, tuple(places)))
    if usage.native_waves:
        items.append(
            OpenItem(
                "64-lane code",
                "the HIP branch is written for waves of 64, so warp functions keep HIP's meaning",
                tuple(usage.native_waves),
            )
        )
    return tuple(items)


_QUOTED_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"/]+)"', re.MULTILINE)


def _with_needed(support: set[str], texts: Mapping[str, str]) -> tuple[str, ...]:
    """The support headers and those that they include, needed ones first."""
    ordered: list[str] = []

    def add(name: str, within: Sequence[str]) -> None:
        if name in ordered or name in within or name not in texts:
            return
        for needed in _QUOTED_INCLUDE.findall(texts[name]):
            add(needed, (*within, name))
        ordered.append(name)

    for name in sorted(support):
        add(name, ())
    return tuple(ordered)
