"""Undo gives back every byte, and refuses where that would lose somebody's work."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from written_trees import change, create, snapshot

from warp2wave.errors import UsageError
from warp2wave.tree import digest
from warp2wave.writes import Write, undo, write_files

FILE_NAMES = ["a.cu", "b.h", "s/a.cu", "s/t/c.cuh", "é.h", "a b.cu", "n\udce9.cu"]
contents = st.binary(max_size=40)
trees = st.dictionaries(st.sampled_from(FILE_NAMES), contents, max_size=5)
# None removes a file; names that are not there yet are created.
ports = st.dictionaries(
    st.sampled_from([*FILE_NAMES, "gpu_compat/hip/x.h", "gpu_compat/y.h"]),
    st.none() | contents,
    max_size=6,
)


def lay(root: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)


def port(root: Path, changes: dict[str, bytes | None]) -> None:
    plan = []
    for name, content in changes.items():
        there = (root / name).is_file()
        expected = digest((root / name).read_bytes()) if there else None
        plan.append(Write(PurePosixPath(name), content, expected))
    write_files(root, plan)


@settings(max_examples=80, deadline=None)
@given(trees, st.lists(ports, min_size=1, max_size=3), st.integers(0, 0o7))
def test_undoing_any_ports_of_any_tree_gives_the_tree_back(files, rounds, other) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        lay(root, files)
        for name in files:
            (root / name).chmod(0o640 | other)
        before = snapshot(root)
        for changes in rounds:
            port(root, changes)
        if (root / ".warp2wave").exists():
            undo(root)
        assert snapshot(root) == before


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    lay(tmp_path, {"csrc/a.cu": b"a\n", "csrc/b.cu": b"b\n"})
    return tmp_path


def test_nothing_to_undo(tree: Path) -> None:
    with pytest.raises(UsageError, match="nothing to undo"):
        undo(tree)


def test_a_file_edited_afterwards_stops_the_undo(tree: Path) -> None:
    write_files(tree, [change("csrc/a.cu", b"A\n", b"a\n"), create("gpu_compat/x.h")])
    (tree / "csrc/a.cu").write_bytes(b"A\nmy work\n")
    before = snapshot(tree)
    with pytest.raises(UsageError, match=r"csrc/a\.cu"):
        undo(tree)
    assert snapshot(tree) == before


def test_forcing_the_undo_keeps_the_edit_aside(tree: Path) -> None:
    original = snapshot(tree)
    write_files(tree, [change("csrc/a.cu", b"A\n", b"a\n"), create("gpu_compat/x.h")])
    (tree / "csrc/a.cu").write_bytes(b"my work\n")
    (tree / "gpu_compat/x.h").write_bytes(b"mine too\n")
    undo(tree, force=True)
    kept = {name: what for name, what in snapshot(tree).items() if name not in original}
    assert kept[".warp2wave/discarded/csrc/a.cu"][1] == b"my work\n"
    assert kept[".warp2wave/discarded/gpu_compat/x.h"][1] == b"mine too\n"
    assert {name: snapshot(tree)[name] for name in original} == original
    assert not (tree / "gpu_compat").exists()


def test_an_edit_between_two_ports_is_not_undone_unasked(tree: Path) -> None:
    write_files(tree, [change("csrc/a.cu", b"A\n", b"a\n")])
    (tree / "csrc/a.cu").write_bytes(b"A\nmore\n")
    write_files(tree, [change("csrc/a.cu", b"AA\nmore\n", b"A\nmore\n")])
    with pytest.raises(UsageError, match=r"csrc/a\.cu"):
        undo(tree)
    undo(tree, force=True)
    assert (tree / "csrc/a.cu").read_bytes() == b"a\n"
    kept = sorted(place.name for place in (tree / ".warp2wave/discarded/csrc").iterdir())
    assert [(tree / ".warp2wave/discarded/csrc" / name).read_bytes() for name in kept] == [
        b"A\nmore\n",
        b"AA\nmore\n",
    ]


def test_a_file_that_the_user_put_back_himself_is_no_conflict(tree: Path) -> None:
    before = snapshot(tree)
    write_files(tree, [change("csrc/a.cu", b"A\n", b"a\n"), create("gpu_compat/x.h")])
    (tree / "csrc/a.cu").write_bytes(b"a\n")
    shutil.rmtree(tree / "gpu_compat")
    assert undo(tree) == ()
    assert snapshot(tree) == before


def test_a_ported_file_that_was_deleted_stops_the_undo(tree: Path) -> None:
    write_files(tree, [change("csrc/a.cu", b"A\n", b"a\n")])
    (tree / "csrc/a.cu").unlink()
    with pytest.raises(UsageError, match=r"csrc/a\.cu"):
        undo(tree)
    undo(tree, force=True)
    assert (tree / "csrc/a.cu").read_bytes() == b"a\n"


def test_folders_with_files_of_others_stay(tree: Path) -> None:
    write_files(tree, [create("gpu_compat/hip/x.h")])
    (tree / "gpu_compat/mine.txt").write_bytes(b"")
    (tree / ".warp2wave/build.json").write_bytes(b"{}")
    undo(tree)
    assert (tree / "gpu_compat/mine.txt").exists()
    assert not (tree / "gpu_compat/hip").exists()
    assert (tree / ".warp2wave/build.json").exists()
    assert not (tree / ".warp2wave/undo").exists()


def test_a_run_killed_between_journal_and_writes_can_be_undone(tree: Path) -> None:
    before = snapshot(tree)
    write_files(tree, [change("csrc/a.cu", b"A\n", b"a\n"), change("csrc/b.cu", b"B\n", b"b\n")])
    (tree / "csrc/b.cu").write_bytes(b"b\n")  # as if the second rename had not happened yet
    undo(tree)
    assert snapshot(tree) == before


@pytest.mark.parametrize(
    "spoil",
    [
        lambda _: "",
        lambda _: "[]",
        lambda text: text.replace('"schema": 1', '"schema": 99'),
        lambda text: text.replace('"csrc/a.cu"', '"../outside"'),
        lambda text: text.replace('"csrc/a.cu"', '"/etc/passwd"'),
        lambda text: text.replace(digest(b"a\n"), "../../csrc/b.cu"),
        lambda text: text.replace(digest(b"a\n"), digest(b"never kept")),
    ],
)
def test_a_damaged_journal_touches_nothing(tree: Path, spoil) -> None:
    write_files(tree, [change("csrc/a.cu", b"A\n", b"a\n")])
    journal = tree / ".warp2wave/undo/journal.json"
    spoiled = spoil(journal.read_text())
    assert spoiled != journal.read_text()
    journal.write_text(spoiled)
    before = snapshot(tree)
    with pytest.raises(UsageError):
        undo(tree, force=True)
    assert snapshot(tree) == before


def test_a_damaged_original_touches_nothing(tree: Path) -> None:
    write_files(tree, [change("csrc/a.cu", b"A\n", b"a\n"), create("x.h")])
    (tree / ".warp2wave/undo" / digest(b"a\n")).write_bytes(b"other")
    before = snapshot(tree)
    with pytest.raises(UsageError, match="damaged"):
        undo(tree, force=True)
    assert snapshot(tree) == before


def test_undo_does_not_follow_a_link_that_came_later(tree: Path, tmp_path_factory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "a.cu").write_bytes(b"A\n")
    write_files(tree, [change("csrc/a.cu", b"A\n", b"a\n")])
    shutil.rmtree(tree / "csrc")
    (tree / "csrc").symlink_to(elsewhere)
    with pytest.raises(UsageError):
        undo(tree, force=True)
    assert (elsewhere / "a.cu").read_bytes() == b"A\n"


def test_the_journal_is_plain_json(tree: Path) -> None:
    write_files(tree, [change("csrc/a.cu", b"A\n", b"a\n")])
    document = json.loads((tree / ".warp2wave/undo/journal.json").read_text(encoding="ascii"))
    assert document["schema"] == 1
    assert [file["path"] for file in document["files"]] == ["csrc/a.cu"]


def test_a_file_removed_and_written_again_has_its_permissions_back(tree: Path) -> None:
    (tree / "csrc/a.cu").chmod(0o640)
    before = snapshot(tree)
    write_files(tree, [change("csrc/a.cu", None, b"a\n")])
    write_files(tree, [create("csrc/a.cu", b"a\n")])
    undo(tree)
    assert snapshot(tree) == before
