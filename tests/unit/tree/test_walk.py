"""What counts as a source of the project, and what is left alone and said to be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

from warp2wave.errors import UsageError
from warp2wave.tree import Tree, matcher, walk


def make(root: Path, *names: str, content: bytes = b"int x;\n") -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)


def names(tree: Tree) -> list[str]:
    return [str(path) for path in tree.sources]


def reasons(tree: Tree) -> dict[str, str]:
    return {str(skip.path): skip.reason for skip in tree.skipped}


def test_sources_are_told_by_their_names(tmp_path: Path) -> None:
    sources = ["a.cu", "b.cuh", "c.cpp", "d.h", "e.CU", "f.cu.h", "g.inl", "sub/h.hip", "i.cc"]
    make(tmp_path, *sources, "setup.py", "README.md", "k.cu.orig", "Makefile")
    tree = walk(tmp_path)
    assert sorted(names(tree)) == sorted(sources)
    assert {str(path) for path in tree.others} == {"setup.py", "README.md", "k.cu.orig", "Makefile"}


def test_the_order_does_not_depend_on_the_disk(tmp_path: Path) -> None:
    make(tmp_path, "b/z.cu", "a.cu", "b.cu", "b/a.cu", "a/c.cu")
    assert names(walk(tmp_path)) == ["a/c.cu", "a.cu", "b/a.cu", "b/z.cu", "b.cu"]


@pytest.mark.parametrize(
    "folder",
    [".git", "__pycache__", "node_modules", "x.egg-info", ".warp2wave", "gpu_compat", ".tox"],
)
def test_folders_without_sources_of_the_user_are_passed_over(tmp_path: Path, folder: str) -> None:
    make(tmp_path, f"{folder}/a.h", "keep.h")
    tree = walk(tmp_path)
    assert names(tree) == ["keep.h"]
    assert tree.skipped == ()


def test_a_deeper_gpu_compat_is_ours_only_with_our_header_in_it(tmp_path: Path) -> None:
    make(tmp_path, "one/gpu_compat/warp32.h", "two/gpu_compat/users.h")
    assert names(walk(tmp_path)) == ["two/gpu_compat/users.h"]


def test_f41_environments_and_build_output_are_named_as_skipped(tmp_path: Path) -> None:
    make(tmp_path, "env/pyvenv.cfg", "env/include/a.h", "c/conda-meta/x", "c/include/b.h")
    make(tmp_path, "build/x.cu", "dist/y.cu", "out/CMakeCache.txt", "out/z.cu", "logo.png")
    make(tmp_path, "sub/setup.py", "sub/build/t.cu", "k.cu")
    tree = walk(tmp_path)
    assert names(tree) == ["k.cu"]
    assert reasons(tree) == {
        "env": "virtual environment",
        "c": "virtual environment",
        "build": "build output",
        "dist": "build output",
        "out": "build output",
        "sub/build": "build output",
    }


def test_a_folder_named_build_among_sources_is_no_build_output(tmp_path: Path) -> None:
    make(tmp_path, "csrc/build/tree.cu")
    assert names(walk(tmp_path)) == ["csrc/build/tree.cu"]


def test_links_are_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    make(tmp_path, "outside/secret.h")
    make(root, "real/a.h")
    (root / "loop").symlink_to(".")
    (root / "real/up").symlink_to("..")
    (root / "other.h").symlink_to("real/a.h")
    (root / "gone.h").symlink_to("nowhere.h")
    (root / "self.h").symlink_to("self.h")
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "out.h").symlink_to(tmp_path / "outside/secret.h")
    tree = walk(root)
    assert names(tree) == ["real/a.h"]
    assert reasons(tree) == {
        "loop": "link to ., which is read under its own name",
        "real/up": "link to ., which is read under its own name",
        "other.h": "link to real/a.h, which is read under its own name",
        "gone.h": "link that leads nowhere",
        "self.h": "link that leads nowhere",
        "out": "link that leads out of the tree",
        "out.h": "link that leads out of the tree",
    }


def test_pipes_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.cu")
    assert reasons(walk(tmp_path)) == {"a.cu": "not a regular file"}


def test_a_folder_that_cannot_be_listed_is_named(tmp_path: Path, monkeypatch) -> None:
    make(tmp_path, "locked/a.cu", "b.cu")
    real = os.scandir

    def scandir(path):
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    tree = walk(tmp_path)
    assert names(tree) == ["b.cu"]
    assert reasons(tree) == {"locked": "cannot be read: permission denied"}


def test_names_with_blanks_and_any_bytes(tmp_path: Path) -> None:
    raw = os.fsencode(tmp_path) + b"/k\xe9\xff.cu"
    with open(raw, "wb") as stream:  # noqa: PTH123
        stream.write(b"x")
    make(tmp_path, "a b.cu", "ü n/ï.cu", "new\nline.cu")
    found = {os.fsencode(str(path)) for path in walk(tmp_path).sources}
    assert found == {b"k\xe9\xff.cu", b"a b.cu", "ü n/ï.cu".encode(), b"new\nline.cu"}


def test_f42_the_locale_does_not_matter(tmp_path: Path) -> None:
    make(tmp_path, "ké.cu", content="// é\n".encode())
    program = (
        "import sys; from warp2wave.tree import *\n"
        "tree = walk(sys.argv[1]); text = read_source(tree.root, tree.sources[0]).text\n"
        "assert '\\u00e9' in text and encode(text) == b'// \\xc3\\xa9\\n'\n"
    )
    for extra in ({"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}):
        environment = {"PATH": os.environ["PATH"], **extra}
        command = [sys.executable, "-c", program, os.fsencode(tmp_path)]
        done = subprocess.run(command, env=environment, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kind", ["missing", "file"])
def test_a_root_that_is_no_folder(tmp_path: Path, kind: str) -> None:
    make(tmp_path, "file")
    with pytest.raises(UsageError, match=kind):
        walk(tmp_path / kind)


def test_excluded_files_and_folders(tmp_path: Path) -> None:
    make(tmp_path, "a.cu", "old/b.cu", "old/deep/c.cu", "csrc/old/d.cu", "csrc/x_test.cu")
    tree = walk(tmp_path, ["./old/", "*_test.cu"])
    assert names(tree) == ["a.cu", "csrc/old/d.cu"]
    assert reasons(tree) == {
        "old": "excluded by the configuration",
        "csrc/x_test.cu": "excluded by the configuration",
    }


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.cu", "a.cu", True),
        ("*.cu", "deep/er/a.cu", True),
        ("csrc/*.cu", "csrc/a.cu", True),
        ("csrc/*.cu", "csrc/sub/a.cu", False),
        ("csrc/*.cu", "x/csrc/a.cu", False),
        ("csrc/**/*.cu", "csrc/a.cu", True),
        ("csrc/**/*.cu", "csrc/x/y/a.cu", True),
        ("csrc/**", "csrc/x/y", True),
        ("csrc", "csrc/x/y.cu", True),
        ("csrc", "mycsrc/x.cu", False),
        ("?.cu", "a.cu", True),
        ("?.cu", "ab.cu", False),
        ("[ab].cu", "b.cu", True),
        ("[!ab].cu", "b.cu", False),
        ("[!ab].cu", "c.cu", True),
        ("a+(b).cu", "a+(b).cu", True),
        ("a.cu", "aXcu", False),
        ("[", "[", True),
    ],
)
def test_globs(pattern: str, path: str, fits: bool) -> None:
    assert matcher([pattern])(PurePosixPath(path)) is fits


def test_a_glob_that_is_none() -> None:
    with pytest.raises(UsageError, match="bad file pattern"):
        matcher(["[z-a]"])
