"""One compiler run, as data: `hip.py` and `cuda.py` plan steps, `compile.py` carries them out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

StepKind = Literal["host", "device", "object"]


@dataclass(frozen=True, slots=True)
class Step:
    """One run of a compiler on one source.

    The command runs in the tree's root, so that the paths in it and in what the compiler says are
    relative, and equal trees in different places share their results. `command` is the program and
    the flags that decide the output; `shared` are those of them that do not come from this project
    (what a precompiled header is made with); `remarks` ask for resource figures. `identity` stands
    for everything the command uses that no dependency file names: the compiler, its libraries.
    """

    source: PurePosixPath
    kind: StepKind
    arch: str
    command: tuple[str, ...]
    identity: str
    toolchain: str
    suffix: str
    dialect: Literal["clang", "nvcc"]
    shared: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    cxxfilt: Path | None = None

    @property
    def label(self) -> str:
        """What is compiled, for progress: "csrc/cuda/a.cu for gfx90a"."""
        return f"{self.source} for {self.arch if self.kind != 'host' else 'the host'}"

    def compile_argv(self, output: Path, depfile: Path, extra: tuple[str, ...] = ()) -> list[str]:
        """The whole command: compile into `output`, list what was read in `depfile`."""
        return [
            *self.command,
            *self.defines,
            *self.remarks,
            *extra,
            *("-MD", "-MF", str(depfile)),
            *("-c" if self.suffix != ".cubin" else "-cubin", _plain(self.source)),
            *("-o", str(output)),
        ]


def _plain(source: PurePosixPath) -> str:
    """A file name that cannot be taken for an option."""
    text = str(source)
    return f"./{text}" if text.startswith(("-", "@")) else text
