"""Writes into a tree are all or nothing, and never overwrite what nobody looked at."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath

import pytest
from written_trees import change, create, snapshot

from warp2wave import writes
from warp2wave.errors import UsageError
from warp2wave.writes import Write, can_undo, undo, write_files, written_files


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "csrc").mkdir(parents=True)
    (root / "csrc/a.cu").write_bytes(b"a\r\n\xff")
    (root / "csrc/b.cu").write_bytes(b"b\n")
    (root / "csrc/a.cu").chmod(0o640)
    return root


def test_files_are_changed_created_and_removed(tree: Path) -> None:
    done = write_files(
        tree,
        [
            change("csrc/a.cu", b"A", b"a\r\n\xff"),
            change("csrc/b.cu", None, b"b\n"),
            create("gpu_compat/hip/cuda.h"),
        ],
    )
    assert list(map(str, done)) == ["csrc/a.cu", "csrc/b.cu", "gpu_compat/hip/cuda.h"]
    assert (tree / "csrc/a.cu").read_bytes() == b"A"
    assert stat.S_IMODE((tree / "csrc/a.cu").stat().st_mode) == 0o640
    assert not (tree / "csrc/b.cu").exists()
    assert (tree / "gpu_compat/hip/cuda.h").read_bytes() == b"new\n"


def test_new_files_get_the_permissions_that_the_user_s_mask_leaves(tree: Path) -> None:
    before = os.umask(0o027)
    try:
        write_files(tree, [create("n.h")])
    finally:
        os.umask(before)
    assert stat.S_IMODE((tree / "n.h").stat().st_mode) == 0o640


def test_f43_equal_bytes_are_not_written(tree: Path) -> None:
    os.utime(tree / "csrc/a.cu", (1, 1))
    before = snapshot(tree)
    assert write_files(tree, [change("csrc/a.cu", b"a\r\n\xff", b"a\r\n\xff")]) == ()
    assert snapshot(tree) == before
    assert (tree / "csrc/a.cu").stat().st_mtime == 1


def test_f13_only_the_changed_file_is_written_again(tree: Path) -> None:
    port = [create("gpu_compat/a.h", b"1"), create("gpu_compat/b.h", b"2")]
    write_files(tree, port)
    again = [Write(write.path, write.content, "") for write in port]
    again[1] = Write(again[1].path, b"3", "")
    assert list(map(str, write_files(tree, again))) == ["gpu_compat/b.h"]


def test_a_file_that_changed_since_it_was_read_is_left_alone(tree: Path) -> None:
    before = snapshot(tree)
    with pytest.raises(UsageError, match=r"csrc/b\.cu: changed while"):
        write_files(tree, [create("x.h"), change("csrc/b.cu", b"B", b"what was read")])
    assert snapshot(tree) == before


def test_a_file_that_is_there_already_is_left_alone(tree: Path) -> None:
    before = snapshot(tree)
    with pytest.raises(UsageError, match=r"csrc/a\.cu: exists already"):
        write_files(tree, [create("csrc/a.cu")])
    assert snapshot(tree) == before


@pytest.mark.parametrize(
    "paths", [("x/axpy.h", "x/axpy.h"), ("x/axpy.h", "x/Axpy.h"), ("csrc/a.cu", "link.cu")]
)
def test_f12_two_writes_to_one_file_are_refused(tree: Path, paths: tuple[str, str]) -> None:
    (tree / "link.cu").symlink_to("csrc/a.cu")
    before = snapshot(tree)
    with pytest.raises(UsageError, match="would be written to one file"):
        write_files(tree, [Write(PurePosixPath(path), b"x", "") for path in paths])
    assert snapshot(tree) == before


def test_f12_files_of_one_stem_have_each_their_own_place(tree: Path) -> None:
    names = ["axpy.cu", "axpy.cuh", "axpy.h", "axpy.cpp"]
    write_files(tree, [create(name, name.encode()) for name in names])
    assert [(tree / name).read_bytes() for name in names] == [name.encode() for name in names]


@pytest.mark.parametrize(
    "path", ["../out.h", "/tmp/out.h", "a/../../out.h", "out/x.h", ".", "a\0b"]
)
def test_nothing_is_written_outside(tree: Path, tmp_path: Path, path: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tree / "out").symlink_to(tmp_path / "elsewhere")
    before = snapshot(tmp_path)
    with pytest.raises(UsageError):
        write_files(tree, [create("fine.h"), create(path)])
    assert snapshot(tmp_path) == before


def test_a_link_to_a_file_of_the_tree_stays_a_link(tree: Path) -> None:
    (tree / "link.cu").symlink_to("csrc/b.cu")
    assert write_files(tree, [change("link.cu", b"B", b"b\n")]) == (PurePosixPath("csrc/b.cu"),)
    assert (tree / "link.cu").is_symlink()
    assert (tree / "csrc/b.cu").read_bytes() == b"B"


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_a_failure_half_way_leaves_the_tree_as_it_was(
    tree: Path, monkeypatch, failing: int
) -> None:
    before = snapshot(tree)
    plan = [
        change("csrc/a.cu", b"A", b"a\r\n\xff"),
        create("gpu_compat/hip/x.h"),
        change("csrc/b.cu", b"B", b"b\n"),
    ]
    real = writes.replace_file

    def replace_file(place: Path, content: bytes, mode: int | None = None) -> None:
        if place == tree / plan[failing].path and content == plan[failing].content:
            raise OSError(28, "No space left on device", str(place))
        real(place, content, mode)

    monkeypatch.setattr(writes, "replace_file", replace_file)
    with pytest.raises(UsageError, match="no space left on device"):
        write_files(tree, plan)
    assert snapshot(tree) == before


def test_a_failure_in_a_second_run_keeps_the_first_run_undoable(tree: Path, monkeypatch) -> None:
    original = snapshot(tree)
    write_files(tree, [change("csrc/a.cu", b"A", b"a\r\n\xff")])
    ported = snapshot(tree)
    real = writes.replace_file

    def replace_file(place: Path, content: bytes, mode: int | None = None) -> None:
        if place.name == "b.cu":
            raise KeyboardInterrupt
        real(place, content, mode)

    monkeypatch.setattr(writes, "replace_file", replace_file)
    with pytest.raises(KeyboardInterrupt):
        write_files(tree, [change("csrc/a.cu", b"AA", b"A"), change("csrc/b.cu", b"B", b"b\n")])
    monkeypatch.undo()
    assert snapshot(tree) == ported
    undo(tree)
    assert snapshot(tree) == original


def test_what_a_user_put_into_a_file_of_ours_is_kept(tree: Path) -> None:
    owned = PurePosixPath("gpu_compat/x.h")
    write_files(tree, [Write(owned, b"ours", "")])
    (tree / owned).write_bytes(b"by hand")
    write_files(tree, [Write(owned, b"ours again", "")])
    assert (tree / ".warp2wave/discarded/gpu_compat/x.h").read_bytes() == b"by hand"
    with pytest.raises(UsageError, match=r"gpu_compat/x\.h"):
        undo(tree)


def test_the_tool_s_state_is_kept_out_of_commits(tree: Path) -> None:
    write_files(tree, [create("x.h")])
    assert (tree / ".warp2wave/.gitignore").read_bytes() == b"*\n"


def test_what_was_written_is_known(tree: Path) -> None:
    assert not can_undo(tree)
    assert written_files(tree) == ()
    write_files(tree, [create("x.h"), change("csrc/b.cu", b"B", b"b\n")])
    assert can_undo(tree)
    assert set(map(str, written_files(tree))) == {"x.h", "csrc/b.cu"}


def test_an_edit_in_the_last_moment_is_not_overwritten(tree: Path, monkeypatch) -> None:
    real = writes.replace_file

    def replace_file(place: Path, content: bytes, mode: int | None = None) -> None:
        real(place, content, mode)
        if place == tree / "csrc/a.cu":
            (tree / "csrc/b.cu").write_bytes(b"saved by the editor just now")

    monkeypatch.setattr(writes, "replace_file", replace_file)
    with pytest.raises(UsageError, match=r"csrc/b\.cu: changed while"):
        write_files(
            tree,
            [change("csrc/a.cu", b"A", b"a\r\n\xff"), change("csrc/b.cu", b"B", b"b\n")],
        )
    assert (tree / "csrc/a.cu").read_bytes() == b"a\r\n\xff"
    assert (tree / "csrc/b.cu").read_bytes() == b"saved by the editor just now"
    assert not (tree / ".warp2wave").exists()
