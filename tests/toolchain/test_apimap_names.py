"""The compiler, too, finds every HIP name that the map says a header declares, in that header."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from warp2wave.apimap import load
from warp2wave.build.toolchains import HipToolchain, find_hip_toolchain
from warp2wave.errors import MissingToolError
from warp2wave.model import ApiEntry

pytestmark = pytest.mark.toolchain

# Header sets to the entries that they must know. The libraries of the 7.1 set are those of 6.0, and
# its rocPRIM does not compile against HIP 7.1, so that set is asked for HIP's own names only.
SETS = {"6.0": ("6.0",), "7.1": ("6.0", "6.3", "7.1")}
HIP_ITSELF = ("runtime", "driver", "device")
KEYWORD = re.compile(r"__\w+__\Z")  # __global__ and its like are attributes, no names


def _chain(headers: str) -> HipToolchain:
    try:
        return find_hip_toolchain(headers)
    except MissingToolError as missing:
        pytest.skip(str(missing))


def _expected(headers: str) -> dict[str, set[str]]:
    """The HIP names that this header set must declare, by header."""
    found: dict[str, set[str]] = defaultdict(set)
    for entry in load().entries():
        if _is_declaration(entry) and entry.since_hip in SETS[headers] and entry.hip_header:
            mine = headers == "6.0" or entry.library in HIP_ITSELF
            if mine and not entry.library.startswith("torch"):
                found[entry.hip_header].add(str(entry.hip))
    return found


def _is_declaration(entry: ApiEntry) -> bool:
    """Names that a using-declaration can name: no headers, namespaces, members of classes."""
    if entry.hip is None or entry.kind in ("header", "namespace") or KEYWORD.match(entry.hip):
        return False
    if entry.library == "thrust" or entry.status == "unverified":
        return False
    return entry.hip.count("::") < 2


@pytest.mark.parametrize("headers", sorted(SETS))
def test_every_hip_name_is_declared_by_its_header(headers: str, tmp_path: Path) -> None:
    chain = _chain(headers)
    undeclared = []
    by_header = _expected(headers)
    assert len(by_header["hip/hip_runtime_api.h"]) > 500
    for number, (header, names) in enumerate(sorted(by_header.items())):
        lines = ["#include <hip/hip_runtime.h>\n", f"#include <{header}>\n"]
        for index, name in enumerate(sorted(names)):
            using = f"namespace probe{index} {{ using ::{name}; }}\n"
            lines.append(using if "::" in name else f"#ifndef {name}\n{using}#endif\n")
        source = tmp_path / f"names{number}.hip"
        source.write_text("".join(lines))
        command = [
            str(chain.clang),
            *("-x", "hip", "-std=c++17", "-w", "-ferror-limit=0", "-DHIPBLAS_V2"),
            *("--cuda-device-only", "-fsyntax-only", "--offload-arch=gfx90a"),
            *("-D__HIP_PLATFORM_AMD__=1", f"--rocm-path={chain.root}"),
            f"--rocm-device-lib-path={chain.device_libs}",
            *(f"-isystem{include}" for include in chain.include_dirs),
            str(source),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        undeclared += [f"{header}: {error}" for error in re.findall(r"error: (.*)", done.stderr)]
    assert undeclared == []
