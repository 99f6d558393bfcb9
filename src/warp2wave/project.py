"""Read a project: which texts it has, which of them are compiled, and with what on the path.

Nothing of the tree is executed. Other people's code (`third_party`) is read only as far as the
project's own files include it. Device translation units are the `.cu` files outside of it that no
other file includes; where a build script's list of sources could be read whole, those that it
lists. The configuration overrides both.
"""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from warp2wave.build_files import BuildReading, read_cmake, read_script
from warp2wave.config import Config, project_name
from warp2wave.include_paths import IncludePaths, include_lines, real_file, resolve
from warp2wave.model import Project, SkippedFile, SourceFile
from warp2wave.third_party import ThirdParty, find_third_party
from warp2wave.tree import (
    Tree,
    decode,
    digest,
    matcher,
    read_bytes,
    read_source,
    walk,
)

_DEVICE_SUFFIX = ".cu"
_LARGEST_SCRIPT = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ProjectReading:
    """A project, and what a person should look at because it could not be told for sure."""

    project: Project
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Build:
    """The build files of a tree: each with the folder it stands in."""

    readings: tuple[tuple[PurePosixPath, BuildReading], ...]
    warnings: tuple[str, ...]


def read_project(root: str | Path, config: Config | None = None) -> ProjectReading:
    """Read the project at `root`.

    Include folders come in this order: the configuration's, those of build scripts, of CMake files,
    and those inferred from includes that resolve nowhere else. Raises UsageError when `root` is no
    readable folder or its pyproject.toml is no TOML.
    """
    config = config or Config()
    tree = walk(root, config.exclude)
    others = find_third_party(tree)
    build = _read_build(tree, others)
    warnings = dict.fromkeys(build.warnings)
    everything = frozenset((*tree.sources, *tree.others))
    folders = _include_folders(tree, config, build, warnings)
    paths = _include_paths(tree, everything, folders, others)
    listed = _listed_sources(build)
    files, skipped, included = _read_closure(tree, paths, others, listed)
    warnings |= paths.warnings
    sources = (
        _configured_sources(tree, config, files, warnings)
        if config.sources
        else _device_sources(others, listed, files, included, warnings)
    )
    defines = _defines(config, build, warnings)
    scripts = [reading.name for folder, reading in build.readings if not folder.parts]
    names = (config.name, project_name(tree.root), *scripts)
    project = Project(
        next((name for name in names if name), tree.root.name or "project"),
        tuple(files[path] for path in sorted(files, key=_order)),
        tuple(sorted((*tree.skipped, *skipped), key=lambda skip: _order(skip.path))),
        sources,
        tuple(paths.folders),
        defines,
        tuple(dict.fromkeys(name for _, reading in build.readings for name in reading.undefines)),
    )
    return ProjectReading(project, tuple(warnings))


def _order(path: PurePosixPath) -> tuple[str, ...]:
    return path.parts


def _read_build(tree: Tree, others: ThirdParty) -> _Build:
    """Read the build scripts and CMake files of the tree, outermost first."""
    readings: list[tuple[PurePosixPath, BuildReading]] = []
    cmake: list[tuple[PurePosixPath, BuildReading]] = []
    warnings: list[str] = []
    names = sorted((*tree.sources, *tree.others), key=_order)
    for path in sorted(tree.others, key=lambda path: (len(path.parts), path.name != "setup.py")):
        if path.suffix != ".py" and path.name != "CMakeLists.txt":
            continue
        if others.root_of(path) is not None:
            continue
        data = read_bytes(tree.root, path)
        if isinstance(data, SkippedFile) or len(data) > _LARGEST_SCRIPT:
            continue
        if path.name == "CMakeLists.txt":
            cmake.append((path.parent, read_cmake(decode(data))))
        elif path.name == "setup.py" or b"cpp_extension" in data:
            depth = len(path.parent.parts)
            below = [
                "/".join(name.parts[depth:])
                for name in names
                if name.parts[:depth] == path.parent.parts
            ]
            reading = read_script(decode(data), path.name, below)
            readings.append((path.parent, reading))
            warnings += (f"{path}: {what}: could not be told" for what in reading.unread)
    return _Build((*readings, *cmake), tuple(warnings))


def _include_folders(
    tree: Tree, config: Config, build: _Build, warnings: dict[str, None]
) -> list[PurePosixPath]:
    """Return the include folders that the project names, those that the tree has."""
    there = {parent for path in (*tree.sources, *tree.others) for parent in path.parents}
    found: list[PurePosixPath] = []
    for name in config.include_dirs:
        if PurePosixPath(name) in there:
            found.append(PurePosixPath(name))
        else:
            warnings[f"include-dirs: there is no folder {name} with files in it"] = None
    for folder, reading in build.readings:
        for name in reading.include_dirs:
            path = PurePosixPath(posixpath.normpath(posixpath.join(folder.as_posix(), name)))
            if path in there:
                found.append(path)
    return list(dict.fromkeys(found))


def _include_paths(
    tree: Tree,
    everything: frozenset[PurePosixPath],
    folders: list[PurePosixPath],
    others: ThirdParty,
) -> IncludePaths:
    by_name: dict[str, list[PurePosixPath]] = defaultdict(list)
    for path in sorted(everything, key=_order):
        by_name[path.name].append(path)

    @cache
    def content(path: PurePosixPath) -> str:
        data = read_bytes(tree.root, path)
        return str(path) if isinstance(data, SkippedFile) else digest(data)

    has_links = any(skip.reason.startswith("link to") for skip in tree.skipped)
    return IncludePaths(
        files=everything,
        folders=folders,
        real=real_file(tree.root, everything) if has_links else lambda _: None,
        lower=lambda path: others.root_of(path) is not None,
        same=lambda one, other: one == other or content(one) == content(other),
        by_name=by_name,
    )


def _read_closure(
    tree: Tree,
    paths: IncludePaths,
    others: ThirdParty,
    listed: dict[PurePosixPath, set[PurePosixPath]],
) -> tuple[dict[PurePosixPath, SourceFile], list[SkippedFile], set[PurePosixPath]]:
    """Read the project's own sources, those it lists, and all that they include, however deep.

    Returns the texts, what could not be read, and which files others include.
    """
    files: dict[PurePosixPath, SourceFile] = {}
    skipped: dict[PurePosixPath, SkippedFile] = {}
    included: set[PurePosixPath] = set()
    named = {path for names in listed.values() for path in names}
    queue = [path for path in tree.sources if path in named or others.root_of(path) is None]
    for path in queue:
        if path in files or path in skipped:
            continue
        read = read_source(tree.root, path)
        if isinstance(read, SkippedFile):
            skipped[path] = read
            continue
        files[path] = read
        for include in include_lines(read.text):
            target = resolve(paths, path, include)
            if target is not None and target != path:
                included.add(target)
                queue.append(target)
    unread = Counter(others.root_of(path) for path in tree.sources if path not in files)
    for folder, count in unread.items():
        if folder is not None:
            reason = f"other people's code: {count} files that the project does not include"
            skipped[folder] = SkippedFile(folder, reason)
    return files, list(skipped.values()), included


def _configured_sources(
    tree: Tree,
    config: Config,
    files: dict[PurePosixPath, SourceFile],
    warnings: dict[str, None],
) -> tuple[PurePosixPath, ...]:
    """Return the files that the configuration names, reading those that nothing else needed."""
    wanted = matcher(config.sources)
    named = tuple(path for path in tree.sources if wanted(path))
    for path in named:
        if path not in files:
            read = read_source(tree.root, path)
            if isinstance(read, SourceFile):
                files[path] = read
    if not named:
        warnings[f"sources: no file matches {', '.join(config.sources)}"] = None
    return tuple(path for path in named if path in files)


def _device_sources(
    others: ThirdParty,
    listed: dict[PurePosixPath, set[PurePosixPath]],
    files: dict[PurePosixPath, SourceFile],
    included: set[PurePosixPath],
    warnings: dict[str, None],
) -> tuple[PurePosixPath, ...]:
    found: list[PurePosixPath] = []
    for path in sorted(files, key=_order):
        if path.suffix != _DEVICE_SUFFIX:
            continue
        lists = next((listed[folder] for folder in path.parents if folder in listed), None)
        if lists is not None and path in lists:
            found.append(path)
        elif path in included or others.root_of(path) is not None:
            continue
        elif lists is not None:
            warnings[f"{path}: no extension lists it, so it is not compiled"] = None
        else:
            found.append(path)
    return tuple(found)


def _listed_sources(build: _Build) -> dict[PurePosixPath, set[PurePosixPath]]:
    """Map each folder whose build scripts could be read whole to the `.cu` files they list."""
    listed: dict[PurePosixPath, set[PurePosixPath]] = {}
    partly: set[PurePosixPath] = set()
    for folder, reading in build.readings:
        if not reading.extensions:
            continue
        if not reading.complete:
            partly.add(folder)
        listed.setdefault(folder, set()).update(
            PurePosixPath(posixpath.normpath(posixpath.join(folder.as_posix(), name)))
            for name in reading.sources
            if name.endswith(_DEVICE_SUFFIX)
        )
    return {folder: names for folder, names in listed.items() if names and folder not in partly}


def _defines(config: Config, build: _Build, warnings: dict[str, None]) -> tuple[str, ...]:
    """Join all defines; the first of two that set one name differently stays."""
    found: dict[str, str] = {}
    for define in _all_defines(config, (reading for _, reading in build.readings)):
        name = define.partition("=")[0]
        if found.setdefault(name, define) != define:
            warnings[f"defined twice: {found[name]} is used, not {define}"] = None
    return tuple(found.values())


def _all_defines(config: Config, readings: Iterable[BuildReading]) -> Sequence[str]:
    return [*config.defines, *(define for reading in readings for define in reading.defines)]
