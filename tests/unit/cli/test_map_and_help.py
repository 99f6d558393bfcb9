"""`map` for any string, and help that says enough."""

from __future__ import annotations

import subprocess
import sys

import pytest
from command_line import process
from typer.main import get_command

from warp2wave import cli


def test_names_and_headers(w2w) -> None:
    ran = w2w("map", "cudaMalloc", "cuda_runtime.h", "cublasSgemm", "cub::BlockReduce")
    assert ran.code == 0
    assert "cudaMalloc -> hipMalloc" in ran.text
    assert "cuda_runtime.h -> hip/hip_runtime.h" in ran.text
    assert ran.text.count("  source: ") == 4
    entries = w2w("map", "cudaMalloc", "--format", "json").json["names"]
    assert entries[0]["entry"]["hip"] == "hipMalloc"
    assert entries[0]["entry"]["source"]


@pytest.mark.parametrize(
    ("typo", "meant"),
    [
        ("cudaMaloc", "cudaMalloc"),
        ("cudamemcpy", "cudaMemcpy"),
        ("cudaStreamSyncronize", "cudaStreamSynchronize"),
        ("__shfl_down_synch", "__shfl_down_sync"),
        ("cuda_fp61.h", "cuda_fp16.h"),
    ],
)
def test_a_typo_is_answered_with_what_was_meant(w2w, typo: str, meant: str) -> None:
    ran = w2w("map", typo, "--format", "json")
    assert ran.code == 1
    assert ran.json["names"][0]["entry"] is None
    assert meant in ran.json["names"][0]["near"]
    assert meant in w2w("map", typo).text


ODD = {
    "empty": "",
    "blank": " ",
    "one letter": "a",
    "accent": "\u00e9\u4e2d\U0001f600",
    "no UTF-8": "cuda\udcff\udcfe",
    "markup": "[bold red]cudaMalloc[/]",
    "unclosed markup": "[/nothing]",
    "control": "\x1b[31mred\x07\r",
    "newlines": "a\nb\nc",
    "regular expression": "((((((a+)+)+)+)+)$",
    "brackets": "<cuda_runtime.h>",
    "path": "../../etc/passwd",
    "a thousand letters": "cuda" * 250,
    "a thousand different": "".join(chr(0x4E00 + i) for i in range(1000)),
    "a hundred thousand": "x" * 100_000,
    "template": "cub::BlockReduce<float, 128>",
    "percent": "%s%d{}{0}$HOME",
}


@pytest.mark.parametrize("name", ODD.values(), ids=ODD)
def test_any_string_is_answered(w2w, name: str) -> None:
    ran = w2w("map", "--", name)
    assert ran.code == 1, ran
    assert "not in the map" in ran.text
    assert ran.said == ""
    assert b"\x1b" not in ran.out
    answer = w2w("map", "--format", "json", "--", name)
    assert answer.code == 1
    assert answer.json["names"][0]["query"] == name


def test_help_tells_what_each_command_does(w2w) -> None:
    commands = ["port", "build", "map", "doctor"]
    top = w2w("--help")
    assert top.code == 0
    for name in commands:
        assert f"  {name} " in top.text
        ran = w2w(name, "--help")
        assert ran.code == 0
        assert w2w(name, "-h").out == ran.out
        for parameter in get_command(cli.app).commands[name].params:
            assert parameter.help, f"{name} {parameter.name}"
    assert w2w().code in (0, 2)
    assert w2w().text or w2w().said


def test_help_imports_nothing_heavy() -> None:
    """What --help needs is typer; the rest is for the commands that use it."""
    program = (
        "import sys; sys.argv = ['warp2wave', 'port', '--help']\n"
        "from warp2wave import cli\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        "print([m for m in ('torch', 'numpy', 'rich', 'unearth', 'httpx', 'requests', 'tomllib',\n"
        "    'warp2wave.apimap', 'warp2wave.views') if m in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stderr.strip() == b"[]"


def test_no_command_imports_torch_or_an_index_client_before_it_must(tmp_path) -> None:
    (tmp_path / "k.cu").write_bytes(b"cudaMalloc(0, 1);\n")
    program = (
        "import sys; sys.argv = ['warp2wave', *sys.argv[1:]]\n"
        "from warp2wave import cli\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        "heavy = ['torch', 'numpy', 'unearth', 'httpx']\n"
        "heavy += ['warp2wave.doctor', 'warp2wave.port'] * (sys.argv[1] == 'map')\n"
        "print([m for m in heavy if m in sys.modules], file=sys.stderr)\n"
    )
    for arguments in (["map", "cudaMalloc"], ["port", str(tmp_path), "--check"], ["doctor"]):
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments], capture_output=True, check=True
        )
        assert done.stderr.strip() == b"[]", arguments


def test_the_version() -> None:
    from warp2wave import __version__

    ran = process("--version")
    assert (ran.code, ran.text) == (0, f"warp2wave {__version__}\n")
