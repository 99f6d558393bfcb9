"""Precompiled headers for HIP passes, used only where they are shown to change nothing.

PyTorch's headers take most of the time of every pass: they are the same for every unit, header set
and architecture pair. A precompiled header holds the headers that a unit reads before any code of
its own. It is used for a unit only if the compiler's preprocessed text of the unit, read with the
those headers first, is what it is without (docs/decisions/ has the measurements and the argument).

Clang needs two flags for this that it does not document for HIP: headers are parsed with
`-fsyntax-only -emit-pch`, host and device apart, and C++20's modules are off
(`-fno-cxx-modules`): with them on, clang 19 takes the `__host__` and the `__device__` overload of
one function for two definitions of it and refuses.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
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
_KEPT = 12
# Any other set of headers is precompiled when it is asked for so many times: making one costs as
# much as 1.4 units save, and PyTorch's umbrella headers are asked for by most extensions.
PATIENCE = 3
_ASKED_OFTEN = ("torch/extension.h", "torch/all.h")


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
    """A precompiled header: its file, and the source that it was made from."""

    file: Path
    source: Path

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


def preprocess(step: Step, root: Path, runner: Runner, first: Path | None = None) -> bytes | None:
    """The unit's preprocessed text, None where the compiler refuses it.

    `first` is read before anything else that is asked for, as a precompiled header would be.
    """
    before = ("-include", str(first)) if first is not None else ()
    output = _scratch_file()
    try:
        # In front: clang keeps the order of -include, and its own wrapper comes before all.
        argv = [step.command[0], *before, *step.command[1:], *step.defines]
        done = runner.run([*argv, "-E", "-w", f"./{step.source}", "-o", str(output)], root)
        return output.read_bytes() if done.status == 0 else None
    finally:
        output.unlink(missing_ok=True)


def plan(step: Step, text: bytes, folders: Sequence[str]) -> Plan | None:
    """What could be precompiled for a unit with this preprocessed text; None: nothing worth it."""
    headers = leading_headers(text, folders)
    if not any(name.startswith(_WORTH) for name in headers):
        return None
    # clang refuses a header made with a macro that the unit takes back, even one nobody uses.
    taken_back = tuple(flag for flag in step.defines if flag.startswith("-U"))
    return Plan((*step.shared, *taken_back), headers, step.identity)


def pays(wanted: Plan, cache: Path) -> bool:
    """True if the precompiled header is there already or is likely to be used again.

    Asking is counted, over builds.
    """
    folder = cache / "pch" / wanted.key
    if (folder / "prefix.pch").is_file() or wanted.headers[-1] in _ASKED_OFTEN:
        return True
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "asked").open("ab") as tally:
        tally.write(b".")
        return tally.tell() >= PATIENCE


def obtain(wanted: Plan, cache: Path, runner: Runner) -> Pch | None:
    """Return the precompiled header, made now if it is not there; None where clang refuses."""
    folder = cache / "pch" / wanted.key
    folder.mkdir(parents=True, exist_ok=True)
    source, file = folder / "prefix.h", folder / "prefix.pch"
    with FileLock(folder / "lock"):
        if not file.is_file():
            includes = "".join(f"#include <{name}>\n" for name in wanted.headers)
            source.write_text(includes, encoding="utf-8", errors="surrogateescape")
            made = folder / "made.pch"
            flags = (*_NO_MODULES, *_MAKE, "-Xclang", "-o", "-Xclang", str(made), "-w")
            done = runner.run([*wanted.command, *flags, str(source)], folder)
            if done.status != 0 or not made.is_file():
                (folder / "refused.txt").write_text(done.output, encoding="utf-8")
                return None
            made.replace(file)
            _forget_oldest(folder.parent)
        os.utime(folder)
        return Pch(file, source)


def changes_nothing(step: Step, text: bytes, pch: Pch, root: Path, runner: Runner) -> bool:
    """True if the unit, with `pch`'s headers read first, is still the same text token for token.

    `text` is the unit's preprocessed text without them.
    """
    moved = preprocess(step, root, runner, pch.source)
    return moved is not None and own_text(text) == own_text(moved)


def forget(pch: Pch) -> None:
    """Remove a precompiled header that the compiler no longer accepts."""
    with suppress(OSError):
        pch.file.unlink()


def _scratch_file() -> Path:
    handle, name = tempfile.mkstemp(prefix="w2w-", suffix=".ii")
    os.close(handle)
    return Path(name)


def _forget_oldest(store: Path) -> None:
    """Keep the most recently used precompiled headers: each takes 150 MB of disk."""
    made = [folder for folder in store.iterdir() if (folder / "prefix.pch").is_file()]
    made.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in made[_KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)
