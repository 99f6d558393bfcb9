"""A copied tree can be ported by itself: nothing in it leads back to the original."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from written_trees import change, snapshot

from warp2wave import copying
from warp2wave.errors import UsageError
from warp2wave.writes import copy_tree, undo, write_files


def lay(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(name.encode("utf-8", "surrogateescape"))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    lay(root, "setup.py", "csrc/a.cu", "csrc/é b.h", "docs/logo.png", "x.egg-info/PKG-INFO")
    (root / "empty").mkdir()
    (root / "csrc/run.sh").write_bytes(b"#!/bin/sh\n")
    (root / "csrc/run.sh").chmod(0o755)
    os.utime(root / "csrc/a.cu", (1000, 1000))
    return root


def test_everything_arrives_as_it_was(tree: Path, tmp_path: Path) -> None:
    before = snapshot(tree)
    assert copy_tree(tree, tmp_path / "a/b/copy") == ()
    assert snapshot(tmp_path / "a/b/copy") == before == snapshot(tree)
    assert (tmp_path / "a/b/copy/csrc/a.cu").stat().st_mtime == 1000


def test_an_empty_folder_may_be_there(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    copy_tree(tree, tmp_path / "copy")
    assert snapshot(tmp_path / "copy") == snapshot(tree)


@pytest.mark.parametrize("there", ["file", "full", "same"])
def test_what_is_there_is_not_overwritten(tree: Path, tmp_path: Path, there: str) -> None:
    lay(tmp_path, "file", "full/x")
    before = snapshot(tmp_path)
    with pytest.raises(UsageError, match="not an empty folder"):
        copy_tree(tree, tree if there == "same" else tmp_path / there)
    assert snapshot(tmp_path) == before


def test_a_copy_inside_the_tree_does_not_hold_itself(tree: Path) -> None:
    before = snapshot(tree)
    copy_tree(tree, tree / "ported")
    assert snapshot(tree / "ported") == before


def test_caches_environments_and_the_undo_journal_stay_behind(tree: Path, tmp_path: Path) -> None:
    expected = snapshot(tree)
    write_files(tree, [change("csrc/a.cu", b"A", b"csrc/a.cu")])
    lay(tree, "env/pyvenv.cfg", "env/x", "csrc/__pycache__/x.pyc", "out/CMakeCache.txt", "out/x.o")
    copy_tree(tree, tmp_path / "copy")
    copied = snapshot(tmp_path / "copy")
    assert set(copied) == set(expected)
    assert copied["csrc/a.cu"][1] == b"A"
    with pytest.raises(UsageError, match="nothing to undo"):
        undo(tmp_path / "copy")


def test_links_lead_into_the_copy_or_to_where_they_led(tree: Path, tmp_path: Path) -> None:
    lay(tmp_path, "elsewhere/lib.h")
    links = {
        "beside.cu": "csrc/a.cu",
        "csrc/up": "..",
        "absolute.cu": str(tree / "csrc/a.cu"),
        "csrc/around.cu": "../../tree/csrc/a.cu",
        "out.h": "../elsewhere/lib.h",
        "gone.h": "nowhere.h",
        "self.h": "self.h",
    }
    for name, target in links.items():
        (tree / name).symlink_to(target)
    copy = tmp_path / "deep/er/copy"
    assert copy_tree(tree, copy) == ()
    assert (copy / "beside.cu").readlink() == Path("csrc/a.cu")
    assert (copy / "gone.h").readlink() == Path("nowhere.h")
    assert (copy / "self.h").is_symlink()
    for name in ("beside.cu", "absolute.cu", "csrc/around.cu"):
        assert (copy / name).is_symlink()
        assert (copy / name).resolve() == (copy / "csrc/a.cu").resolve()
    assert (copy / "csrc/up").resolve() == copy.resolve()
    assert (copy / "out.h").resolve() == (tmp_path / "elsewhere/lib.h").resolve()


def test_special_and_unreadable_files_are_named(tree: Path, tmp_path: Path, monkeypatch) -> None:
    os.mkfifo(tree / "pipe")
    real = Path.open

    def refusing(path: Path, *arguments, **options):
        if path.name == "logo.png":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", refusing)
    skipped = copy_tree(tree, tmp_path / "copy")
    assert {str(skip.path): skip.reason for skip in skipped} == {
        "docs/logo.png": "cannot be read: permission denied",
        "pipe": "not a regular file",
    }
    assert (tmp_path / "copy/csrc/a.cu").exists()


def test_a_read_only_source_can_be_ported_in_the_copy(tree: Path, tmp_path: Path) -> None:
    (tree / "csrc/a.cu").chmod(0o444)
    copy_tree(tree, tmp_path / "copy")
    assert stat.S_IMODE((tmp_path / "copy/csrc/a.cu").stat().st_mode) == 0o644


def test_a_repository_elsewhere_is_not_shared(tree: Path, tmp_path: Path) -> None:
    (tree / "sub").mkdir()
    (tree / ".git").write_text(f"gitdir: {tmp_path}/main/.git/worktrees/tree\n")
    (tree / "sub/.git").write_text("gitdir: ../csrc\n")
    copy_tree(tree, tmp_path / "copy")
    assert not (tmp_path / "copy/.git").exists()
    assert (tmp_path / "copy/sub/.git").exists()


def test_a_failed_copy_leaves_nothing(tree: Path, tmp_path: Path, monkeypatch) -> None:
    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(copying.shutil, "copy2", full)
    with pytest.raises(UsageError, match="No space left"):
        copy_tree(tree, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
