"""The patch that is shown is the change, byte for byte: git applies it."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warp2wave.port.edits import changed_lines, unified_diff
from warp2wave.tree import decode, encode


def git_apply(patch: str, path: str, old: bytes | None) -> bytes | None:
    """Apply a patch to a folder that holds `path`, and return what it holds then."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / path
        if old is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(old)
        done = subprocess.run(
            ["git", "apply", "--whitespace=nowarn", "-"],
            cwd=folder,
            input=encode(patch),
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode() + patch
        return place.read_bytes() if place.exists() else None


line = st.sampled_from(
    [b"a", b"b", b"", b"int x;", b"a\r", b"\x0cform", b"\xff\xfe", b"\xe9", b"-x"]
)
texts = st.builds(
    lambda lines, end: b"\n".join(lines) + end,
    st.lists(line, max_size=30),
    st.sampled_from([b"", b"\n"]),
)


@settings(max_examples=60, deadline=None)
@given(texts, texts)
def test_git_applies_any_change(old: bytes, new: bytes) -> None:
    patch = unified_diff("csrc/k.cu", decode(old), decode(new))
    if old == new:
        assert patch == ""
    else:
        assert git_apply(patch, "csrc/k.cu", old) == new


@pytest.mark.parametrize(
    "path", ["a b.cu", "d/ünï.cu", 'q"uote.cu', "tab\there.cu", "back\\slash.cu", "new\nline.cu"]
)
def test_git_reads_odd_names(path: str) -> None:
    assert git_apply(unified_diff(path, "a\n", "b\n"), path, b"a\n") == b"b\n"


def test_git_creates_and_removes_files() -> None:
    assert git_apply(unified_diff("x/new.h", None, "a\r\nb"), "x/new.h", None) == b"a\r\nb"
    assert git_apply(unified_diff("old.h", "a\n", None), "old.h", b"a\n") is None
    assert git_apply(unified_diff("e.h", None, ""), "e.h", None) == b""


def test_only_changed_lines_and_three_of_context_are_shown() -> None:
    old = "".join(f"line {number}\n" for number in range(40))
    patch = unified_diff("k.cu", old, old.replace("line 20\n", "line twenty\n"))
    assert patch.splitlines()[3:] == [
        "@@ -18,7 +18,7 @@",
        " line 17",
        " line 18",
        " line 19",
        "-line 20",
        "+line twenty",
        " line 21",
        " line 22",
        " line 23",
    ]


def test_a_carriage_return_alone_ends_no_line() -> None:
    assert changed_lines("a\rb\nc\n", "a\rB\nc\n") == (1, 1)


@settings(deadline=None)
@given(texts, texts)
def test_changed_lines_match_the_patch(old: bytes, new: bytes) -> None:
    body = unified_diff("k.cu", decode(old), decode(new)).split("\n")[4:]
    signs = [line[:1] for line in body if not line.startswith(("@@", "\\"))]
    # In the body every line carries a sign, so "-" and "+" count lines exactly.
    assert changed_lines(decode(old), decode(new)) == (signs.count("-"), signs.count("+"))


def test_a_large_file_with_many_small_changes_needs_no_quadratic_search() -> None:
    lines = [f"int v{number}; // same tail" for number in range(100_000)]
    new = [
        text.replace("int", "long") if number % 100 == 0 else text
        for number, text in enumerate(lines)
    ]
    assert changed_lines("\n".join(lines), "\n".join(new)) == (1000, 1000)
