"""Registers, memory and occupancy of kernels, from what the compilers say of them.

AMD: clang's `-Rpass-analysis=kernel-resource-usage` remarks. NVIDIA: `-Xptxas -v`.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from warp2wave.build.processes import Runner
from warp2wave.model import KernelResources

_REMARK = re.compile(
    r"remark: (?:.*?:\d+:\d+: )?\s*(?P<name>[^:\[]+?)(?: \[[^\]]*\])?: (?P<value>\S+)"
)
_AMD_FIELDS = {
    "SGPRs": "scalar_registers",
    "TotalSGPRs": "scalar_registers",
    "VGPRs": "vector_registers",
    "AGPRs": "accumulation_registers",
    "ScratchSize": "scratch_bytes",
    "Occupancy": "occupancy",
    "SGPRs Spill": "scalar_spills",
    "VGPRs Spill": "vector_spills",
    "LDS Size": "shared_bytes",
}
_PTXAS_KERNEL = re.compile(r"ptxas info\s*: Compiling entry function '([^']+)' for '([^']+)'")
_PTXAS_STACK = re.compile(
    r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads"
)
_PTXAS_USED = re.compile(r"ptxas info\s*: Used (\d+) registers(.*)")


def amd_resources(said: str, arch: str) -> tuple[KernelResources, ...]:
    """Read clang's remarks. Kernels keep their mangled names and the compiler's order."""
    found: list[KernelResources] = []
    for line in said.splitlines():
        remark = _REMARK.search(line)
        if remark is None:
            continue
        name, value = remark["name"], remark["value"]
        if name == "Function Name":
            found.append(KernelResources(kernel=value, arch=arch))
        elif found and name in _AMD_FIELDS and value.isdigit():
            changes: dict[str, Any] = {_AMD_FIELDS[name]: int(value)}
            found[-1] = replace(found[-1], **changes)
    return tuple(found)


def nvidia_resources(said: str, arch: str) -> tuple[KernelResources, ...]:
    """Read ptxas's report. Spills are given in bytes there, so they are counted as 4-byte words."""
    found: list[KernelResources] = []
    for line in said.splitlines():
        started = _PTXAS_KERNEL.search(line)
        if started is not None:
            found.append(KernelResources(kernel=started.group(1), arch=arch, shared_bytes=0))
            continue
        if not found:
            continue
        stack = _PTXAS_STACK.search(line)
        if stack is not None:
            frame, stores, _ = (int(number) for number in stack.groups())
            found[-1] = replace(found[-1], scratch_bytes=frame, vector_spills=stores // 4)
        used = _PTXAS_USED.search(line)
        if used is not None:
            shared = re.search(r"(\d+) bytes smem", used.group(2))
            found[-1] = replace(
                found[-1],
                vector_registers=int(used.group(1)),
                shared_bytes=int(shared.group(1)) if shared else 0,
            )
    return tuple(found)


def demangled(
    kernels: Iterable[KernelResources], cxxfilt: Path | None, runner: Runner
) -> tuple[KernelResources, ...]:
    """The same with readable names, without the return type and the parameter list."""
    kernels = tuple(kernels)
    program = cxxfilt or _found_cxxfilt()
    if program is None or not kernels:
        return kernels
    # Names go as arguments, in lots: a unit may hold thousands of instantiations.
    names: list[str] = []
    for start in range(0, len(kernels), 200):
        lot = [kernel.kernel for kernel in kernels[start : start + 200]]
        names += runner.run([str(program), *lot]).output.splitlines()
    if len(names) != len(kernels):
        return kernels
    return tuple(replace(k, kernel=_short(name)) for k, name in zip(kernels, names, strict=True))


def _found_cxxfilt() -> Path | None:
    for name in ("llvm-cxxfilt", "llvm-cxxfilt-19", "c++filt"):
        found = shutil.which(name)
        if found:
            return Path(found)
    return None


def _short(name: str) -> str:
    """Drop `void ` before a template instance and the parameters after the name."""
    text = name.removeprefix("void ")
    if not text.endswith(")"):
        return text
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[position], 0)
        if depth == 0:
            return text[:position]
    return text
