"""What well-known calls of build scripts give, worked out on values that are already known.

A value that cannot be told is UNKNOWN; a list of values are the alternatives that an expression may
have. Files are judged by the tree's own list of them; the disk and the environment are not asked.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from pathlib import PurePosixPath
from typing import Any

from warp2wave.errors import UsageError
from warp2wave.tree import matcher

MOST_ALTERNATIVES = 512
MOST_ELEMENTS = 10_000
LONGEST_TEXT = 4096


class _Unknown:
    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = _Unknown()
Values = list[Any]

# What is so in a CUDA build on Linux, started in the script's own folder.
CONSTANTS: Mapping[str, Any] = {
    "sys.platform": "linux",
    "os.name": "posix",
    "os.sep": "/",
    "os.path.sep": "/",
    "osp.sep": "/",
    "platform.system": "Linux",
    "os.getcwd": ".",
    "Path.cwd": ".",
    "pathlib.Path.cwd": ".",
}
_SAME_TYPES = frozenset({"list", "tuple", "sorted", "set", "str", "Path", "PurePath", "fspath"})
_SAME_PATHS = frozenset({"abspath", "realpath", "normpath", "expanduser"})
_SAME_METHODS = frozenset({"resolve", "absolute", "as_posix", "expanduser", "strip", "copy"})
_EXISTS = frozenset({"exists", "isfile", "isdir", "is_file", "is_dir"})


def call(name: str, arguments: Sequence[Values], files: Sequence[str]) -> Values:
    """Return what a function named `name` (dotted) may give for arguments that may be these."""
    last = name.rpartition(".")[2]
    if last in ("getenv", "environ.get") or name.endswith("environ.get"):
        # The environment is no part of the tree; what holds without it is what counts.
        return arguments[1] if len(arguments) > 1 else [None]
    if not arguments:
        return [UNKNOWN]
    first = arguments[0]
    texts = only_text(first)
    if last in _SAME_TYPES or last in _SAME_PATHS:
        return first
    if last == "join":
        return each(posixpath.join, *map(only_text, arguments))
    if last == "dirname":
        return each(posixpath.dirname, texts)
    if last == "basename":
        return each(posixpath.basename, texts)
    if last in _EXISTS:
        return each(lambda text: exists(text, files), texts)
    if last in ("glob", "iglob"):
        return [[path for text in texts for path in glob(text, files)]]
    if last in ("int", "bool"):
        make = int if last == "int" else bool
        return each(lambda value: _converted(make, value), first)
    return [UNKNOWN]


def method(name: str, base: Values, arguments: Sequence[Values], files: Sequence[str]) -> Values:
    """Return what a method of strings, paths or lists may give."""
    if name in _SAME_METHODS:
        return base
    texts = only_text(base)
    others = [only_text(values) for values in arguments]
    if name == "joinpath":
        return each(posixpath.join, texts, *others)
    if name == "join" and arguments:
        joined = [
            text.join(parts) if UNKNOWN not in parts else UNKNOWN
            for text in texts
            for parts in arguments[0]
            if isinstance(text, str) and isinstance(parts, list)
        ]
        return joined or [UNKNOWN]
    if name in ("glob", "rglob") and others:
        middle = "**/" if name == "rglob" else ""
        patterns = each(lambda a, b: posixpath.join(a, middle + b), texts, others[0])
        return [[path for text in patterns for path in glob(text, files)]]
    if name in _EXISTS:
        return each(lambda text: exists(text, files), texts)
    if name == "split":
        return each(lambda text, by: text.split(by or None), texts, others[0] if others else [""])
    if name in ("startswith", "endswith") and len(others) == 1:
        return each(str.startswith if name == "startswith" else str.endswith, texts, others[0])
    if name in ("lower", "upper"):
        return each(str.lower if name == "lower" else str.upper, texts)
    if name == "replace" and len(others) == 2:
        return each(str.replace, texts, *others)
    return [UNKNOWN]


def exists(text: str, files: Sequence[str]) -> bool:
    """Say whether the tree has this file or folder."""
    path = posixpath.normpath(text)
    return path == "." or any(name == path or name.startswith(path + "/") for name in files)


def glob(pattern: object, files: Sequence[str]) -> Iterator[Any]:
    """Yield the files that a glob names, sorted; UNKNOWN for a pattern that is."""
    if not isinstance(pattern, str):
        yield UNKNOWN
        return
    wanted = posixpath.normpath(pattern)
    try:
        # The "./" anchors a bare name, which `matcher` would find at any depth.
        fits = matcher([f"./{wanted}"])
    except UsageError:
        return
    for name in files:
        # A glob names files, where `matcher` also takes all below a folder that it names.
        deep = "**" in wanted or name.count("/") == wanted.count("/")
        if deep and fits(PurePosixPath(name)):
            yield name


def each(function: Callable[..., Any], *arguments: Values) -> Values:
    """Apply a function to every combination of values; UNKNOWN for one that holds an unknown."""
    return distinct(
        UNKNOWN if UNKNOWN in combination else function(*combination)
        for combination in islice(product(*arguments), MOST_ALTERNATIVES)
    )


def only_text(values: Values) -> Values:
    """Make every value that is no string UNKNOWN."""
    return [value if isinstance(value, str) else UNKNOWN for value in values]


def distinct(values: Iterable[Any]) -> Values:
    """Drop repeated values, keeping the order."""
    found: Values = []
    for value in values:
        if not any(type(value) is type(known) and value == known for known in found):
            found.append(value)
    return found


def merged(found: Values) -> Any:
    """Join lists into one and dicts into one; any other value stays if it is the only one."""
    known = [value for value in found if value is not UNKNOWN]
    if known and all(isinstance(value, list) for value in known):
        rest = [UNKNOWN] if len(known) < len(found) else []
        return [element for value in known for element in value] + rest
    if known and all(isinstance(value, dict) for value in known):
        whole: dict[str, Any] = {}
        for value in known:
            for key, item in value.items():
                whole[key] = merged([whole[key], item]) if key in whole else item
        return whole
    return found[0] if len(found) == 1 else UNKNOWN


def bounded(value: Any) -> Any:
    """Cut off what only a script that means harm would make."""
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return UNKNOWN
    if isinstance(value, list) and len(value) > MOST_ELEMENTS:
        return [*value[:MOST_ELEMENTS], UNKNOWN]
    return value


def truth(values: Values) -> bool | None:
    """Say whether all the values are true or all are false; None when it cannot be told."""
    truths = {None if value is UNKNOWN else bool(value) for value in values}
    return truths.pop() if len(truths) == 1 else None


def _converted(make: type, value: Any) -> Any:
    try:
        return make(value)
    except (TypeError, ValueError):
        return UNKNOWN
