"""The frozen data model that the stages share. No behaviour beyond what a value knows of itself."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import PurePosixPath
from typing import Literal

Applicability = Literal["safe", "unsafe", "display"]
ApiKind = Literal[
    "function",
    "type",
    "enumerator",
    "macro",
    "header",
    "namespace",
    "variable",
    "device",
    "template",
]
ApiStatus = Literal["same", "changed", "missing", "unverified"]


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the characters [start, end) of one text by `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A repair for one finding: its edits, and whether they may be applied unasked."""

    title: str
    edits: tuple[Edit, ...]
    applicability: Applicability


Severity = Literal["error", "warning", "performance", "note"]
"""error: will not compile or is wrong; warning: may be wrong; performance; note: worth knowing."""
Effort = Literal["none", "trivial", "small", "medium", "large"]
"""What one finding costs a person; `scan` turns it into hours, see `estimate`."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One hazard at one place: the characters [start, end) of the file at `path`.

    `line` and `column` count from 1. `condition` is the `#if` expression under which the line is
    compiled, "" for always. `handled` says that the compat layer already keeps this right.
    """

    code: str
    name: str
    severity: Severity
    effort: Effort
    path: PurePosixPath
    start: int
    end: int
    line: int
    column: int
    message: str
    condition: str
    handled: bool
    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One text of a project.

    `path` is relative to the project root. `text` is the file's bytes decoded as UTF-8 with
    surrogateescape and newlines untouched, so that encoding it the same way gives back every byte.
    """

    path: PurePosixPath
    text: str


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that is left alone because it cannot be read or changed safely, and why."""

    path: PurePosixPath
    reason: str


@dataclass(frozen=True, slots=True)
class Project:
    """What was found under a root: the texts, what was left alone, and how it is compiled.

    `sources` are the device translation units (`.cu`), `include_dirs` the folders of the tree that
    its includes are resolved against, in compiler order; all relative to the root. `defines` are
    `NAME` or `NAME=VALUE`; `undefines` the names that the build takes back, PyTorch's included.
    """

    name: str
    files: tuple[SourceFile, ...]
    skipped: tuple[SkippedFile, ...]
    sources: tuple[PurePosixPath, ...]
    include_dirs: tuple[PurePosixPath, ...]
    defines: tuple[str, ...]
    undefines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ApiEntry:
    """One CUDA name and its HIP counterpart.

    `hip` is None where there is none. `header` declares the CUDA name, `hip_header` the HIP one.
    `since_*`/`until_*` are versions as "12.0" ("" where not known; until is exclusive).
    `status`: same (a rename is all), changed (arguments, types or meaning differ: see `note`),
    missing (no counterpart), unverified (the counterpart is in no header that could be read).
    `source` names the package and version whose header declares the HIP name, or one of our tests.
    """

    cuda: str
    hip: str | None
    kind: ApiKind
    library: str
    header: str
    hip_header: str
    since_cuda: str
    until_cuda: str
    since_hip: str
    status: ApiStatus
    source: str
    note: str = ""


class TargetKind(Enum):
    """What a target string names before its colon."""

    CUDA = "cuda"
    HIP = "hip"
    SIMT = "simt"


@dataclass(frozen=True, slots=True)
class KernelResources:
    """What a compiler says one kernel needs on one architecture; None where it does not say.

    Registers are per thread (NVIDIA) or per lane (AMD); memory is in bytes per thread (`scratch`,
    `spill_*`) or per block (`shared`); `occupancy` is waves per SIMD (AMD). Origin: compiled.
    """

    kernel: str
    arch: str
    vector_registers: int | None = None
    accumulation_registers: int | None = None
    scalar_registers: int | None = None
    scratch_bytes: int | None = None
    vector_spills: int | None = None
    scalar_spills: int | None = None
    shared_bytes: int | None = None
    occupancy: int | None = None


@dataclass(frozen=True, slots=True)
class CompileFailure:
    """A compiler's refusal, tied to the user's own line where one is named."""

    message: str
    path: str
    line: int
    column: int
    log: str


@dataclass(frozen=True, slots=True)
class UnitResult:
    """One translation unit compiled for one target: its object or its failure."""

    source: PurePosixPath
    target: str
    toolchain: str
    seconds: float
    cached: bool
    object_path: str
    kernels: tuple[KernelResources, ...]
    failure: CompileFailure | None


@dataclass(frozen=True, slots=True)
class BuildResult:
    """All units of one build call; ok when every one of them compiled."""

    root: str
    units: tuple[UnitResult, ...]

    @property
    def ok(self) -> bool:
        """True when no unit failed."""
        return all(unit.failure is None for unit in self.units)
