"""Compares the GPU machine code of two builds, kernel by kernel, as cuobjdump prints it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

_FUNCTION = re.compile(r"^\s*Function : (\S+)\s*$")
_ARCHITECTURE = re.compile(r"^arch = (\S+)\s*$")
# nvcc puts a hash of the source's path into the names of what is local to a translation unit.
_UNIT_HASH = re.compile(r"(_INTERNAL_|_GLOBAL__N__)[0-9a-f]{8}")


@dataclass(frozen=True)
class Comparison:
    """Which kernels are the same, differ, or stand on one side only."""

    same: tuple[str, ...]
    different: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]

    @property
    def identical(self) -> bool:
        return bool(self.same) and not (self.different or self.missing or self.extra)


def kernels(dump: str) -> dict[str, str]:
    """The digest of each function's instructions, with their encodings, in a `--dump-sass` text.

    Keys are `architecture name`. Blank lines and the width of the padding do not count.
    """
    code: dict[str, list[str]] = {}
    architecture, lines = "", None
    for line in dump.splitlines():
        if found := _ARCHITECTURE.match(line):
            architecture, lines = found[1], None
        elif found := _FUNCTION.match(line):
            name = _UNIT_HASH.sub(r"\1", found[1])
            lines = code.setdefault(f"{architecture} {name}", [])
        elif lines is not None and line.strip():
            lines.append(" ".join(_UNIT_HASH.sub(r"\1", line).split()))
    return {
        name: hashlib.sha256("\n".join(body).encode()).hexdigest() for name, body in code.items()
    }


def compare(original: dict[str, str], ported: dict[str, str]) -> Comparison:
    both = sorted(original.keys() & ported.keys())
    return Comparison(
        same=tuple(name for name in both if original[name] == ported[name]),
        different=tuple(name for name in both if original[name] != ported[name]),
        missing=tuple(sorted(original.keys() - ported.keys())),
        extra=tuple(sorted(ported.keys() - original.keys())),
    )
