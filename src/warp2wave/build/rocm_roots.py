"""ROCm roots in the cache: the HIP 6.0 and 7.1 header sets, laid out as clang wants a ROCm.

Sources: the wheel tensorflow-rocm 2.14.0.600 carries ROCm 6.0's headers, hipCUB and rocThrust
included; the wheel triton 3.9.0 carries HIP 7.1's, without fp16, bf16 and cooperative groups, so
they are laid over 6.0's hip folder. rocPRIM 6.0 is not made for HIP 7.1 (warpSize is no constant
there any more): a unit that includes it fails with that set, and says so.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from warp2wave import registry
from warp2wave.errors import UsageError

Note = Callable[[str], None]

RECIPES = {"6.0": 1, "7.1": 3}
"""Raise a set's number whenever what is laid out for it changes: it names the folder."""


@dataclass(frozen=True, slots=True)
class Wheel:
    """One pinned wheel of the package index: what it is for, its hash, its download in MB."""

    name: str
    version: str
    sha256: str
    megabytes: int
    gives: str

    def fetch(self, cache: Path, note: Note) -> Path:
        """Return the wheel, from the cache or the index; UsageError where neither has it."""

        shown = -1

        def report(done: int, total: int | None) -> None:
            nonlocal shown
            # A line a tenth: the callback comes with every few kilobytes.
            tenth = 10 * done // total if total else done // 50_000_000
            if tenth > shown:
                shown = tenth
                of = f" of {total / 1e6:.0f}" if total else ""
                note(f"{self.gives}: {self.name} {self.version}, {done / 1e6:.0f}{of} MB")

        return registry.fetch_wheel(
            self.name,
            self.version,
            cache_dir=cache / "downloads",
            sha256=self.sha256,
            progress=report,
        )


ROCM_6_0 = Wheel(
    "tensorflow-rocm",
    "2.14.0.600",
    "c9f3e6f81ea916d8a7481a3d59240867b36ead2ff5474e5ba233b2b598baf7fe",
    427,
    "ROCm 6.0 headers",
)
HIP_7_1 = Wheel(
    "triton",
    "3.9.0",
    "1622118a038b0c6e16fa4a0305da62c8b3c15904ee1cc4d4e65846a25969e41e",
    286,
    "HIP 7.1 headers",
)
HEADER_SETS = ("6.0", "7.1")

_IN_TENSORFLOW = "tensorflow/include/external/local_config_rocm/rocm/rocm/include/"
_IN_TRITON = "triton/backends/amd/include/hip/"
# Fortran bindings and a translator's own tables: 78 MB that no C++ source includes.
_UNUSED = ("hipfort", "hipify")
# What rocRAND 6.0 takes for granted and HIP 7.1 no longer has: a member of vectors to index by (the
# components lie in a row with both), and <cstring> by way of the runtime header.
_INDEX = ("m_state.result.data[m_state.substate]", "(&m_state.result.x)[m_state.substate]")
_MATH = "#include <math.h>\n"
_ROCRAND_CHANGES = {
    "rocrand_philox4x32_10.h": _INDEX,
    "rocrand_threefry2_impl.h": _INDEX,
    "rocrand_threefry4_impl.h": _INDEX,
    "rocrand_common.h": (_MATH, f"#include <cstring>\n{_MATH}"),
}
_VERSION_MACRO = re.compile(r"#define HIP_VERSION_(MAJOR|MINOR|PATCH) (\d+)")


def root_of(cache: Path, headers: str) -> Path:
    """Where the root of one header set is, or would be."""
    return cache / "rocm" / f"hip-{headers}-{RECIPES.get(headers, 0)}"


def is_ready(cache: Path, headers: str) -> bool:
    """True when the root of a header set is complete."""
    return (root_of(cache, headers) / "share" / "hip" / "version").is_file()


def prepare_root(cache: Path, headers: str, note: Note) -> Path:
    """Lay out one header set, downloading what it needs; return its root.

    Raises UsageError for a set that is none, a failed download or a wheel without the headers.
    """
    if headers not in HEADER_SETS:
        raise UsageError(f"no HIP header set {headers!r}: there are {', '.join(HEADER_SETS)}")
    root = root_of(cache, headers)
    root.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(root.parent / f"{root.name}.lock"):
        if not is_ready(cache, headers):
            base = None if headers == "6.0" else prepare_root(cache, "6.0", note)
            _lay_out(cache, root, base, note)
    return root


def _lay_out(cache: Path, root: Path, base: Path | None, note: Note) -> None:
    work = Path(tempfile.mkdtemp(prefix=".making-", dir=root.parent))
    try:
        include = work / "include"
        if base is None:
            wheel = ROCM_6_0.fetch(cache, note)
            note("ROCm 6.0 headers: unpacking")
            registry.extract(wheel, _IN_TENSORFLOW, include)
            for name in _UNUSED:
                shutil.rmtree(include / name, ignore_errors=True)
        else:
            wheel = HIP_7_1.fetch(cache, note)
            note("HIP 7.1 headers: laying them over the 6.0 set")
            # Links, not copies; what 7.1 replaces is replaced, not written through.
            shutil.copytree(base / "include", include, copy_function=_link)
            fresh = work / "fresh"
            registry.extract(wheel, _IN_TRITON, fresh)
            _lay_over(fresh, include / "hip")
            shutil.rmtree(fresh)
            _adapt_rocrand(include / "rocrand")
        _write_version(work, include / "hip" / "hip_version.h")
        (work / "amdgcn").mkdir()
        if root.exists():
            shutil.rmtree(root)
        work.rename(root)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # a file system without hard links
        shutil.copyfile(source, target)


def _lay_over(fresh: Path, over: Path) -> None:
    for source in sorted(path for path in fresh.rglob("*") if path.is_file()):
        target = over / source.relative_to(fresh)
        target.parent.mkdir(parents=True, exist_ok=True)
        source.replace(target)


def _adapt_rocrand(folder: Path) -> None:
    for name, (old, new) in _ROCRAND_CHANGES.items():
        header = folder / name
        text = header.read_text(encoding="utf-8")
        if old not in text:
            raise UsageError(f"{name} of ROCm 6.0 is not as expected: {old!r} is missing")
        header.unlink()  # a link to the 6.0 set's file, which stays as it is
        header.write_text(text.replace(old, new), encoding="utf-8")


def _write_version(root: Path, header: Path) -> None:
    """Write share/hip/version: without it clang drops its runtime wrapper without a word."""
    if not header.is_file():
        raise UsageError(f"no HIP headers in the wheel: {header.name} is missing")
    found = dict(_VERSION_MACRO.findall(header.read_text(encoding="utf-8")))
    lines = [f"HIP_VERSION_{part}={found[part]}\n" for part in ("MAJOR", "MINOR", "PATCH")]
    place = root / "share" / "hip" / "version"
    place.parent.mkdir(parents=True)
    place.write_text("".join(lines), encoding="ascii")
