"""What this machine can build, what is missing, and the line that installs it."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from warp2wave.build.prepare import prepare_cuda_chain, prepare_hip_chain
from warp2wave.build.rocm_roots import HEADER_SETS
from warp2wave.build.targets import parse_target
from warp2wave.build.toolchains import (
    CudaToolchain,
    HipToolchain,
    find_cuda_toolchain,
    find_hip_toolchain,
)
from warp2wave.cachedir import user_cache
from warp2wave.errors import MissingToolError, UsageError
from warp2wave.model import TargetKind


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked for: whether it is there, what it is, and how to get it if it is not."""

    name: str
    present: bool
    detail: str
    install: str = ""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A target that was asked for, and why it cannot be built ("" where it can)."""

    target: str
    missing: str
    install: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Everything that was looked for."""

    machine: str
    cache: Path
    checks: tuple[Check, ...]
    requirements: tuple[Requirement, ...]

    @property
    def missing_required(self) -> bool:
        """True when a target that was asked for cannot be built."""
        return any(requirement.missing for requirement in self.requirements)


def examine(require: Sequence[str] = ()) -> Diagnosis:
    """Look for compilers, headers, GPUs and PyTorch; say whether each target in `require` builds.

    Starts no compiler beyond asking for versions, and downloads nothing. Raises UsageError for a
    target that is none.
    """
    parsed = [(target, *parse_target(target)) for target in require]
    hip = {name: _found(partial(find_hip_toolchain, name)) for name in (*HEADER_SETS, None)}
    cuda = _found(find_cuda_toolchain)
    checks = [
        *(_toolchain_check(f"HIP {name} headers and clang", hip[name]) for name in HEADER_SETS),
        _toolchain_check("nvcc", cuda),
        _gpu_check("AMD GPU", Path("/dev/kfd")),
        _gpu_check("NVIDIA GPU", Path("/dev/nvidiactl")),
        _torch_check(),
    ]
    best = hip[None]
    if isinstance(best, HipToolchain) and best.headers == "rocm":
        checks.insert(0, _toolchain_check("ROCm", best))
    return Diagnosis(
        machine=f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        cache=user_cache(),
        checks=tuple(checks),
        requirements=tuple(
            _requirement(target, kind, hip[None], cuda) for target, kind, _ in parsed
        ),
    )


def install_missing(note: Callable[[str], None]) -> None:
    """Download and prepare, in the user's cache, what needs no root.

    nvcc, cuRAND's headers and cuobjdump where there are none, HIP headers and device libraries for
    AMD, and the headers that a ROCm PyTorch has. Raises MissingToolError with the line for what
    only the system's packages bring.
    """
    prepare_cuda_chain(note)
    prepare_hip_chain(note)


Found = HipToolchain | CudaToolchain | MissingToolError


def _found(find: Callable[[], HipToolchain | CudaToolchain]) -> Found:
    try:
        return find()
    except MissingToolError as error:
        return error


def _toolchain_check(name: str, found: Found) -> Check:
    if isinstance(found, MissingToolError):
        return Check(name, False, str(found), found.install)
    return Check(name, True, f"{found.title}: {found.origin}")


def _gpu_check(name: str, device: Path) -> Check:
    if device.exists():
        return Check(name, True, str(device))
    return Check(name, False, "none here; compiling needs none")


def _torch_check() -> Check:
    try:
        version = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return Check("PyTorch", False, "not installed in this environment", "pip install torch")
    return Check("PyTorch", True, version)


def _requirement(target: str, kind: TargetKind, hip: Found, cuda: Found) -> Requirement:
    if kind is TargetKind.SIMT:
        raise UsageError(f"{target}: the emulator is not there yet")
    found = hip if kind is TargetKind.HIP else cuda
    if isinstance(found, MissingToolError):
        return Requirement(target, str(found), found.install)
    return Requirement(target, "")
