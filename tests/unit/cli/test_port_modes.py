"""What each way to run `port` writes, and what it must not."""

from __future__ import annotations

import json
import os
import stat
import time
from pathlib import Path

import pytest
from command_line import FIXED, KERNEL, git, make, repository, snapshot

TREE = {
    "csrc/k.cu": KERNEL,
    "csrc/crlf.cu": KERNEL.replace(b"\n", b"\r\n"),
    "csrc/no end.cuh": b"void f() { k << <1, 2>> >(); }",
    "csrc/\u00e9.cpp": b"\xef\xbb\xbf#include <cuda_runtime.h>\n// \xff\n",
    "data.bin": bytes(range(256)),
    "empty.h": b"",
    "README": b"text\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = make(tmp_path / "tree", TREE)
    (root / "csrc/k.cu").chmod(0o750)
    (root / "link.cu").symlink_to("csrc/k.cu")
    return root


def port_of(found: dict[str, tuple[int, bytes | None]]) -> dict[str, tuple[int, bytes | None]]:
    return {name: value for name, value in found.items() if not name.startswith(".warp2wave")}


def contents(found: dict[str, tuple[int, bytes | None]]) -> dict[str, tuple[bool, bytes | None]]:
    return {name: (bool(mode & 0o100), content) for name, (mode, content) in found.items()}


def test_diff_and_check_write_nothing_and_the_diff_applied_is_the_port(
    w2w, tmp_path: Path, tree: Path
) -> None:
    before = snapshot(tree)
    patch = w2w("port", tree, "--diff")
    assert patch.code == 0
    as_json = w2w("port", tree, "--diff", "--format", "json")
    assert as_json.json["diff"].encode("utf-8", "surrogateescape") == patch.out
    assert w2w("port", tree, "--check").code == 1
    assert snapshot(tree) == before

    applied = make(tmp_path / "applied", TREE)
    (applied / "csrc/k.cu").chmod(0o750)
    (applied / "link.cu").symlink_to("csrc/k.cu")
    git(applied, "init", "-q")
    git(applied, "apply", "--check", "-", given=patch.out)
    git(applied, "apply", "-", given=patch.out)
    assert w2w("port", tree).code == 0
    assert contents(port_of(snapshot(applied))) == contents(port_of(snapshot(tree)))
    assert w2w("port", tree, "--check").code == 0
    assert w2w("port", tree, "--diff").out == b""
    assert (tree / "csrc/k.cu").read_bytes() == FIXED
    assert stat.S_IMODE((tree / "csrc/k.cu").stat().st_mode) == 0o750
    assert (tree / "link.cu").is_symlink()


def test_porting_twice_touches_nothing_the_second_time(w2w, tree: Path) -> None:
    w2w("port", tree)
    before = snapshot(tree)
    times = {name: (tree / name).lstat().st_mtime_ns for name in before}
    time.sleep(0.01)
    ran = w2w("port", tree)
    assert ran.code == 0
    assert "nothing to do" in ran.text
    after = snapshot(tree)
    assert after == before
    assert {name: (tree / name).lstat().st_mtime_ns for name in after} == times


def test_undo_gives_the_tree_back_whole(w2w, tree: Path) -> None:
    before = snapshot(tree)
    w2w("port", tree)
    w2w("port", tree, "--fix", "none")
    ran = w2w("port", tree, "--undo", "--format", "json")
    assert ran.code == 0
    assert ran.json["command"] == "undo"
    assert "csrc/k.cu" in ran.json["restored"]
    assert snapshot(tree) == before
    ran = w2w("port", tree, "--undo")
    assert ran.code == 2
    assert "nothing to undo" in ran.said


@pytest.mark.parametrize("name", ["gpu_compat/warp32.h", "csrc/k.cu"])
def test_undo_refuses_when_a_written_file_was_edited(w2w, tree: Path, name: str) -> None:
    w2w("port", tree)
    with (tree / name).open("ab") as stream:
        stream.write(b"// mine\n")
    before = snapshot(tree)
    ran = w2w("port", tree, "--undo")
    assert ran.code == 2
    assert name in ran.said
    assert snapshot(tree) == before


def test_an_output_copy_leaves_the_source_untouched(w2w, tmp_path: Path, tree: Path) -> None:
    before = snapshot(tree)
    times = {name: (tree / name).lstat().st_mtime_ns for name in before}
    copy = tmp_path / "new/copy"
    ran = w2w("port", tree, "--output", copy, "--format", "json")
    assert ran.code == 0
    assert snapshot(tree) == before
    assert {name: (tree / name).lstat().st_mtime_ns for name in before} == times
    assert ran.json["root"] == str(copy)
    assert (copy / "csrc/k.cu").read_bytes() == FIXED
    assert w2w("port", copy, "--check").code == 0
    assert w2w("port", copy, "--undo").code == 0
    assert snapshot(copy) == before


def test_json_is_the_only_thing_on_standard_output(w2w, tmp_path: Path, tree: Path) -> None:
    runs = {
        "check": ["port", tree, "--check"],
        "diff": ["port", tree, "--diff"],
        "port": ["port", tree],
        "undo": ["port", tree, "--undo"],
        "copy": ["port", tree, "--output", tmp_path / "copy"],
        "map": ["map", "cudaMalloc", "cudaMaloc", "\udcff\u00e9"],
        "doctor": ["doctor", "--require", "cuda:sm_90"],
    }
    for name, arguments in runs.items():
        ran = w2w(*arguments, "--format", "json")
        assert ran.json["schema"] == 1, name
        assert ran.out.isascii()
        assert ran.out.endswith(b"}\n")


def test_a_result_that_cannot_be_had_prints_no_json(w2w, tmp_path: Path) -> None:
    ran = w2w("port", tmp_path / "none", "--format", "json")
    assert ran.code == 2
    assert ran.out == b""
    assert "no such folder" in ran.said


def test_uncommitted_work_is_refused_unless_asked_for(w2w, tmp_path: Path, tree: Path) -> None:
    repository(tree)
    (tree / "csrc/k.cu").write_bytes(KERNEL + b"\n")
    before = snapshot(tree)
    ran = w2w("port", tree)
    assert ran.code == 2
    assert "csrc/k.cu" in ran.said
    assert "--allow-dirty" in ran.said
    assert snapshot(tree) == before
    # What does not write into the tree needs no clean one.
    assert w2w("port", tree, "--diff").code == 0
    assert w2w("port", tree, "--output", tmp_path / "copy").code == 0
    assert w2w("port", tree, "--allow-dirty").code == 0
    assert (tree / "csrc/k.cu").read_bytes() == FIXED + b"\n"


def test_porting_twice_needs_no_commit_in_between(w2w, tree: Path) -> None:
    repository(tree)
    assert w2w("port", tree).code == 0
    assert w2w("port", tree).code == 0
    assert w2w("port", tree, "--undo").code == 0
    assert git(tree, "status", "--porcelain") == b""


def test_a_worktree_and_a_submodule_are_ported_as_trees_of_their_own(
    w2w, tmp_path: Path, tree: Path
) -> None:
    repository(tree)
    git(tree, "worktree", "add", "-q", "--detach", str(tmp_path / "work"))
    outer = repository(make(tmp_path / "outer", {"main.cu": b"int x;\n"}))
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tree), "sub")
    git(outer, "commit", "-q", "-m", "add")
    for place in (tmp_path / "work", outer / "sub"):
        before = snapshot(place)
        pointer = (place / ".git").read_bytes()
        assert w2w("port", place).code == 0
        assert (place / "csrc/k.cu").read_bytes() == FIXED
        assert w2w("port", place, "--undo").code == 0
        assert snapshot(place) == before
        assert (place / ".git").read_bytes() == pointer
        (place / "csrc/k.cu").write_bytes(b"int changed;\n")
        assert w2w("port", place).code == 2
    assert (tree / "csrc/k.cu").read_bytes() == KERNEL


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_new_files_follow_the_user_s_mask(w2w, tree: Path, umask: int) -> None:
    old = os.umask(umask)
    try:
        w2w("port", tree)
    finally:
        os.umask(old)
    assert stat.S_IMODE((tree / "gpu_compat/warp32.h").stat().st_mode) == 0o666 & ~umask


def test_a_disk_that_refuses_half_way_leaves_the_tree_as_it_was(
    w2w, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot(tree)
    real = os.replace
    for allowed in (0, 1, 4, 9):
        left = [allowed]

        def replace(source, target, left=left, **more):
            left[0] -= 1
            if left[0] < 0 and "gpu_compat" in str(target):
                raise OSError(30, "Read-only file system", str(target))
            return real(source, target, **more)

        monkeypatch.setattr(os, "replace", replace)
        ran = w2w("port", tree)
        monkeypatch.setattr(os, "replace", real)
        assert ran.code == 2
        assert "read-only file system" in ran.said
        assert snapshot(tree) == before
    assert w2w("port", tree).code == 0


def test_the_record_keeps_the_fixes_of_every_port(w2w, tree: Path) -> None:
    first = w2w("port", tree, "--format", "json").json
    (tree / "later.cu").write_bytes(b"void g() { k << <1, 2>> >(); }\n")
    second = w2w("port", tree, "--format", "json").json
    assert [fix["path"] for fix in second["fixes"]] == ["later.cu"]
    record = json.loads((tree / ".warp2wave/port.json").read_bytes())
    assert record["fixes"] == [*first["fixes"], *second["fixes"]]
    assert record["lines_changed"] == first["lines_changed"] + second["lines_changed"]


@pytest.mark.parametrize("text", [b"[]", b"{", b'{"fixes": 3, "lines_changed": "x"}', b"\xff"])
def test_a_damaged_record_is_made_anew(w2w, tree: Path, text: bytes) -> None:
    w2w("port", tree)
    (tree / ".warp2wave/port.json").write_bytes(text)
    assert w2w("port", tree).code == 0
    assert json.loads((tree / ".warp2wave/port.json").read_bytes())["schema"] == 1


def test_a_clone_without_the_journal_still_loses_headers_that_went_out_of_use(
    w2w, tmp_path: Path
) -> None:
    files = {"k.cu": b"#include <cuda_fp16.h>\n#include <cuda_runtime.h>\n"}
    tree = make(tmp_path / "tree", files)
    w2w("port", tree)
    repository(tree)
    git(tmp_path, "clone", "-q", str(tree), "clone")
    clone = tmp_path / "clone"
    assert w2w("port", clone, "--check").code == 0
    (clone / "gpu_compat/notes.txt").write_bytes(b"mine\n")
    (clone / "k.cu").write_bytes(b"#include <cuda_runtime.h>\n")
    before = snapshot(clone)
    assert w2w("port", clone, "--check").code == 1
    assert w2w("port", clone, "--allow-dirty").code == 0
    assert not (clone / "gpu_compat/hip/cuda_fp16.h").exists()
    assert (clone / "gpu_compat/notes.txt").read_bytes() == b"mine\n"
    assert w2w("port", clone, "--check").code == 0
    assert w2w("port", clone, "--undo").code == 0
    assert snapshot(clone) == before
