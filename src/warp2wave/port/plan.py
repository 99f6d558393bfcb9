"""What a port will generate: every mapping with its origin, every header with its counterpart."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in the user's tree; line and column count from 1."""

    path: PurePosixPath
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Mapping:
    """One object-like macro of the compat layer, and what says that it is right."""

    cuda: str
    replacement: str
    origin: str


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A header of a CUDA or PyTorch name in `gpu_compat/hip`.

    It includes `real` with the maps off. `next` says that the real header has the wrapper's own
    name and is found behind it on the include path.
    """

    name: str
    real: str
    next: bool
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CubNames:
    """What the tree takes from namespace cub: each name, and whether a shim of ours defines it."""

    forwarded: tuple[str, ...] = ()
    warp_primitives: bool = False


@dataclass(frozen=True, slots=True)
class OpenItem:
    """Something the port leaves to a person: what, why, what to use instead, and where."""

    subject: str
    reason: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class CompatPlan:
    """Everything `gpu_compat/` will hold for one tree.

    `api` maps names that host code may use, `device` those that only device compilation knows.
    `support` are the support headers to copy, by file name, `prelude` those of them that come with
    the maps; the others come with the wrappers that need them. `open_items` will not compile or
    work as they are; `to_check` are mapped, but their arguments or meaning may differ on HIP.
    """

    api: tuple[Mapping, ...] = ()
    device: tuple[Mapping, ...] = ()
    wrappers: tuple[Wrapper, ...] = ()
    support: tuple[str, ...] = ()
    prelude: tuple[str, ...] = ()
    cub: CubNames = CubNames()
    thrust_cuda: bool = False
    cuda_compiler_macro: bool = False
    open_items: tuple[OpenItem, ...] = ()
    to_check: tuple[OpenItem, ...] = ()
    same: tuple[str, ...] = ()
