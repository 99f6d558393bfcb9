"""Locales, pipes, colour and Ctrl-C: what a shell and a CI log make of the command."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import KERNEL, command, make, process, snapshot

ASCII = {
    "LC_ALL": "C",
    "LANG": "C",
    "PYTHONIOENCODING": "ascii",
    "PYTHONUTF8": "0",
    "PYTHONCOERCECLOCALE": "0",
}
BOX = "\u2500\u2502\u256d\u256e\u2570\u256f\u250c\u2510\u2514\u2518\u2501\u2503"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = make(tmp_path / "tree", {"\u00e9 \u4e2d.cu": KERNEL + b"// \xc3\xa9 \xff\n"})
    (root / "bin\udce9.cu").write_bytes(b"\0")
    return root


def test_f42_an_ascii_locale_ends_nothing(tree: Path) -> None:
    before = snapshot(tree)
    patch = process("port", tree, "--diff", env=ASCII)
    assert patch.code == 0
    assert patch == process("port", tree, "--diff", env={"LC_ALL": "C.UTF-8"})
    for more in ([], ["--format", "json"], ["--check"]):
        ran = process("port", tree, *more, env=ASCII)
        assert ran.code == 0, ran
        assert ran.out.isascii()
        assert ran.err.isascii()
    assert process("port", tree, "--undo", env=ASCII).code == 0
    assert snapshot(tree) == before
    for arguments in (
        ["port", "\u00e9\udcff"],
        ["map", "\u00e9"],
        ["--help"],
        ["port", "--\u00e9"],
    ):
        ran = process(*arguments, env=ASCII)
        assert ran.code in (0, 1, 2)
        assert b"Traceback" not in ran.err
        assert b"bug of ours" not in ran.err


def test_a_pipe_gets_no_escape_codes_and_no_boxes(tree: Path) -> None:
    plain = {"TERM": "xterm-256color", "COLUMNS": "40"}
    for arguments in (
        ["port", tree, "--check"],
        ["map", "cudaMalloc", "cudaMaloc"],
        ["doctor"],
        ["--help"],
        ["port", "--help"],
        ["port"],
        ["port", tree, "--bogus"],
    ):
        ran = process(*arguments, env=plain)
        said = (ran.out + ran.err).decode()
        assert "\x1b" not in said
        assert not set(said) & set(BOX)


def on_terminal(*arguments: str | Path, env: dict[str, str]) -> bytes:
    """What the command writes to a terminal."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        command(*arguments),
        env={**os.environ, "TERM": "xterm-256color", **env},
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=follower,
    ) as run:
        os.close(follower)
        said = b""
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:
                break
            if not piece:
                break
            said += piece
        run.wait(60)
    os.close(leader)
    return said


def test_no_color_is_heeded(tree: Path) -> None:
    for arguments in (["map", "cudaMalloc"], ["port", tree, "--check"], ["port", "--help"]):
        said = on_terminal(*arguments, env={"NO_COLOR": "1"})
        assert said
        assert b"\x1b[3" not in said
        assert b"\x1b[9" not in said


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    text = b"cudaNoSuchName%d();\n"
    root = make(tmp_path / "t", {"k.cu": b"".join(text % i for i in range(20000))})
    for more in ([], ["--format", "json"]):
        with subprocess.Popen(
            command("port", root, "--check", *more), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as run:
            assert run.stdout is not None
            assert run.stderr is not None
            run.stdout.readline()
            run.stdout.close()
            said = run.stderr.read()
            run.wait(60)
        assert said == b""
    with subprocess.Popen(
        command("port", root, "--diff"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.close()
        said = run.stderr.read()
        run.wait(60)
    assert said == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_standard_output_is_said(tree: Path) -> None:
    for more in ([], ["--format", "json"], ["--diff"]):
        arguments = command("port", tree, *(more or ["--check"]))
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 2, done
        assert b"no space left" in done.stderr.lower()
        assert b"Traceback" not in done.stderr
        assert b"bug of ours" not in done.stderr


def test_closed_standard_streams(tree: Path) -> None:
    before = snapshot(tree)
    for closed in (">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
        words = [f"'{word}'" for word in command("port", tree, "--check")]
        done = subprocess.run(
            ["sh", "-c", f"{' '.join(map(str, words))} {closed}"], capture_output=True, check=False
        )
        assert b"Traceback" not in done.stderr
        assert done.returncode in (1, 2)
    assert snapshot(tree) == before


SLOW = """
import sys, time
from warp2wave import cli, writes
real = writes.replace_file
def slow(place, *more):
    print("writing", flush=True)
    time.sleep(0.3)
    return real(place, *more)
writes.replace_file = slow
sys.argv = ["warp2wave", "port", sys.argv[1]]
cli.main()
"""


def test_ctrl_c_leaves_the_tree_as_it_was(tree: Path) -> None:
    before = snapshot(tree)
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, tree], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        for _ in range(4):
            assert run.stdout.readline() == b"writing\n"
        time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        said = run.stderr.read()
        run.wait(60)
    assert run.returncode == 130
    assert b"Traceback" not in said
    assert snapshot(tree) == before
    assert process("port", tree).code == 0
