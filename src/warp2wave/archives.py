"""Unpack archives that strangers made: nothing lands outside the destination, nothing runs.

The rules are those of PEP 706's data filter, and stricter where it is lenient; they are checked
here rather than by tarfile, because Python 3.10 before 3.10.12 has no filter and zip never had one.
An archive that breaks a rule is refused whole, with the member named.
"""

from __future__ import annotations

import gzip
import lzma
import os
import shutil
import stat
import tarfile
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Literal

from warp2wave.errors import UsageError

# A large sdist with vendored libraries (cutlass) has some 10,000 files and 100 MB; beyond these
# limits it is no source distribution, or a decompression bomb.
MOST_FILES = 100_000
MOST_BYTES = 2 * 1024**3
_CHUNK = 1024 * 1024

_Kind = Literal["file", "folder", "link"]
_DAMAGED = (
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    UnicodeError,
    ValueError,
)


@dataclass(slots=True)
class _Unpacking:
    """Where an archive goes, and what came out of it so far."""

    archive: str
    place: Path
    most_bytes: int
    bytes_left: int
    files_left: int
    kinds: dict[PurePosixPath, _Kind] = field(default_factory=dict)
    folded: dict[str, PurePosixPath] = field(default_factory=dict)
    links: dict[PurePosixPath, str] = field(default_factory=dict)


def unpack(
    archive: Path, destination: Path, *, most_files: int = MOST_FILES, most_bytes: int = MOST_BYTES
) -> Path:
    """Unpack a tar (plain, gzip, bzip2, xz) or zip archive and return `destination`.

    A single folder at the top is stripped. `destination` must not exist or be an empty folder, and
    appears whole or not at all. Permissions become 644, or 755 for programs and folders. Raises
    UsageError for an archive that is damaged, that holds absolute names, "..", devices, links that
    lead out, two names for one file (letter case aside), or more members or bytes than allowed.
    """
    destination = destination.absolute()
    try:
        if destination.exists() and (not destination.is_dir() or any(destination.iterdir())):
            raise UsageError(f"{destination}: exists and is not an empty folder")
        destination.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".w2w-unpack-", dir=destination.parent))
    except OSError as error:
        raise UsageError(f"{destination}: {error.strerror or error}") from None
    try:
        state = _Unpacking(archive.name, scratch / "tree", most_bytes, most_bytes, most_files)
        state.place.mkdir()
        with _refusing(archive):
            if zipfile.is_zipfile(archive):
                _unpack_zip(archive, state)
            else:
                _unpack_tar(archive, state)
        if not state.kinds:
            raise UsageError(f"{archive.name}: holds no files")
        tops = {path.parts[0] for path in state.kinds}
        top = PurePosixPath(next(iter(tops)))
        root = top if len(tops) == 1 and state.kinds[top] == "folder" else PurePosixPath()
        for path, target in state.links.items():
            _check_link(state, path, target, root)
            (state.place / path).symlink_to(target)
        if destination.exists():
            destination.rmdir()
        (state.place / root).rename(destination)
    except OSError as error:
        raise UsageError(f"{archive.name}: cannot be unpacked: {error}") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return destination


def extract_below(
    archive: Path, prefix: str, destination: Path, *, most_bytes: int = 4 * MOST_BYTES
) -> int:
    """Extract the members of a zip archive that lie below `prefix`; return how many files.

    `prefix` is a folder in the archive and is itself stripped; nothing else is decompressed.
    `destination` may hold other files. Raises UsageError as `unpack` does, and when there is no
    such folder in the archive.
    """
    start = PurePosixPath(prefix.strip("/"))
    state = _Unpacking(archive.name, destination, most_bytes, most_bytes, MOST_FILES)
    try:
        destination.mkdir(parents=True, exist_ok=True)
        with _refusing(archive):
            _unpack_zip(archive, state, start)
    except OSError as error:
        raise UsageError(f"{archive.name}: cannot be unpacked: {error}") from None
    if state.links:
        raise UsageError(f"{archive.name}: {next(iter(state.links))} is a link")
    count = sum(kind == "file" for kind in state.kinds.values())
    if not count:
        raise UsageError(f"{archive.name}: has nothing below {start}/")
    return count


@contextmanager
def _refusing(archive: Path) -> Iterator[None]:
    """Turn what the libraries say of a damaged archive into one line."""
    try:
        yield
    except _DAMAGED as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UsageError(f"{archive.name}: not an archive, or damaged: {said}") from None


def _unpack_tar(archive: Path, state: _Unpacking) -> None:
    with tarfile.open(archive, "r:*", encoding="utf-8", errors="surrogateescape") as tar:
        for member in tar:
            if member.isdir():
                _add(state, member.name, "folder")
            elif member.issym():
                _add_link(state, member.name, member.linkname)
            elif member.islnk():
                _copy_hard_link(state, member)
            elif member.isreg():
                stream = tar.extractfile(member)
                assert stream is not None  # regular members always have one
                _add_file(state, member.name, stream, executable=bool(member.mode & 0o100))
            else:
                raise UsageError(f"{state.archive}: {member.name!r} is a device or pipe")
        # The compressor's checksum comes after the tar's own end, and is checked only when read.
        while tar.fileobj is not None and (chunk := tar.fileobj.read(_CHUNK)):
            _count(state, len(chunk))


def _unpack_zip(archive: Path, state: _Unpacking, start: PurePosixPath | None = None) -> None:
    with zipfile.ZipFile(archive) as bundle:
        for info in bundle.infolist():
            name = info.filename
            if start is not None:
                below = f"{start}/"
                if not name.startswith(below) or name == below:
                    continue
                name = name[len(below) :]
            mode = info.external_attr >> 16
            if info.is_dir():
                _add(state, name, "folder")
            elif stat.S_ISLNK(mode):
                with bundle.open(info) as stream:
                    _add_link(state, name, os.fsdecode(stream.read(4096)))
            elif stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                raise UsageError(f"{state.archive}: {name!r} is a device or pipe")
            else:
                with bundle.open(info) as stream:
                    _add_file(state, name, stream, executable=bool(mode & 0o100))


def _add(state: _Unpacking, name: str, kind: _Kind) -> PurePosixPath | None:
    """Check a member's name, make the folders above it (and itself, if it is one).

    Returns its path, None for the archive's own top ("./").
    """
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or ".." in parts or any(bad in name for bad in ("\\", "\0")):
        raise UsageError(f"{state.archive}: {name!r} is no safe file name")
    if parts and len(parts[0]) > 1 and parts[0][1] == ":":
        raise UsageError(f"{state.archive}: {name!r} is no safe file name")
    state.files_left -= 1
    if state.files_left < 0:
        raise UsageError(f"{state.archive}: holds too many files")
    for depth in range(1, len(parts) + 1):
        path = PurePosixPath(*parts[:depth])
        wanted: _Kind = kind if depth == len(parts) else "folder"
        # Folded, because some file systems hold only one of `Axpy.h` and `axpy.h`.
        known = state.folded.setdefault(_folded(path), path)
        if known != path or state.kinds.get(path, "folder" if wanted == "folder" else "") not in (
            ("folder",) if wanted == "folder" else ("",)
        ):
            raise UsageError(f"{state.archive}: {known} and {name!r} are the same file")
        if path not in state.kinds:
            state.kinds[path] = wanted
            if (state.place / path).is_symlink():
                raise UsageError(f"{state.place / path}: is a link")
            if wanted == "folder":
                (state.place / path).mkdir(mode=0o755, exist_ok=True)
    return PurePosixPath(*parts) if parts else None


def _folded(path: PurePosixPath) -> str:
    return unicodedata.normalize("NFC", path.as_posix()).casefold()


def _add_file(state: _Unpacking, name: str, stream: IO[bytes], *, executable: bool) -> None:
    path = _add(state, name, "file")
    if path is None:
        raise UsageError(f"{state.archive}: {name!r} is no safe file name")
    place = state.place / path
    with place.open("wb") as out:
        while chunk := stream.read(_CHUNK):
            _count(state, len(chunk))
            out.write(chunk)
    place.chmod(0o755 if executable else 0o644)


def _count(state: _Unpacking, size: int) -> None:
    """Count what really comes out, since a header may claim anything."""
    state.bytes_left -= size
    if state.bytes_left < 0:
        raise UsageError(f"{state.archive}: unpacks to more than {state.most_bytes} bytes")


def _add_link(state: _Unpacking, name: str, target: str) -> None:
    """Note a symbolic link. Links are made last, so that no member is written through one."""
    path = _add(state, name, "link")
    if path is None or not target or "\0" in target or "\\" in target:
        raise UsageError(f"{state.archive}: {name!r} is no safe link")
    state.links[path] = target


def _check_link(state: _Unpacking, path: PurePosixPath, target: str, root: PurePosixPath) -> None:
    """Refuse a link that could lead out of `root`.

    ".." may only come first: after another link's name it would climb from where that link leads.
    """
    parts = [part for part in target.split("/") if part not in ("", ".")]
    climbs = next((index for index, part in enumerate(parts) if part != ".."), len(parts))
    depth = len(path.parts) - 1 - len(root.parts)
    if target.startswith("/") or ".." in parts[climbs:] or climbs > depth:
        raise UsageError(f"{state.archive}: the link {path} leads out of the archive: {target!r}")


def _copy_hard_link(state: _Unpacking, member: tarfile.TarInfo) -> None:
    parts = [part for part in member.linkname.split("/") if part not in ("", ".")]
    original = PurePosixPath(*parts)
    if state.kinds.get(original) != "file":
        raise UsageError(f"{state.archive}: {member.name!r} is a link to no file of the archive")
    place = state.place / original
    with place.open("rb") as stream:
        _add_file(state, member.name, stream, executable=os.access(place, os.X_OK))
