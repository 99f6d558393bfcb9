"""Precompiled headers for HIP passes, used only where they are shown to change nothing.

PyTorch's headers take most of the time of every pass: they are the same for every unit, header set
and architecture pair. A precompiled header holds the headers that a unit reads before any code of
its own. It is used for a unit only if the compiler's preprocessed text of the unit, read with the
precompiled header, is what it is without (docs/decisions/ has the measurements and the argument).

Clang needs two flags for this that it does not document for HIP: headers are parsed with
`-fsyntax-only -emit-pch`, host and device apart, and C++20's modules are off
(`-fno-cxx-modules`): with them on, clang 19 takes the `__host__` and the `__device__` overload of
one function for two definitions of it and refuses.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from warp2wave.build.prefix import leading_headers, own_text
from warp2wave.build.processes import Runner
from warp2wave.build.steps import Step

RECIPE = 1
"""Raise it whenever precompiled headers must be made anew: it is part of their key."""

_NO_MODULES = ("-Xclang", "-fno-cxx-modules")
# Parsed once here instead of in each unit that uses them.
_MAKE = ("-fsyntax-only", "-Xclang", "-fpch-instantiate-templates", "-Xclang", "-emit-pch")
# Precompiling pays for PyTorch's headers only: the others take a second or two.
_WORTH = ("torch/", "ATen/", "c10/")
_KEPT = 16


@dataclass(frozen=True, slots=True)
class Plan:
    """A precompiled header that would serve a unit: which headers, made with which command."""

    command: tuple[str, ...]
    headers: tuple[str, ...]
    identity: str

    @property
    def key(self) -> str:
        """The name of the precompiled header."""
        text = repr((RECIPE, self.command, self.headers, self.identity))
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Pch:
    """A precompiled header: its file, and the preprocessed text that it stands for."""

    file: Path
    text: bytes

    @property
    def flags(self) -> tuple[str, ...]:
        """What a compile command needs to use it."""
        return (*_NO_MODULES, "-Xclang", "-include-pch", "-Xclang", str(self.file))


def search_dirs(step: Step, runner: Runner) -> tuple[str, ...]:
    """The compiler's own list of include folders, without the tree's."""
    said = runner.run([*step.shared, "-E", "-v", "/dev/null", "-o", "/dev/null"]).output
    _, _, after = said.partition("search starts here:\n#include <...> search starts here:\n")
    listed, _, _ = after.partition("End of search list.")
    return tuple(os.path.normpath(line.strip()) for line in listed.splitlines() if line.strip())


def preprocess(step: Step, root: Path, runner: Runner, pch: Pch | None = None) -> bytes | None:
    """The unit's preprocessed text, None where the compiler refuses it."""
    flags = pch.flags if pch is not None else ()
    return _expand([*step.command, *step.defines, *flags], f"./{step.source}", root, runner)


def plan(step: Step, text: bytes, folders: Sequence[str]) -> Plan | None:
    """What could be precompiled for a unit with this preprocessed text; None: nothing worth it."""
    headers = leading_headers(text, folders)
    if not any(name.startswith(_WORTH) for name in headers):
        return None
    return Plan(step.shared, headers, step.identity)


def obtain(wanted: Plan, cache: Path, runner: Runner) -> Pch | None:
    """Return the precompiled header, made now if it is not there; None where clang refuses."""
    folder = cache / "pch" / wanted.key
    folder.mkdir(parents=True, exist_ok=True)
    source, file, text = folder / "prefix.h", folder / "prefix.pch", folder / "prefix.txt"
    with FileLock(folder / "lock"):
        if not file.is_file():
            includes = "".join(f"#include <{name}>\n" for name in wanted.headers)
            source.write_text(includes, encoding="utf-8", errors="surrogateescape")
            expanded = _expand(list(wanted.command), str(source), folder, runner)
            if expanded is None:
                return None
            text.write_bytes(own_text(expanded))
            made = folder / "made.pch"
            flags = (*_NO_MODULES, *_MAKE, "-Xclang", "-o", "-Xclang", str(made), "-w")
            done = runner.run([*wanted.command, *flags, str(source)], folder)
            if done.status != 0 or not made.is_file():
                (folder / "refused.txt").write_text(done.output, encoding="utf-8")
                return None
            made.replace(file)
            _forget_oldest(folder.parent)
        os.utime(folder)
        return Pch(file, text.read_bytes())


def changes_nothing(unit: bytes, pch: Pch, rest: bytes) -> bool:
    """True if the unit's text is the precompiled text followed by the text read after it.

    `unit` is preprocessed without, `rest` with the precompiled header.
    """
    return own_text(unit) == b"\n".join(part for part in (pch.text, own_text(rest)) if part)


def forget(pch: Pch) -> None:
    """Remove a precompiled header that the compiler no longer accepts."""
    with suppress(OSError):
        pch.file.unlink()


def _expand(command: list[str], source: str, cwd: Path, runner: Runner) -> bytes | None:
    output = Path(_scratch_name())
    try:
        done = runner.run([*command, "-E", "-w", source, "-o", str(output)], cwd)
        return output.read_bytes() if done.status == 0 else None
    finally:
        output.unlink(missing_ok=True)


def _scratch_name() -> str:
    import tempfile

    handle, name = tempfile.mkstemp(prefix="w2w-", suffix=".ii")
    os.close(handle)
    return name


def _forget_oldest(store: Path) -> None:
    """Keep the most recently used precompiled headers: each takes 150 MB of disk."""
    folders = sorted(store.iterdir(), key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in folders[_KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)
