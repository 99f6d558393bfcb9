"""Read from a project's build files how it compiles: sources, include folders, (un)defines.

Python scripts are read as syntax (`script_values`), CMake files line by line. Nothing is run. Read
are literals, `os.path` and `pathlib` expressions, globs, variables, lists that grow, and the
branches of a CUDA build on Linux. Not read: functions with arguments, values computed at run time,
toolchain files, generator expressions, CMake's own conditions (both branches count) and defines.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from warp2wave.script_calls import UNKNOWN
from warp2wave.script_values import ScriptValues, dotted

_EXTENSION = re.compile(r"(?:^|\.|_)(?:\w*Extension|cuda_extension|load|load_inline)$")
_DEFINE = re.compile(r"-D\s*([A-Za-z_]\w*(?:=.*)?)", re.DOTALL)
_UNDEFINE = re.compile(r"-U\s*([A-Za-z_]\w*)")
_CMAKE_COMMAND = re.compile(
    r"(?i)\b(set|include_directories|target_include_directories)\s*\(([^()]*)\)"
)
_CMAKE_ARGUMENT = re.compile(r'"([^"]*)"|([^\s";]+)')
_CMAKE_HERE = (
    "CMAKE_CURRENT_SOURCE_DIR",
    "PROJECT_SOURCE_DIR",
    "CMAKE_SOURCE_DIR",
    "CMAKE_CURRENT_LIST_DIR",
)
_CMAKE_WORDS = frozenset(
    {"PUBLIC", "PRIVATE", "INTERFACE", "SYSTEM", "BEFORE", "AFTER", "CACHE", "PARENT_SCOPE"}
)


@dataclass(frozen=True, slots=True)
class BuildReading:
    """What one build file says. Paths are relative to its folder, normalised, in its order.

    `extensions` tells that it makes some. `sources` are of all of them together; `complete` tells
    that none of these was out of reach. `unread` names the parts that could not be told.
    """

    name: str = ""
    extensions: bool = False
    sources: tuple[str, ...] = ()
    complete: bool = False
    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


def read_script(text: str, script: str, files: Sequence[str]) -> BuildReading:
    """Read a build script in Python.

    `script` is its name in its folder, `files` the tree's files relative to that folder. A script
    that is not Python (of this version) gives an empty reading with `unread` saying so.
    """
    try:
        module = ast.parse(text.encode("utf-8", "surrogateescape"))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        said = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
        return BuildReading(unread=(f"not read as Python: {said}",))
    script_values = ScriptValues(module, script, files)
    name, sources, includes, defines = "", [], [], []
    undefines: list[str] = []
    unread: dict[str, None] = {}
    complete = True
    found = False
    for call in script_values.calls:
        keywords = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        function = dotted(call.func).rpartition(".")[2]
        if function == "setup":
            names = script_values.values(keywords.get("name"))
            name = name or next((value for value in names if isinstance(value, str)), "")
        if not _is_extension(call, keywords):
            continue
        found = True
        listed = keywords.get("sources", call.args[1] if len(call.args) > 1 else None)
        of_sources = _paths(script_values.elements(listed))
        complete = complete and UNKNOWN not in of_sources
        sources += of_sources
        for key in ("include_dirs", "extra_include_paths"):
            if key in keywords:
                includes += _paths(script_values.elements(keywords[key]))
        if "define_macros" in keywords:
            defines += _macros(script_values.elements(keywords["define_macros"]))
        if "undef_macros" in keywords:
            undefines += _texts(script_values.elements(keywords["undef_macros"]))
        flags: list[Any] = []
        for key in ("extra_compile_args", "extra_cuda_cflags"):
            if key in keywords:
                flags += _device_flags(script_values.values(keywords[key]))
        defines += (hit[1] for flag in _texts(flags) if (hit := _DEFINE.fullmatch(flag)))
        undefines += (hit[1] for flag in _texts(flags) if (hit := _UNDEFINE.fullmatch(flag)))
        includes += _paths([flag[2:].strip() for flag in _texts(flags) if flag.startswith("-I")])
        for what, values in (
            ("sources", of_sources),
            ("include folders", includes),
            ("defines", defines),
        ):
            if UNKNOWN in values:
                unread[f"some {what}"] = None
    return BuildReading(
        name,
        found,
        tuple(dict.fromkeys(_texts(sources))),
        found and complete,
        tuple(dict.fromkeys(_texts(includes))),
        tuple(dict.fromkeys(_texts(defines))),
        tuple(dict.fromkeys(undefines)),
        tuple(unread),
    )


def read_cmake(text: str) -> BuildReading:
    """Read the include folders that a CMakeLists.txt gives to its targets."""
    variables = dict.fromkeys(_CMAKE_HERE, ".")
    includes: list[str] = []
    for command, body in _CMAKE_COMMAND.findall(re.sub(r"#[^\n]*", "", text)):
        words = [
            _expanded(quoted or bare, variables) for quoted, bare in _CMAKE_ARGUMENT.findall(body)
        ]
        if command.lower() == "set":
            if len(words) == 2:
                variables[words[0]] = words[1]
            continue
        if command.lower() == "target_include_directories":
            words = words[1:]
        includes += (
            posixpath.normpath(word)
            for word in words
            if word not in _CMAKE_WORDS and "$" not in word
        )
    return BuildReading(include_dirs=tuple(dict.fromkeys(includes)))


def _expanded(word: str, variables: dict[str, str]) -> str:
    return re.sub(r"\$\{(\w+)\}", lambda hit: variables.get(hit[1], hit[0]), word)


def _is_extension(call: ast.Call, keywords: Iterable[str]) -> bool:
    """Say whether a call makes an extension: by its name, or by what it is given.

    `(CUDAExtension if cuda else CppExtension)(…)` has no name.
    """
    if "sources" in keywords and not {
        "include_dirs",
        "extra_compile_args",
        "define_macros",
        "name",
    }.isdisjoint(keywords):
        return True
    function = dotted(call.func)
    by_name = _EXTENSION.search(function) is not None
    return by_name and ("sources" in keywords or len(call.args) > 1)


def _texts(values: Iterable[Any]) -> Iterator[str]:
    return (value for value in values if isinstance(value, str))


def _paths(values: Iterable[Any]) -> list[Any]:
    return [posixpath.normpath(v) if isinstance(v, str) and v else UNKNOWN for v in values]


def _macros(values: Iterable[Any]) -> list[Any]:
    """Turn distutils' (name, value) pairs, value None for a bare define, into NAME[=VALUE]."""
    found: list[Any] = []
    for value in values:
        if isinstance(value, list) and len(value) == 2 and isinstance(value[0], str):
            if value[1] is None:
                found.append(value[0])
            elif isinstance(value[1], (str, int)):
                found.append(f"{value[0]}={value[1]}")
            else:
                found.append(UNKNOWN)
        else:
            found.append(UNKNOWN)
    return found


def _device_flags(values: Iterable[Any]) -> list[Any]:
    """Return the flags that reach nvcc: a list is for every compiler, a dict has them by name."""
    found: list[Any] = []
    for value in values:
        flags = value.get("nvcc", []) if isinstance(value, dict) else value
        found += flags if isinstance(flags, list) else [UNKNOWN]
    return found
