"""A compiler's first error, made short and tied to a line of the user's.

clang and gcc write `file:line:column: error: text`, nvcc's front end `file(line): error: text`.
An error inside a third-party header is tied to the line of the tree that led there: the innermost
"In file included from", or the first instantiation that was requested in the tree.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from warp2wave.model import CompileFailure

_CLANG = re.compile(
    r"^(?P<path>(?:[A-Za-z]:)?[^:\n]+?):(?P<line>\d+):(?:(?P<column>\d+):)? "
    r"(?P<level>fatal error|error|note): (?P<text>.*)$"
)
_NVCC = re.compile(
    r"^(?P<path>[^\n]+?)\((?P<line>\d+)\): "
    r"(?P<level>catastrophic error|fatal error|error|note)(?: #[\w-]+)?: (?P<text>.*)$"
)
_INCLUDED = re.compile(
    r"^(?:In file included from|\s+from) (?P<path>.+?):(?P<line>\d+)(?::\d+)?[:,]?$"
)
_NVCC_CONTEXT = re.compile(r"at line (?P<line>\d+) of (?P<path>\S+)")
# ptxas names a line of generated PTX, which says nothing to the user.
_PTXAS = re.compile(r"^ptxas (?:\S+, line \d+; )?(?:error|fatal)\s*: (?P<text>.+)$")
# Errors without a place: the driver, the linker, the assembler, a code generator.
_BARE = re.compile(
    r"^(?:(?:[\w+.-]*(?:clang|nvcc|lld|ptxas|gcc|cc1plus)[\w+.-]*)\s*)?:?\s*"
    r"(?:fatal error|fatal|error)\s*:\s*(?P<text>.+)$",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"in instantiation of|requested here|expanded from macro|in call to|while substituting"
)


@dataclass(frozen=True, slots=True)
class _Place:
    path: str
    line: int
    column: int


def first_failure(said: str, root: Path, source: str, log: str, status: int = 1) -> CompileFailure:
    """Read the first error from what a compiler said while it ran in `root` on `source`.

    The path of the result is relative to the root where the tree holds the file. Where nothing
    looks like an error the source itself is named, with the last line said or the exit status.
    """
    lines = said.splitlines()
    included: list[_Place] = []
    for number, line in enumerate(lines):
        step = _INCLUDED.match(line)
        if step is not None:
            if number == 0 or _INCLUDED.match(lines[number - 1]) is None:
                included = []
            place = _Place(step["path"], int(step["line"]), 0)
            # Outermost file first: clang writes them so, gcc the other way round, as "from" lines.
            included.insert(len(included) if line.startswith("In file") else 0, place)
            continue
        found = _CLANG.match(line) or _NVCC.match(line)
        if found is None:
            bare = _PTXAS.match(line) or _BARE.match(line)
            if bare is not None:
                return CompileFailure(bare["text"].strip(), source, 0, 0, log)
            continue
        if found["level"] == "note":
            continue
        groups = found.groupdict()
        place = _Place(found["path"], int(found["line"]), int(groups.get("column") or 0))
        return _failure(found["text"].strip(), place, included, lines[number + 1 :], root, log)
    if status < 0:
        message = f"the compiler was stopped by signal {-status} (out of memory, perhaps)"
    else:
        words = [line.strip() for line in lines if line.strip()]
        message = words[-1] if words else f"the compiler ended with status {status}, saying nothing"
    return CompileFailure(message, source, 0, 0, log)


def _failure(
    text: str, place: _Place, included: list[_Place], after: list[str], root: Path, log: str
) -> CompileFailure:
    own = _in_tree(place, root)
    if own is not None:
        return CompileFailure(text, own.path, own.line, own.column, log)
    led_there = _requested_by(after, root)
    if led_there is None:
        known = [own for own in (_in_tree(step, root) for step in included) if own is not None]
        led_there = known[-1] if known else None
    where = f"{place.path}:{place.line}"
    if led_there is None:
        return CompileFailure(text, place.path, place.line, place.column, log)
    return CompileFailure(
        f"{text} (in {where})", led_there.path, led_there.line, led_there.column, log
    )


def _requested_by(after: list[str], root: Path) -> _Place | None:
    """The first place in the tree among the notes that belong to the error."""
    for line in after:
        found = _CLANG.match(line) or _NVCC.match(line)
        if found is not None and found["level"] != "note":
            return None
        if found is not None and _WITHIN.search(found["text"]):
            column = int(found.groupdict().get("column") or 0)
            own = _in_tree(_Place(found["path"], int(found["line"]), column), root)
            if own is not None:
                return own
        context = _NVCC_CONTEXT.search(line)
        if context is not None:
            own = _in_tree(_Place(context["path"], int(context["line"]), 0), root)
            if own is not None:
                return own
    return None


def _in_tree(place: _Place, root: Path) -> _Place | None:
    """The place with a path relative to the root; None if it is outside or in gpu_compat/."""
    if place.path.startswith("<"):
        return None
    path = os.path.normpath(place.path)
    if path.startswith(os.sep):
        base = f"{os.path.normpath(root)}{os.sep}"
        if not path.startswith(base):
            return None
        path = path[len(base) :]
    if path.startswith("..") or path.startswith(f"gpu_compat{os.sep}"):
        return None
    return _Place(path, place.line, place.column)
