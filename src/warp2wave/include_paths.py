"""Resolve the includes of a tree as its compiler would, and infer the folders that are needed.

A quoted name is looked for beside its includer, then in the include folders in order; one in angle
brackets in the include folders only. Where a name resolves nowhere but a file of the tree ends in
it, the folder that makes it resolve is added.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath

from warp2wave.syntax import patterns

# Comments, strings and numbers are matched so that no directive is seen inside of them.
_DIRECTIVE = re.compile(
    rf"{patterns.LINE_COMMENT}|{patterns.BLOCK_COMMENT}|(?<!{patterns.NAME_CHAR}){patterns.RAW_STRING}"
    rf"|(?P<include>(?:#|%:)[ \t]*(?:include|include_next|import)[ \t]*"
    rf'(?:"(?P<quoted>[^"\r\n]*)"|<(?P<angled>[^>\r\n]*)>))'
    rf"|{patterns.STRING}|[0-9][0-9A-Za-z.]*(?:'[0-9A-Za-z]+)+|{patterns.CHARACTER}"
)
_LOOKS_LIKE = re.compile(r"(?:#|%:)[ \t]*(?:include|import)[^\r\n]*")
# First folders, and names, of headers that come with CUDA, HIP, PyTorch, Python or the system.
_OUTSIDE_FOLDERS = frozenset(
    {
        "ATen", "TH", "THC", "arpa", "bits", "c10", "caffe2", "cooperative_groups", "cub", "cuda",
        "cudnn", "hip", "hipcub", "linux", "net", "netinet", "numpy", "nv", "pybind11", "rocprim",
        "rocrand", "sys", "thrust", "torch",
    }
)  # fmt: skip
_OUTSIDE_NAMES = re.compile(
    r"(?:cu(?:da|blas|rand|sparse|solver|fft|dnn|tensor|file)|nvtx|nvrtc|nvml|nvToolsExt|nccl|hip|"
    r"roc|miopen|Python|omp|mpi|device_|vector_|math_|texture_|surface_|driver_|channel_|host_|"
    r"builtin_|sm_\d)\w*\.(?:h|hpp|cuh)|mma\.h|immintrin\.h|\w*intrin\.h"
    r"|(?:assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp|signal|"
    r"stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|strings|tgmath|threads|"
    r"time|uchar|wchar|wctype|unistd|fcntl|pthread|dlfcn|malloc|memory|process|windows|io|dirent|"
    r"sched|semaphore|poll|execinfo|getopt|alloca)\.h"
)


@dataclass(frozen=True, slots=True)
class IncludeLine:
    """One `#include` of a file: the name as written, whether in quotes, and its line from 1."""

    name: str
    quoted: bool
    line: int


@dataclass(slots=True)
class IncludePaths:
    """The include folders of one tree, and what was found out while resolving.

    `files` are all paths of the tree, `real` finds a file behind links to folders. `lower` tells
    which candidates are second choice (other people's code).
    """

    files: frozenset[PurePosixPath]
    folders: list[PurePosixPath]
    real: Callable[[str], PurePosixPath | None]
    lower: Callable[[PurePosixPath], bool]
    same: Callable[[PurePosixPath, PurePosixPath], bool]
    by_name: Mapping[str, Sequence[PurePosixPath]] = field(default_factory=dict)
    warnings: dict[str, None] = field(default_factory=dict)


def include_lines(text: str) -> tuple[IncludeLine, ...]:
    """Return the includes of a text in order, under whatever condition they stand.

    Includes of a macro are left out: their name is known to the compiler only.
    """
    # Includes stand at the head of a file: nothing after the last that looks like one is scanned.
    last = max((hit.end() for hit in _LOOKS_LIKE.finditer(text)), default=0)
    found: list[IncludeLine] = []
    line, at = 1, 0
    for hit in _DIRECTIVE.finditer(text, 0, last):
        if hit["include"] is None:
            continue
        line += text.count("\n", at, hit.start())
        at = hit.start()
        quoted = hit["quoted"] is not None
        name = hit["quoted"] if quoted else hit["angled"]
        if name.strip():
            found.append(IncludeLine(name, quoted, line))
    return tuple(found)


def resolve(
    paths: IncludePaths, includer: PurePosixPath, include: IncludeLine
) -> PurePosixPath | None:
    """Return the file of the tree that an include means, None when it means none.

    Adds an include folder where only that makes a name resolve, and a warning where two folders
    could be meant or where a name of the project's own is nowhere.
    """
    if include.quoted:
        beside = _at(paths, includer.parent, include.name)
        if beside is not None:
            return beside
    hits = [hit for folder in paths.folders if (hit := _at(paths, folder, include.name))]
    if hits:
        others = [hit for hit in hits[1:] if not paths.same(hit, hits[0])]
        if others:
            _warn_ambiguous(paths, includer, include, [hits[0], *others])
        return hits[0]
    return _inferred(paths, includer, include)


def _at(paths: IncludePaths, folder: PurePosixPath, name: str) -> PurePosixPath | None:
    text = posixpath.normpath(posixpath.join(folder.as_posix(), name))
    path = PurePosixPath(text)
    return path if path in paths.files else paths.real(text)


def _inferred(
    paths: IncludePaths, includer: PurePosixPath, include: IncludeLine
) -> PurePosixPath | None:
    name = PurePosixPath(posixpath.normpath(include.name))
    outside = is_outside(include.name)
    candidates = [
        path
        for path in paths.by_name.get(name.name, ())
        if path.parts[-len(name.parts) :] == name.parts and ".." not in name.parts
    ]
    if outside or (not include.quoted and not name.suffix):
        # A vendored copy of CUDA's headers takes their place only where the project says so.
        candidates = [path for path in candidates if include.quoted and not paths.lower(path)]
    if not candidates:
        if include.quoted and not outside:
            _warn(paths, includer, include, "is in no folder of the tree")
        return None
    best = min(candidates, key=lambda path: _distance(paths, includer, path))
    others = [path for path in candidates if path != best and not paths.same(path, best)]
    if others and not paths.lower(best):
        others = [path for path in others if not paths.lower(path)]
    if others:
        _warn_ambiguous(paths, includer, include, [best, *others])
    folder = PurePosixPath(*best.parts[: -len(name.parts)])
    if folder not in paths.folders:
        paths.folders.append(folder)
    return best


def is_outside(name: str) -> bool:
    """Say whether a header's name is one of CUDA, HIP, PyTorch, Python or the system."""
    first, _, rest = name.partition("/")
    return first in _OUTSIDE_FOLDERS if rest else _OUTSIDE_NAMES.fullmatch(name) is not None


def _distance(
    paths: IncludePaths, includer: PurePosixPath, path: PurePosixPath
) -> tuple[bool, int, tuple[str, ...]]:
    """Order candidates: the project's own first, then the fewest steps from the includer."""
    shared = 0
    for a, b in zip(includer.parent.parts, path.parent.parts, strict=False):
        if a != b:
            break
        shared += 1
    steps = len(includer.parent.parts) + len(path.parent.parts) - 2 * shared
    return paths.lower(path), steps, path.parts


def _warn(paths: IncludePaths, includer: PurePosixPath, include: IncludeLine, said: str) -> None:
    quotes = '""' if include.quoted else "<>"
    shown = f"{quotes[0]}{include.name}{quotes[1]}"
    paths.warnings[f"{includer}:{include.line}: {shown} {said}"] = None


def _warn_ambiguous(
    paths: IncludePaths,
    includer: PurePosixPath,
    include: IncludeLine,
    hits: Iterable[PurePosixPath],
) -> None:
    first, *others = hits
    more = ", ".join(map(str, others[:3])) + (", …" if len(others) > 3 else "")
    _warn(
        paths,
        includer,
        include,
        f"is taken to be {first}, but could be {more}: order them by include-dirs",
    )


def real_file(root: Path, files: frozenset[PurePosixPath]) -> Callable[[str], PurePosixPath | None]:
    """Return a look-up of files that are reached through links to folders of the tree."""

    @cache
    def find(text: str) -> PurePosixPath | None:
        if text.startswith(("..", "/")) or "\0" in text:
            return None
        try:
            place = (root / text).resolve(strict=True)
            path = PurePosixPath(place.relative_to(root).as_posix())
        except (OSError, RuntimeError, ValueError):
            return None
        return path if path in files else None

    return find
