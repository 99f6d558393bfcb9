"""A project's settings: `[tool.warp2wave]` of pyproject.toml, or a file warp2wave.toml."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import Any

from warp2wave.errors import UsageError
from warp2wave.tree import matcher, open_root, reason_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OWN_FILE = "warp2wave.toml"
SHARED_FILE = "pyproject.toml"


@dataclass(frozen=True, slots=True)
class Config:
    """What a project may set; everything has a default, so no file is needed.

    `name`: what to call it ("": found out). `sources`: globs of the device translation units,
    instead of those found. `exclude`: globs of files and folders to leave alone. `include_dirs`:
    folders that come first on the include path, in order. `defines`: NAME or NAME=VALUE.
    `native_waves`: globs of files that opt in to the wave's own width (64 lanes on CDNA).
    `hip_archs`, `cuda_archs`: what to build for when no target is named (gfx90a, sm_90).
    `select`, `ignore`: codes of rules, or their beginnings. `per_file_ignores`: pairs of a glob and
    the codes that are silent in the files it matches; written as a table.
    Paths and globs (see `tree.matcher`) are relative to the root.
    """

    name: str = ""
    sources: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    native_waves: tuple[str, ...] = ()
    hip_archs: tuple[str, ...] = ()
    cuda_archs: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()


_KEYS = {field.name.replace("_", "-"): field.name for field in fields(Config)}
_WRITTEN_AS = {
    "defines": (re.compile(r"[A-Za-z_]\w*(=.*)?", re.DOTALL), "NAME or NAME=VALUE"),
    "hip_archs": (re.compile(r"gfx[0-9a-f]{3,4}(:\w+[+-])*"), "an architecture such as gfx90a"),
    "select": (re.compile(r"[Ww]2[Ww]\d{0,3}|[a-z0-9]+(-[a-z0-9]+)+"), "a code or name of a rule"),
    "ignore": (re.compile(r"[Ww]2[Ww]\d{0,3}|[a-z0-9]+(-[a-z0-9]+)+"), "a code or name of a rule"),
    "cuda_archs": (re.compile(r"sm_\d{2,3}[a-z]?"), "an architecture such as sm_90"),
}


def load_config(root: Path) -> Config:
    """Read the settings of the project at `root`; the defaults when it has none.

    Raises UsageError that names the file and the line or the key: for TOML that cannot be read, an
    unknown key (with the nearest known one), a value of the wrong type, and settings in both files.
    """
    top = open_root(root)
    own = _read_toml(top / OWN_FILE)
    tool = _read_toml(top / SHARED_FILE).get("tool", {})
    shared = tool.get("warp2wave", {}) if isinstance(tool, dict) else {}
    if own and shared:
        raise UsageError(f"settings in both {OWN_FILE} and {SHARED_FILE}; keep one")
    where = OWN_FILE if own else f"{SHARED_FILE}, [tool.warp2wave]"
    return _checked(own or shared, where)


def project_name(root: Path) -> str:
    """Return the name that pyproject.toml gives the package, "" when it gives none."""
    project = _read_toml(root / SHARED_FILE).get("project", {})
    name = project.get("name", "") if isinstance(project, dict) else ""
    return name if isinstance(name, str) else ""


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UsageError(f"{path.name}: cannot be read: {reason_of(error)}") from None
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path.name}: line {line}: not UTF-8") from None
    except (ValueError, RecursionError) as error:
        last = data.rstrip().count(b"\n") + 1
        said = str(error).replace("at end of document", f"at the end, line {last}")
        raise UsageError(f"{path.name}: {said}") from None


def _checked(table: object, where: str) -> Config:
    if not isinstance(table, Mapping):
        raise UsageError(f"{where}: not a table")
    values: dict[str, Any] = {}
    for key, value in table.items():
        field = _KEYS.get(key.replace("_", "-"))
        if field is None:
            near = get_close_matches(key.replace("_", "-"), _KEYS, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; known are {', '.join(_KEYS)}"
            raise UsageError(f"{where}: unknown key {key}{hint}")
        if field in values:
            raise UsageError(f"{where}: {key} is set twice")
        if field == "name":
            if not isinstance(value, str):
                raise UsageError(f"{where}: {key} must be a string")
            values[field] = value
            continue
        if field == "per_file_ignores":
            values[field] = _per_file(value, f"{where}: {key}")
            continue
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise UsageError(f"{where}: {key} must be a list of strings")
        for item in value:
            _check_item(field, item, f"{where}: {key}")
        values[field] = tuple(value)
    return Config(**values)


def _per_file(value: object, where: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, Mapping):
        raise UsageError(f"{where} must be a table of globs, each with a list of codes")
    found: list[tuple[str, tuple[str, ...]]] = []
    for glob, codes in value.items():
        if not isinstance(codes, list) or not all(isinstance(code, str) for code in codes):
            raise UsageError(f"{where}: {glob}: must be a list of codes")
        _check_item("paths", glob, where)
        for code in codes:
            _check_item("ignore", code, f"{where}: {glob}")
        found.append((glob, tuple(codes)))
    return tuple(found)


def _check_item(field: str, item: str, where: str) -> None:
    if field in _WRITTEN_AS:
        regex, wanted = _WRITTEN_AS[field]
        if not regex.fullmatch(item):
            raise UsageError(f"{where}: {item!r} is not {wanted}")
        return
    path = PurePosixPath(item)
    if path.is_absolute() or ".." in path.parts or not item or "\0" in item:
        raise UsageError(f"{where}: {item!r} is no path inside the project")
    try:
        matcher([item])
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None
