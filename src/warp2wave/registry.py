"""Fetch source distributions and wheels from the package index that pip is configured with.

Nothing of a package is run, not even to learn its metadata: a file is found by its name,
downloaded, checked against its hash and put into a cache under that hash.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion, Version

from warp2wave import archives
from warp2wave.errors import UsageError
from warp2wave.package_index import ATTEMPTS, find_files, http_errors, open_index, pause
from warp2wave.pip_settings import PipSettings, read_pip_settings

if TYPE_CHECKING:
    from unearth import Link, Package

Progress = Callable[[int, "int | None"], None]

# Wheel platforms of a Linux on x86-64 with glibc up to 2.40, best first (PEP 600).
LINUX_X86_64 = (
    *(f"manylinux_2_{minor}_x86_64" for minor in range(40, 16, -1)),
    "manylinux2014_x86_64",
    *(f"manylinux_2_{minor}_x86_64" for minor in range(16, 11, -1)),
    "manylinux2010_x86_64",
    *(f"manylinux_2_{minor}_x86_64" for minor in range(11, 4, -1)),
    "manylinux1_x86_64",
    "linux_x86_64",
)
_STRONG = ("sha256", "sha512", "sha384")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """One file to find: a source distribution, or a wheel for `python` and `platforms`."""

    name: str
    version: str
    wheel: bool
    sha256: str
    python: tuple[int, int] = (3, 11)
    platforms: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return f"{self.name}=={self.version}"


def fetch_sdist(
    spec: str,
    cache_dir: Path,
    sha256: str | None = None,
    *,
    progress: Progress | None = None,
    settings: PipSettings | None = None,
) -> Path:
    """Return the source distribution that `spec` ("NAME==VERSION") names, from cache or index.

    The index must give a SHA-2 hash of it; a pin (`sha256`, or `spec` ending in "#sha256=…") must
    match as well, and stands in where the index gives none. `progress` is called with the bytes so
    far and in all (None: unknown). Raises UsageError in one line: a bad spec, no such package,
    version or source distribution, a hash that is missing or wrong, no connection.
    """
    spec, _, fragment = spec.partition("#")
    if fragment and not fragment.startswith("sha256="):
        raise UsageError(f"{fragment}: only sha256=… may follow the #")
    name, version = parse_spec(spec)
    pin = _checked_pin(sha256 or fragment.removeprefix("sha256="))
    return _fetch(_Wanted(name, version, False, pin), cache_dir, progress, settings)


def fetch_wheel(
    name: str,
    version: str,
    *,
    cache_dir: Path,
    sha256: str | None = None,
    python: tuple[int, int] = (3, 11),
    platforms: Sequence[str] = LINUX_X86_64,
    progress: Progress | None = None,
    settings: PipSettings | None = None,
) -> Path:
    """Return a wheel of exactly this version, for `python` and `platforms`, whatever runs us.

    Hashes, `progress` and errors are as for `fetch_sdist`.
    """
    name, version = parse_spec(f"{name}=={version}")
    wanted = _Wanted(name, version, True, _checked_pin(sha256), python, tuple(platforms))
    return _fetch(wanted, cache_dir, progress, settings)


def extract(wheel: Path, prefix: str, destination: Path) -> int:
    """Extract the files of a wheel below `prefix` into `destination`; return how many.

    Only these are decompressed. Raises UsageError for a damaged or unsafe wheel.
    """
    return archives.extract_below(wheel, prefix, destination)


def parse_spec(spec: str) -> tuple[str, str]:
    """Split "NAME==VERSION"; UsageError for anything else."""
    try:
        requirement = Requirement(spec)
        only = list(requirement.specifier)
        plain = not (requirement.extras or requirement.marker or requirement.url)
        if plain and len(only) == 1 and only[0].operator == "==":
            Version(only[0].version)
            return requirement.name, only[0].version
    except (InvalidRequirement, InvalidVersion):
        pass
    raise UsageError(f"{spec!r}: write NAME==VERSION, as in torch-scatter==2.1.2")


def _checked_pin(pin: str | None) -> str:
    if pin and not re.fullmatch(r"[0-9a-fA-F]{64}", pin):
        raise UsageError(f"{pin!r} is no SHA-256 (64 hexadecimal digits)")
    return (pin or "").lower()


def _fetch(
    wanted: _Wanted, cache_dir: Path, progress: Progress | None, settings: PipSettings | None
) -> Path:
    settings = settings or read_pip_settings()
    record = cache_dir / "known" / f"{_key(wanted, settings)}.json"
    known = _recalled(record, wanted, cache_dir)
    if known is not None:
        return known
    with open_index(settings) as session:
        packages, troubles = find_files(wanted.name, settings, session)
        package = _chosen(wanted, packages, troubles)
        path, sha256 = _downloaded(wanted, package.link, cache_dir, session, progress)
    if package.link.is_yanked:
        _log.warning("%s was withdrawn by its authors: %s", wanted.title, package.link.yank_reason)
    record.parent.mkdir(parents=True, exist_ok=True)
    temporary = record.with_suffix(f".{os.getpid()}")
    temporary.write_text(json.dumps({"file": path.name, "sha256": sha256}), encoding="ascii")
    temporary.replace(record)
    return path


def _key(wanted: _Wanted, settings: PipSettings) -> str:
    """Name a search: the same file may be another one at another index."""
    parts = [wanted, settings.index, settings.extra_indexes, settings.find_links]
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _recalled(record: Path, wanted: _Wanted, cache_dir: Path) -> Path | None:
    """Return the file that an earlier, equal search found, if it is still whole."""
    if wanted.sha256:
        for path in (cache_dir / wanted.sha256).glob("*"):
            if _file_hash(path) == wanted.sha256:
                return path
        return None
    try:
        known = json.loads(record.read_bytes())
        path = cache_dir / str(known["sha256"]) / Path(str(known["file"])).name
        if _file_hash(path) == known["sha256"]:
            return path
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


def _file_hash(path: Path, name: str = "sha256") -> str:
    hasher = hashlib.new(name)
    with path.open("rb") as stream:
        while chunk := stream.read(1024 * 1024):
            hasher.update(chunk)
    return hasher.hexdigest()


def _chosen(wanted: _Wanted, packages: Sequence[Package], troubles: Sequence[str]) -> Package:
    """Pick the file to download; UsageError says which step found nothing."""
    version = Version(wanted.version)
    kind = "wheel" if wanted.wheel else "source distribution"
    if not packages and troubles:
        raise UsageError(f"{wanted.title}: no package index answers: {troubles[0]}")
    if not packages:
        raise UsageError(
            f"{wanted.name}: no such package in the index that pip uses; check the spelling"
        )
    of_version = [item for item in packages if Version(item.version or "0") == version]
    if not of_version:
        newest = sorted({Version(item.version or "0") for item in packages}, reverse=True)
        shown = ", ".join(map(str, newest[:5])) + (", …" if len(newest) > 5 else "")
        raise UsageError(f"{wanted.title}: no such version; there are {shown}")
    fitting = [item for item in of_version if item.link.is_wheel == wanted.wheel]
    if wanted.wheel:
        fitting = _for_platform(wanted, fitting)
    if not fitting:
        raise UsageError(f"{wanted.title}: has no {kind}" + (" for this platform" * wanted.wheel))
    trusted = [item for item in fitting if wanted.sha256 or _strong_hash(item.link)]
    if not trusted:
        raise UsageError(
            f"{wanted.title}: the index gives no hash to check the download by; "
            f"pass its SHA-256 (NAME==VERSION#sha256=…)"
        )
    if wanted.sha256:
        hashes = [_strong_hash(item.link) for item in trusted]
        exact = [i for i, h in zip(trusted, hashes, strict=True) if h == ("sha256", wanted.sha256)]
        unknown = [i for i, h in zip(trusted, hashes, strict=True) if h is None or h[0] != "sha256"]
        trusted = exact or unknown
        if not trusted:
            raise UsageError(f"{wanted.title}: the index has other files than the pinned one")
    # PEP 592: a withdrawn file only where nothing else fits the exact version asked for.
    kept = [item for item in trusted if not item.link.is_yanked] or trusted
    gzipped = [item for item in kept if item.link.filename.endswith((".tar.gz", ".whl"))]
    return (gzipped or kept)[0]


def _for_platform(wanted: _Wanted, wheels: Sequence[Package]) -> list[Package]:
    """Keep the wheels that the wanted Python and platforms can use, best first."""
    from packaging.utils import parse_wheel_filename
    from unearth import TargetPython

    target = TargetPython(py_ver=wanted.python, platforms=list(wanted.platforms), impl="cp")
    rank = {tag: number for number, tag in enumerate(target.supported_tags())}
    ranked: list[tuple[int, int, Package]] = []
    for number, item in enumerate(wheels):
        tags = parse_wheel_filename(item.link.filename)[3]
        best = min((rank[tag] for tag in tags if tag in rank), default=None)
        if best is not None:
            ranked.append((best, number, item))
    return [item for _, _, item in sorted(ranked, key=lambda entry: entry[:2])]


def _strong_hash(link: Link) -> tuple[str, str] | None:
    """Return the strongest usable hash (name, value) that the index gives of a file."""
    given = link.hash_option or {}
    return next(((name, given[name][0].lower()) for name in _STRONG if given.get(name)), None)


def _downloaded(
    wanted: _Wanted, link: Link, cache_dir: Path, session: Any, progress: Progress | None
) -> tuple[Path, str]:
    """Download a file, check its hashes, and return its place in the cache and its SHA-256."""
    from unearth import PackageFinder
    from unearth.errors import UnpackError, URLError

    def report(link: Link, completed: int, total: int | None) -> None:  # noqa: ARG001
        if progress is not None:
            progress(completed, total)

    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".download-", dir=cache_dir) as scratch:
            finder = PackageFinder(session)
            for attempt in range(ATTEMPTS):
                # A folder for each try: what broke off must not pass for what was asked for.
                part = Path(scratch) / str(attempt)
                try:
                    path = finder.download(link, part, hashes={}, download_reporter=report)
                    break
                except http_errors() as error:
                    if attempt == ATTEMPTS - 1:
                        raise UsageError(f"{wanted.title}: download failed: {error}") from None
                    pause(attempt)
            sha256 = _file_hash(path)
            _check(wanted, link, path, sha256)
            place = cache_dir / sha256 / link.filename
            place.parent.mkdir(exist_ok=True)
            if path.parent != part:  # a local file, which stays where it is
                path = Path(shutil.copy2(path, Path(scratch) / link.filename))
            path.replace(place)
            return place, sha256
    except (UnpackError, URLError) as error:
        raise UsageError(f"{wanted.title}: {str(error).splitlines()[0]}") from None
    except OSError as error:
        raise UsageError(f"{wanted.title}: cannot be put into {cache_dir}: {error}") from None


def _check(wanted: _Wanted, link: Link, path: Path, sha256: str) -> None:
    given = _strong_hash(link)
    if given is not None and _file_hash(path, given[0]) != given[1]:
        raise UsageError(f"{wanted.title}: what came does not match the index's {given[0]} hash")
    if wanted.sha256 and sha256 != wanted.sha256:
        raise UsageError(f"{wanted.title}: what came does not match the pinned SHA-256")
