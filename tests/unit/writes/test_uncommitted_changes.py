"""Git is asked for the user's own uncommitted work, and runs nothing of the repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path, PurePosixPath

import pytest

from warp2wave.tree import digest
from warp2wave.writes import Write, uncommitted_changes, write_files

IDENTITY = ["-c", "user.name=T", "-c", "user.email=t@example.invalid", "-c", "core.autocrlf=false"]


def git(root: Path, *arguments: str) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    subprocess.run(
        ["git", *IDENTITY, *arguments], cwd=root, env=environment, check=True, capture_output=True
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    (root / "ext/csrc").mkdir(parents=True)
    (root / "ext/csrc/a.cu").write_bytes(b"a\n")
    (root / "ext/b é.cu").write_bytes(b"b\n")
    (root / "other.txt").write_bytes(b"o\n")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    return root


def test_a_clean_tree(repository: Path) -> None:
    assert uncommitted_changes(repository) == ()


def test_changed_staged_removed_and_new_sources_count(repository: Path) -> None:
    (repository / "ext/csrc/a.cu").write_bytes(b"A\n")
    (repository / "ext/b é.cu").unlink()
    (repository / "new.cu").write_bytes(b"")
    (repository / "staged.txt").write_bytes(b"")
    git(repository, "add", "staged.txt")
    (repository / "notes.txt").write_bytes(b"untracked, no source")
    assert uncommitted_changes(repository) == (
        "ext/b é.cu",
        "ext/csrc/a.cu",
        "new.cu",
        "staged.txt",
    )


def test_only_the_folder_asked_for_counts_and_names_are_relative_to_it(repository: Path) -> None:
    (repository / "other.txt").write_bytes(b"changed\n")
    assert uncommitted_changes(repository / "ext") == ()
    (repository / "ext/csrc/a.cu").write_bytes(b"A\n")
    assert uncommitted_changes(repository / "ext") == ("csrc/a.cu",)


def test_what_the_port_wrote_does_not_count_but_edits_of_it_do(repository: Path) -> None:
    a = PurePosixPath("ext/csrc/a.cu")
    write_files(
        repository,
        [Write(a, b"ported\n", digest(b"a\n")), Write(PurePosixPath("gpu_compat/x.h"), b"", None)],
    )
    assert uncommitted_changes(repository) == ()
    (repository / a).write_bytes(b"ported, then edited\n")
    assert uncommitted_changes(repository) == ("ext/csrc/a.cu",)


def test_no_repository_and_no_git(tmp_path: Path, repository: Path, monkeypatch) -> None:
    (tmp_path / "plain").mkdir()
    assert uncommitted_changes(tmp_path / "plain") == ()
    (repository / "ext/csrc/a.cu").write_bytes(b"A\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert uncommitted_changes(repository) == ()


def test_another_repository_named_in_the_environment_is_not_asked(
    repository: Path, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    (repository / "ext/csrc/a.cu").write_bytes(b"A\n")
    assert uncommitted_changes(repository) == ("ext/csrc/a.cu",)


@pytest.mark.parametrize("way", ["core.fsmonitor", "filter.f.clean", "filter.f.process", "hook"])
def test_nothing_of_the_repository_is_run(repository: Path, tmp_path: Path, way: str) -> None:
    ran = tmp_path / "ran"
    program = repository / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch '{ran}'\ncat\n")
    program.chmod(0o755)
    if way == "hook":
        hook = repository / ".git/hooks/post-index-change"
        hook.parent.mkdir(exist_ok=True)
        hook.write_bytes(program.read_bytes())
        hook.chmod(0o755)
        # Same bytes, other time: git wants to note that in its index, and calls the hook.
        os.utime(repository / "ext/b é.cu", (1, 1))
    else:
        (repository / ".gitattributes").write_text("*.cu filter=f\n")
        git(repository, "config", way, str(program))
    (repository / "ext/csrc/a.cu").write_bytes(b"A\n")
    assert "ext/csrc/a.cu" in uncommitted_changes(repository)
    assert not ran.exists()
    # The trap works: git by itself does run it.
    subprocess.run(["git", "status"], cwd=repository, capture_output=True, check=False)
    assert ran.exists()
