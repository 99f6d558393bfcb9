"""`port` reads strangers' trees: nothing of them is executed, whatever they hold."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from command_line import KERNEL, git, make, process, repository


@pytest.fixture
def trap(tmp_path: Path) -> tuple[Path, Path]:
    """A tree in which everything that could run would leave a mark, and the mark."""
    mark = tmp_path / "ran"
    python = f"open({str(mark)!r}, 'w').close()\n".encode()
    shell = f"#!/bin/sh\ntouch '{mark}'\ncat\n".encode()
    modules = ("json", "typer", "rich", "torch", "warp2wave", "tomllib", "sitecustomize")
    root = make(
        tmp_path / "tree",
        {
            "k.cu": KERNEL,
            "setup.py": python + b"from setuptools import setup\nsetup(name='x')\n",
            "conftest.py": python,
            "usercustomize.py": python,
            "pkg/__init__.py": python,
            "a.pth": b"import os; " + python,
            "CMakeLists.txt": f'execute_process(COMMAND touch "{mark}")\n'.encode(),
            "Makefile": f"X := $(shell touch '{mark}')\n".encode(),
            "pyproject.toml": b'[build-system]\nrequires = []\nbuild-backend = "conftest"\n'
            b'backend-path = ["."]\n',
            "warp2wave.toml": f"name = \"$(touch '{mark}')`touch '{mark}'`\"\n".encode(),
            "program.sh": shell,
            "git": shell,
            "nvcc": shell,
            **{f"{name}.py": python for name in modules},
        },
    )
    for name in ("program.sh", "git", "nvcc"):
        (root / name).chmod(0o755)
    repository(root)
    for hook in ("pre-commit", "post-index-change", "post-checkout", "fsmonitor-watchman"):
        place = root / ".git/hooks" / hook
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(shell)
        place.chmod(0o755)
    for key in ("core.fsmonitor", "core.editor", "core.pager", "diff.external", "alias.status"):
        git(root, "config", key, ("!" if key.startswith("alias") else "") + f"{root}/program.sh")
    os.utime(root / "k.cu", (1, 1))
    assert not mark.exists()
    return root, mark


@pytest.mark.parametrize("inside", [False, True], ids=["from outside", "from within"])
def test_no_mark_is_left(w2w, trap: tuple[Path, Path], tmp_path: Path, inside: bool) -> None:
    root, mark = trap
    if inside:
        os.chdir(root)
    for more in (["--diff"], ["--check"], ["--output", tmp_path / "copy"], [], ["--undo"]):
        ran = w2w("port", root, *more)
        assert ran.code in (0, 1), ran
        assert not mark.exists(), more
    # The traps work: git by itself falls into one.
    subprocess.run(["git", "status"], cwd=root, capture_output=True, check=False)
    assert mark.exists()


def test_the_installed_command_imports_nothing_from_the_current_folder(
    trap: tuple[Path, Path],
) -> None:
    root, mark = trap
    import sys

    script = Path(sys.executable).with_name("warp2wave")
    if not script.exists():
        pytest.skip("the command is not installed beside this Python")
    done = subprocess.run(
        [script, "port", ".", "--check"], cwd=root, capture_output=True, check=False
    )
    assert done.returncode == 1
    assert not mark.exists()


def test_a_relative_path_program_is_not_taken_from_the_tree(trap: tuple[Path, Path]) -> None:
    root, mark = trap
    ran = process("port", root, "--check", env={"PATH": os.environ["PATH"]})
    assert ran.code == 1
    assert not mark.exists()
