"""Archives by strangers land inside their folder, whole, or are refused with the member named."""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from warp2wave.archives import extract_below, unpack
from warp2wave.errors import UsageError


def tar_bytes(members: Sequence[tuple], mode: str = "w:gz") -> bytes:
    """Make a tar of (name, content, attributes of TarInfo); content None makes a folder."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=tarfile.PAX_FORMAT) as tar:
        for name, content, *more in members:
            info = tarfile.TarInfo(name)
            info.type = tarfile.DIRTYPE if content is None else tarfile.REGTYPE
            info.size = len(content or b"")
            for key, value in (more[0] if more else {}).items():
                setattr(info, key, value)
            tar.addfile(info, io.BytesIO(content or b""))
    return out.getvalue()


def zip_bytes(members: Sequence[tuple]) -> bytes:
    """Make a zip of (name, content, Unix mode)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, content, *more in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            if more:
                info.external_attr = more[0] << 16
            bundle.writestr(info, content)
    return out.getvalue()


def unpacked(tmp_path: Path, data: bytes, **limits: int) -> dict[str, bytes | None]:
    """Unpack `data` and return what lies in the destination."""
    (tmp_path / "a.bin").write_bytes(data)
    root = unpack(tmp_path / "a.bin", tmp_path / "dest/tree", **limits)
    assert root == tmp_path / "dest/tree"
    return {
        str(place.relative_to(root)): place.read_bytes() if place.is_file() else None
        for place in sorted(root.rglob("*"))
    }


def refused(tmp_path: Path, data: bytes, match: str, **limits: int) -> None:
    """Check that `data` is refused and that nothing at all is left of it."""
    with pytest.raises(UsageError, match=match):
        unpacked(tmp_path, data, **limits)
    left = {str(place.relative_to(tmp_path)) for place in tmp_path.rglob("*")}
    assert left <= {"a.bin", "dest"}


FILES = [("p-1.0/", None), ("p-1.0/setup.py", b"s"), ("p-1.0/csrc/k.cu", b"k\r\n\0")]


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_tars(tmp_path: Path, mode: str) -> None:
    expected = {"setup.py": b"s", "csrc": None, "csrc/k.cu": b"k\r\n\0"}
    assert unpacked(tmp_path, tar_bytes(FILES, mode)) == expected


def test_zips(tmp_path: Path) -> None:
    data = zip_bytes([("p-1.0/setup.py", b"s"), ("p-1.0/csrc/k.cu", b"k\r\n\0")])
    assert unpacked(tmp_path, data) == {"setup.py": b"s", "csrc": None, "csrc/k.cu": b"k\r\n\0"}


def test_only_a_single_folder_at_the_top_is_stripped(tmp_path: Path) -> None:
    data = tar_bytes([("./a/x", b"1"), ("./b/x", b"2")])
    assert unpacked(tmp_path, data) == {"a": None, "a/x": b"1", "b": None, "b/x": b"2"}


def test_a_single_file_at_the_top_is_no_folder(tmp_path: Path) -> None:
    assert unpacked(tmp_path, tar_bytes([("only.cu", b"1")])) == {"only.cu": b"1"}


def test_names_that_are_not_utf8_and_odd_ones(tmp_path: Path) -> None:
    data = tar_bytes([("p/é b.cu", b"1"), ("p//x/./y.cu", b"2"), ("p/k\udce9.cu", b"3")])
    assert unpacked(tmp_path, data) == {
        "k\udce9.cu": b"3",
        "x": None,
        "x/y.cu": b"2",
        "é b.cu": b"1",
    }


@pytest.mark.parametrize(
    "name",
    [
        "/etc/x",
        "//x",
        "../x",
        "p/../../x",
        "p/..",
        "..",
        "C:/x",
        "C:\\x",
        "\\\\host\\x",
        "p\\..\\x",
    ],
)
def test_names_that_lead_out(tmp_path: Path, name: str) -> None:
    refused(tmp_path, tar_bytes([("p/ok", b""), (name, b"x")]), "no safe file name")
    (tmp_path / "zip").mkdir()
    refused(tmp_path / "zip", zip_bytes([("p/ok", b""), (name, b"x")]), "no safe file name")


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tuple:
    return (name, b"", {"type": kind, "linkname": target})


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("p/l", "/etc/passwd"),
        ("p/l", "../x"),  # inside the archive, but outside of the folder that is kept
        ("p/l", "../../x"),
        ("p/d/l", "../../x"),
        ("p/l", "d/../../x"),
        ("p/l", "d/.."),  # after a name, ".." climbs from where a link may lead
        ("p/l", "..\\x"),
        ("p/l", ""),
    ],
)
def test_links_that_lead_out(tmp_path: Path, name: str, target: str) -> None:
    members = [("p/d/", None), ("p/ok", b"1"), link(name, target)]
    refused(tmp_path, tar_bytes(members), "link")
    mode = stat.S_IFLNK | 0o777
    (tmp_path / "zip").mkdir()
    data = zip_bytes([("p/d/x", b""), ("p/ok", b"1"), (name, target, mode)])
    refused(tmp_path / "zip", data, "link")


def test_links_inside_are_kept(tmp_path: Path) -> None:
    data = tar_bytes([link("p/d/up.h", "../real.h"), ("p/real.h", b"r"), link("p/dir", "d")])
    root = tmp_path / "dest/tree"
    unpacked(tmp_path, data)
    assert (root / "d/up.h").is_symlink()
    assert (root / "dir/up.h").read_bytes() == b"r"


@pytest.mark.parametrize("target", ["d", "/tmp"])
def test_nothing_is_written_through_a_link(tmp_path: Path, target: str) -> None:
    members = [("p/d/", None), link("p/l", target), ("p/l/x", b"x")]
    refused(tmp_path, tar_bytes(members), "same file")


def test_a_hard_link_is_a_copy_of_a_file_of_the_archive(tmp_path: Path) -> None:
    data = tar_bytes([("p/a", b"1", {"mode": 0o755}), link("p/b", "p/a", tarfile.LNKTYPE)])
    assert unpacked(tmp_path, data) == {"a": b"1", "b": b"1"}
    assert (tmp_path / "dest/tree/b").stat().st_nlink == 1


@pytest.mark.parametrize("target", ["/etc/passwd", "../../etc/passwd", "p/later", "p/l"])
def test_hard_links_to_anything_else(tmp_path: Path, target: str) -> None:
    members = [link("p/l", "x"), link("p/b", target, tarfile.LNKTYPE), ("p/later", b"")]
    refused(tmp_path, tar_bytes(members), "link")


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_devices_and_pipes(tmp_path: Path, kind: bytes) -> None:
    refused(tmp_path, tar_bytes([("p/ok", b""), ("p/d", b"", {"type": kind})]), "device or pipe")


def test_devices_in_a_zip(tmp_path: Path) -> None:
    refused(tmp_path, zip_bytes([("p/d", b"", stat.S_IFCHR | 0o644)]), "device or pipe")


@pytest.mark.parametrize(
    "names",
    [
        ("p/a.h", "p/a.h"),
        ("p/Axpy.h", "p/axpy.h"),
        ("p/Dir/a", "p/dir/b"),
        ("p/é.h", "p/e\u0301.h"),
        ("p/a", "p/a/b"),
        ("p/a/b", "p/a"),
        ("p/x", "./p//x"),
    ],
)
def test_f12_two_names_for_one_file(tmp_path: Path, names: tuple[str, str]) -> None:
    refused(tmp_path, tar_bytes([(name, b"x") for name in names]), "same file")


def test_permissions_are_masked(tmp_path: Path) -> None:
    members = [
        ("p/", None, {"mode": 0o000}),
        ("p/plain", b"", {"mode": 0o6666}),
        ("p/tool", b"", {"mode": 0o4777}),
        ("p/dark", b"", {"mode": 0o000}),
    ]
    unpacked(tmp_path, tar_bytes(members))
    modes = {
        place.name: stat.S_IMODE(place.stat().st_mode)
        for place in (tmp_path / "dest/tree").iterdir()
    }
    assert modes == {"plain": 0o644, "tool": 0o755, "dark": 0o644}


def test_a_bomb_is_stopped_by_what_comes_out(tmp_path: Path) -> None:
    data = zip_bytes([("p/zeros", b"\0" * 5_000_000)])
    assert len(data) < 10_000
    refused(tmp_path, data, "more than 1000000 bytes", most_bytes=1_000_000)


def test_many_small_files_are_added_up(tmp_path: Path) -> None:
    data = tar_bytes([(f"p/{number}", b"x" * 100) for number in range(20)])
    refused(tmp_path, data, "more than 1999 bytes", most_bytes=1999)
    # The tar's own padding and end count too, as far as they are read: 20 blocks of zeros at most.
    assert len(unpacked(tmp_path, data, most_bytes=2000 + 20 * 512)) == 20


def test_too_many_members(tmp_path: Path) -> None:
    data = tar_bytes([(f"p/{number}", b"") for number in range(20)])
    refused(tmp_path, data, "too many files", most_files=19)


GOOD = tar_bytes([("p/a", bytes(range(256)) * 4096)])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04 not really",
        b"plain text",
        GOOD[: len(GOOD) // 2],
        GOOD[:200] + b"\0" * 50 + GOOD[250:],
        gzip.compress(b"not a tar"),
        zip_bytes([("p/a", b"x" * 1000)])[:-30],
    ],
    ids=["empty", "zip mark", "text", "half a tar", "hole", "gzip of no tar", "cut zip"],
)
def test_damaged_archives(tmp_path: Path, data: bytes) -> None:
    refused(tmp_path, data, "damaged|holds no files")


def test_a_zip_with_a_wrong_checksum(tmp_path: Path) -> None:
    data = bytearray(zip_bytes([("p/a", b"x" * 1000)]))
    data[data.index(b"p/a") + 3] ^= 0xFF
    refused(tmp_path, bytes(data), "damaged")


def test_an_empty_archive(tmp_path: Path) -> None:
    refused(tmp_path, tar_bytes([]), "holds no files|damaged")


def test_what_is_there_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "dest/tree").mkdir(parents=True)
    assert unpacked(tmp_path, tar_bytes(FILES))
    with pytest.raises(UsageError, match="not an empty folder"):
        unpacked(tmp_path, tar_bytes(FILES))


def test_only_what_lies_below_a_prefix_is_extracted(tmp_path: Path) -> None:
    members = [
        ("t/include/a.h", b"a"),
        ("t/include/s/b.h", b"b"),
        ("t/includes/no.h", b"n"),
        ("t/lib.so", b"l"),
    ]
    (tmp_path / "w.whl").write_bytes(zip_bytes(members))
    (tmp_path / "dest").mkdir()
    (tmp_path / "dest/mine").write_bytes(b"m")
    assert extract_below(tmp_path / "w.whl", "t/include/", tmp_path / "dest") == 2
    found = {str(p.relative_to(tmp_path / "dest")) for p in (tmp_path / "dest").rglob("*")}
    assert found == {"mine", "a.h", "s", "s/b.h"}
    with pytest.raises(UsageError, match="nothing below t/inc/"):
        extract_below(tmp_path / "w.whl", "t/inc", tmp_path / "dest")


def test_a_prefix_does_not_switch_the_checks_off(tmp_path: Path) -> None:
    (tmp_path / "w.whl").write_bytes(zip_bytes([("t/../../x", b"x")]))
    with pytest.raises(UsageError, match="no safe file name"):
        extract_below(tmp_path / "w.whl", "t", tmp_path / "in/dest")
    assert not (tmp_path / "x").exists()


def test_nothing_is_extracted_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "w.whl").write_bytes(zip_bytes([("t/a/x", b"x"), ("t/y", b"y")]))
    (tmp_path / "dest").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "dest/y").symlink_to(tmp_path / "out/y")
    (tmp_path / "dest/a").symlink_to(tmp_path / "out")
    with pytest.raises(UsageError):
        extract_below(tmp_path / "w.whl", "t", tmp_path / "dest")
    assert list((tmp_path / "out").iterdir()) == []
