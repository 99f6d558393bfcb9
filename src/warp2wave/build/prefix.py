"""Which third-party headers a translation unit reads before any code of its own.

Read from the compiler's own preprocessed output, not guessed from the source. Two questions are
answered: which headers could be precompiled for this unit (`leading_headers`), and whether a given
precompiled header changes nothing for it (`own_text`, compared by `pch.py`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_MARKER = re.compile(rb'# \d+ "((?:[^"\\]|\\.)*)"((?: [1-4])*)\s*$')
_PSEUDO = (b"<built-in>", b"<command line>")
# Ends of the headers that pull in nearly everything else of PyTorch, the larger one first. A unit
# that includes <torch/torch.h> reads the same text as one that includes <torch/extension.h>, so
# both can share what is precompiled.
_HEAVY = (b"/torch/extension.h", b"/torch/all.h")
_UMBRELLAS = ("torch/torch.h", "torch/all.h")
# What clang includes by itself, before the command line's own.
_IMPLICIT = b"/__clang_hip_runtime_wrapper.h"
_COMPAT = b"gpu_compat/"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of preprocessed text with the file it came from; or, without text, the entry to it.

    `nested` is true inside headers of others: whatever is entered there is not the tree's choice,
    not even where it comes by way of gpu_compat/, which stands first on the include path.
    """

    file: bytes
    text: bytes
    nested: bool


def lines_of(preprocessed: bytes) -> Iterator[Line]:
    """Walk through preprocessed text: entries into files, and lines that hold something."""
    stack: list[bytes] = []
    foreign = 0  # how many of the stack are others' headers
    for raw in preprocessed.split(b"\n"):
        if raw.startswith(b"# "):
            marker = _MARKER.match(raw)
            if marker is not None:
                name, flags = marker.group(1), marker.group(2).split()
                if b"1" in flags:
                    yield Line(name, b"", foreign > 0)
                    stack.append(name)
                    foreign += _is_foreign(name)
                elif b"2" in flags and len(stack) > 1:
                    foreign -= _is_foreign(stack.pop()) + _is_foreign(stack[-1])
                    stack[-1] = name
                    foreign += _is_foreign(name)
                elif not stack:
                    stack.append(name)
                continue
        text = raw.strip()
        if text:
            yield Line(stack[-1] if stack else b"", text, foreign > 0)


def own_text(preprocessed: bytes) -> bytes:
    """The text without line markers, blank lines and whatever stands in gpu_compat/.

    gpu_compat's own declarations may stand before or after the headers: its macros are off while
    those are read, and they name nothing of it.
    """
    return b"\n".join(
        line.text for line in lines_of(preprocessed) if line.text and not _is_compat(line.file)
    )


def leading_headers(preprocessed: bytes, search_dirs: Sequence[str]) -> tuple[str, ...]:
    """The third-party headers read before the unit's first own text, as one would include them.

    The tree's files have relative names, all others absolute ones. The list ends with PyTorch's
    largest header, so that units that go on differently share it. Headers found in no folder of
    `search_dirs` end the list.
    """
    found: list[str] = []
    ending = False
    for line in lines_of(preprocessed):
        if line.text:
            own = _is_own(line.file) and not _is_compat(line.file)
            if own and not line.text.startswith(b"#pragma"):
                break
            continue
        if not _is_foreign(line.file) or line.file.endswith(_IMPLICIT):
            continue
        if not line.nested and ending:
            break
        heavy = next((end for end in _HEAVY if line.file.endswith(end)), None)
        if line.nested and heavy is None:
            continue
        spelled = spelling(line.file, search_dirs)
        if spelled is None:
            break
        if line.nested and found and found[-1] in _UMBRELLAS:
            found.pop()
        found.append(spelled)
        if heavy == _HEAVY[0]:
            break
        ending = ending or heavy is not None
    return tuple(found)


def _is_own(name: bytes) -> bool:
    """A file of the tree has a relative name."""
    return bool(name) and name not in _PSEUDO and not name.startswith(b"/")


def _is_foreign(name: bytes) -> bool:
    """A header of others has an absolute name."""
    return name.startswith(b"/")


def _is_compat(name: bytes) -> bool:
    return name.removeprefix(b"./").startswith(_COMPAT)


def spelling(file: bytes, search_dirs: Sequence[str]) -> str | None:
    """How to include a file so that the search finds just this one; None if it cannot be found."""
    path = file.decode("utf-8", "surrogateescape").replace("\\\\", "\\").replace('\\"', '"')
    path = os.path.normpath(path)
    names: list[str] = []
    for folder in search_dirs:
        if path.startswith(f"{folder}/"):
            name = path[len(folder) + 1 :]
            first = next((d for d in search_dirs if Path(d, name).exists()), None)
            if first == folder and not any(c in name for c in '<>"\n'):
                names.append(name)
    return min(names, key=len, default=None)
