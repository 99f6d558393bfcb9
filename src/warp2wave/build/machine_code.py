"""NVIDIA machine code of compiled kernels, to show that a port left it as it was."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from warp2wave.build import cuda_wheels
from warp2wave.build.processes import Runner
from warp2wave.cachedir import user_cache
from warp2wave.errors import BuildFailedError, MissingToolError

_FUNCTION = re.compile(r"^\s*Function : (?P<name>\S+)\s*$")
_CODE = re.compile(r"^\s*code for (?P<arch>\S+)\s*$")
_ENCODING = re.compile(r"/\* (0x[0-9a-f]{16}) \*/")


@dataclass(frozen=True, slots=True)
class CodeComparison:
    """Kernels by whether both sides have them and agree, each list in order of names."""

    same: tuple[str, ...]
    different: tuple[str, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]

    @property
    def identical(self) -> bool:
        """True when both have the same kernels with the same code, and at least one."""
        return bool(self.same) and not (self.different or self.only_first or self.only_second)


def find_disassembler(*, cache: Path | None = None) -> Path | None:
    """Return cuobjdump from CUDA_HOME, PATH, /usr/local/cuda or the cache; None where none is.

    It starts nvdisasm, which must stand beside it or on PATH.
    """
    wheels = cuda_wheels.DISASSEMBLER.folder(cache or user_cache()) / "bin"
    home = os.environ.get("CUDA_HOME")
    on_path = shutil.which("cuobjdump")
    folders = [
        *([Path(home) / "bin"] if home else []),
        *([Path(on_path).resolve().parent] if on_path else []),
        Path("/usr/local/cuda/bin"),
        wheels,
    ]
    for folder in folders:
        if all(os.access(folder / name, os.X_OK) for name in ("cuobjdump", "nvdisasm")):
            return folder / "cuobjdump"
    return None


def machine_code(compiled: Path, *, cache: Path | None = None) -> dict[str, str]:
    """Disassemble a cubin or an object: kernel (mangled, with its architecture) -> its code.

    The code is cuobjdump's listing, encodings included, one instruction a line. Raises
    MissingToolError without cuobjdump, BuildFailedError where it refuses the file.
    """
    program = find_disassembler(cache=cache)
    if program is None:
        raise MissingToolError("cuobjdump is missing", "warp2wave doctor --install")
    path = f"{program.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = Runner().run([str(program), "-sass", str(compiled)], env={"PATH": path})
    if done.status != 0:
        first = (done.output.strip().splitlines() or ["it said nothing"])[0]
        raise BuildFailedError(f"cuobjdump refuses {compiled.name}: {first}", first)
    return read_listing(done.output)


def read_listing(listing: str) -> dict[str, str]:
    """Split what `cuobjdump -sass` prints into kernels; spacing is made uniform."""
    found: dict[str, list[str]] = {}
    arch, current = "", None
    for line in listing.splitlines():
        code, function = _CODE.match(line), _FUNCTION.match(line)
        if code is not None:
            arch, current = code["arch"], None
        elif function is not None:
            current = found.setdefault(f"{function['name']} {arch}".strip(), [])
        elif current is not None and _ENCODING.search(line):
            current.append(" ".join(line.split()))
    return {name: "\n".join(lines) for name, lines in found.items()}


def compare_machine_code(first: Path, second: Path, *, cache: Path | None = None) -> CodeComparison:
    """Compare the kernels of two cubins or objects; raises what `machine_code` raises."""
    return compare_listings(machine_code(first, cache=cache), machine_code(second, cache=cache))


def compare_listings(a: dict[str, str], b: dict[str, str]) -> CodeComparison:
    """Compare what `machine_code` returned for two files."""
    both = sorted(a.keys() & b.keys())
    return CodeComparison(
        same=tuple(name for name in both if a[name] == b[name]),
        different=tuple(name for name in both if a[name] != b[name]),
        only_first=tuple(sorted(a.keys() - b.keys())),
        only_second=tuple(sorted(b.keys() - a.keys())),
    )
