"""Each exit code, from the situation in which a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import KERNEL, make, process, snapshot

from warp2wave import registry
from warp2wave.port import single_source


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return make(tmp_path / "tree", {"k.cu": KERNEL, "setup.py": b"1/0\n"})


def test_0_is_fine(w2w, tree: Path) -> None:
    assert w2w("port", tree).code == 0
    assert w2w("port", tree, "--check").code == 0
    assert w2w("map", "cudaMalloc").code == 0
    assert w2w("doctor").code == 0
    assert w2w("--version").code == 0


def test_1_is_out_of_date_or_unknown(w2w, tree: Path) -> None:
    assert w2w("port", tree, "--check").code == 1
    assert w2w("map", "cudaMalloc", "cudaNoSuchThing").code == 1


WRONG = {
    "missing folder": ["port", "{tmp}/none"],
    "missing folder, diff": ["port", "{tmp}/none", "--diff"],
    "missing folder, build": ["build", "{tmp}/none", "--compile-only", "--target", "cuda:sm_90"],
    "missing folder, undo": ["port", "{tmp}/none", "--undo"],
    "file, undo": ["port", "{tree}/k.cu", "--undo"],
    "a file": ["port", "{tree}/k.cu"],
    "a file, check": ["port", "{tree}/k.cu", "--check"],
    "a file, build": ["build", "{tree}/k.cu", "--compile-only", "--target", "cuda:sm_90"],
    "no argument": ["port"],
    "no name": ["map"],
    "unknown command": ["prot", "{tree}"],
    "unknown option": ["port", "{tree}", "--bogus"],
    "bad choice": ["port", "{tree}", "--fix", "some"],
    "bad format": ["map", "cudaMalloc", "--format", "xml"],
    "excluding options": ["port", "{tree}", "--diff", "--check"],
    "undo of a copy": ["port", "{tree}", "--undo", "--output", "{tmp}/o"],
    "diff into a copy": ["port", "{tree}", "--diff", "--output", "{tmp}/o"],
    "check of a copy": ["port", "{tree}", "--check", "--output", "{tmp}/o"],
    "never ported": ["port", "{tree}", "--undo"],
    "no target": ["build", "{tree}", "--compile-only"],
    "target without a kind": ["build", "{tree}", "--compile-only", "--target", "gfx90a"],
    "target of no kind": ["build", "{tree}", "--compile-only", "--target", "vk:sm_90"],
    "target of no form": ["build", "{tree}", "--compile-only", "--target", "hip:sm_90"],
    "target with an option in it": ["build", "{tree}", "--compile-only", "--target", "cuda:-x"],
    "doctor's target": ["doctor", "--require", "gfx90a"],
    "linking": ["build", "{tree}", "--target", "cuda:sm_90"],
    "no jobs": ["build", "{tree}", "--compile-only", "--target", "cuda:sm_90", "-j", "0"],
    "pypi without version": ["port", "pypi:torch-scatter", "--output", "{tmp}/o"],
    "pypi without name": ["port", "pypi:", "--output", "{tmp}/o"],
    "pypi with junk": ["port", "pypi:../x==1", "--output", "{tmp}/o"],
    "pypi in place": ["port", "pypi:torch-scatter==2.1.2"],
    "full output": ["port", "{tree}", "--output", "{full}"],
    "output is a file": ["port", "{tree}", "--output", "{tree}/k.cu"],
    "output below a file": ["port", "{tree}", "--output", "{tree}/k.cu/x"],
    "output is the source": ["port", "{tree}", "--output", "{tree}"],
    "output inside the source": ["port", "{tree}", "--output", "{tree}/copy"],
    "output inside the source, deeper": ["port", "{tree}", "--output", "{tree}/a/b/../c"],
    "empty path": ["port", ""],
    "name with NUL's neighbour": ["port", "{tree}/\x01"],
    "long name": ["port", "x" * 5000],
}


@pytest.mark.parametrize("arguments", WRONG.values(), ids=WRONG)
def test_2_is_wrong_usage(
    w2w, tmp_path: Path, tree: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "find_files", None)  # nothing may be asked of an index
    full = make(tmp_path / "full", {"x": b""})
    before = snapshot(tmp_path)
    names = {"{tmp}": str(tmp_path), "{tree}": str(tree), "{full}": str(full)}
    for name, value in names.items():
        arguments = [argument.replace(name, value) for argument in arguments]
    ran = w2w(*arguments)
    assert ran.code == 2, ran
    assert ran.out == b""
    assert 0 < len(ran.said.strip().splitlines()) <= 5
    assert "Traceback" not in ran.said
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(
    ("file", "text", "named"),
    [
        ("pyproject.toml", b"[tool.warp2wave]\nexlude = []\n", "exclude"),
        ("warp2wave.toml", b"exclude = 3\n", "exclude"),
        ("warp2wave.toml", b"a = [\n", "line"),
        ("warp2wave.toml", b"# \xff\n", "line 1"),
        ("warp2wave.toml", b"exclude = ['../x']\n", "../x"),
        ("warp2wave.toml", b"exclude = [" + b"[" * 5000, "warp2wave.toml"),
    ],
)
def test_2_is_a_configuration_that_cannot_be_read(
    w2w, tmp_path: Path, tree: Path, file: str, text: bytes, named: str
) -> None:
    (tree / file).write_bytes(text)
    before = snapshot(tree)
    for more in ([], ["--check"], ["--diff"], ["--output", tmp_path / "copy"]):
        ran = w2w("port", tree, *more)
        assert ran.code == 2, ran
        assert file in ran.said
        assert named in ran.said
    assert snapshot(tree) == before
    # What failed left nothing that the next try would stumble over.
    assert not (tmp_path / "copy").exists()


def test_3_names_the_line_that_installs_the_tool(tmp_path: Path, tree: Path) -> None:
    nothing = {"PATH": "/nonexistent", "W2W_CACHE_DIR": str(tmp_path / "cache"), "CUDA_HOME": ""}
    build = ["build", tree, "--compile-only", "--target", "hip:gfx90a"]
    for arguments in (build, ["doctor", "--require", "hip:gfx90a"]):
        ran = process(*arguments, env=nothing | {"ROCM_PATH": "", "HIP_PATH": ""})
        if Path("/opt/rocm/include/hip").is_dir():
            pytest.skip("a ROCm is installed, so nothing is missing")
        assert ran.code == 3, ran
        assert "install: " in (ran.said + ran.text)
        assert "apt-get install" in (ran.said + ran.text) or "doctor --install" in (
            ran.said + ran.text
        )


def test_3_is_the_code_with_json_too(w2w, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from warp2wave import doctor
    from warp2wave.errors import MissingToolError

    def missing(*_: object, **__: object) -> None:
        raise MissingToolError("no nvcc", "get nvcc")

    monkeypatch.setattr(doctor, "find_cuda_toolchain", missing)
    ran = w2w("doctor", "--require", "cuda:sm_90", "--format", "json")
    assert ran.code == 3
    assert ran.json["required"] == [
        {"target": "cuda:sm_90", "missing": "no nvcc", "install": "get nvcc"}
    ]


@pytest.fixture
def fake_nvcc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An nvcc that refuses every file as nvcc words it."""
    nvcc = tmp_path / "cuda/bin/nvcc"
    nvcc.parent.mkdir(parents=True)
    nvcc.write_text(
        "#!/bin/sh\n"
        'case " $* " in *" --version "*) echo "release 13.0, V13.0.88"; exit 0;; esac\n'
        "for word; do case $word in *.cu) src=$word;; esac; done\n"
        'echo "$src(2): error: identifier \\"oops\\" is undefined" >&2\nexit 1\n'
    )
    nvcc.chmod(0o755)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "cuda"))
    return nvcc


def test_4_ties_the_first_error_to_the_user_s_line(w2w, tmp_path: Path, fake_nvcc: Path) -> None:
    tree = make(tmp_path / "t", {"csrc/bad é.cu": b"void f() {\n  oops;\n}\n"})
    arguments = ["build", tree, "--compile-only", "--target", "cuda:sm_90"]
    ran = w2w(*arguments)
    assert ran.code == 4, ran
    assert "csrc/bad é.cu:2" in ran.text
    assert 'identifier "oops" is undefined' in ran.text
    log = next(line for line in ran.text.splitlines() if "full log:" in line)
    assert "oops" in Path(log.partition("full log: ")[2]).read_text()
    ran = w2w(*arguments, "--format", "json")
    assert ran.code == 4
    assert ran.json["schema"] == 1
    assert ran.json["ok"] is False
    failure = ran.json["units"][0]["failure"]
    assert (failure["path"], failure["line"]) == ("csrc/bad é.cu", 2)
    assert ran.json == json.loads((tree / ".warp2wave/build.json").read_bytes())


def test_70_is_a_bug_of_ours_with_its_trace_kept(
    w2w, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise AssertionError("no such thing \udcff")

    monkeypatch.setattr(single_source, "plan_port", broken)
    before = snapshot(tree)
    ran = w2w("port", tree)
    assert ran.code == 70
    assert ran.out == b""
    assert "bug of ours" in ran.said
    log = Path(ran.said.strip().splitlines()[-1].split()[-1])
    assert "in broken" in log.read_text(encoding="utf-8")
    log.unlink()
    assert snapshot(tree) == before


def test_a_table_and_a_bar_take_no_file_name_for_markup(
    w2w, tmp_path: Path, fake_nvcc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich then takes any stream for a terminal
    monkeypatch.setenv("COLUMNS", "200")
    tree = make(tmp_path / "t", {"[bold]a[/].cu": b"oops;\n", "[/b].cu": b"oops;\n"})
    ran = w2w("build", tree, "--compile-only", "--target", "cuda:sm_90")
    assert ran.code == 4, ran
    assert "[bold]a[/].cu" in ran.text
    assert "[/b].cu" in ran.text
