"""Settings are read whole or refused with the key or line that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from warp2wave.config import Config, load_config, project_name
from warp2wave.errors import UsageError


def test_no_file_gives_the_defaults(tmp_path: Path) -> None:
    assert load_config(tmp_path) == Config()
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert load_config(tmp_path) == Config()


TABLE = """
name = "ext"
sources = ["csrc/*.cu"]
exclude = ["old/**"]
include-dirs = ["csrc", "third_party/x/include"]
defines = ["WITH_CUDA", "N=32", "S=a b"]
native_waves = ["csrc/wave_*.cu"]
hip-archs = ["gfx90a", "gfx942:sramecc+:xnack-"]
cuda-archs = ["sm_90", "sm_90a"]
"""
READ = Config(
    name="ext",
    sources=("csrc/*.cu",),
    exclude=("old/**",),
    include_dirs=("csrc", "third_party/x/include"),
    defines=("WITH_CUDA", "N=32", "S=a b"),
    native_waves=("csrc/wave_*.cu",),
    hip_archs=("gfx90a", "gfx942:sramecc+:xnack-"),
    cuda_archs=("sm_90", "sm_90a"),
)


@pytest.mark.parametrize(
    ("file", "head"), [("pyproject.toml", "[tool.warp2wave]"), ("warp2wave.toml", "\ufeff")]
)
def test_every_key_from_either_file(tmp_path: Path, file: str, head: str) -> None:
    (tmp_path / file).write_text(head + TABLE, encoding="utf-8")
    assert load_config(tmp_path) == READ


def test_both_files_is_one_too_many(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.warp2wave]" + TABLE)
    (tmp_path / "warp2wave.toml").write_text(TABLE)
    with pytest.raises(UsageError, match="settings in both"):
        load_config(tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("include_dir = ['x']", "unknown key include_dir; did you mean include-dirs?"),
        ("wave64 = ['x']", "unknown key wave64; known are name, sources, "),
        ("sources = 'a.cu'", "sources must be a list of strings"),
        ("sources = [1]", "sources must be a list of strings"),
        ("name = 3", "name must be a string"),
        ("include-dirs = ['a']\ninclude_dirs = ['b']", "is set twice"),
        ("hip-archs = ['mi210']", "'mi210' is not an architecture such as gfx90a"),
        ("cuda-archs = ['gfx90a']", "'gfx90a' is not an architecture such as sm_90"),
        ("defines = ['-DX']", "'-DX' is not NAME or NAME=VALUE"),
        ("exclude = ['../other']", "is no path inside the project"),
        ("include-dirs = ['/usr/include']", "is no path inside the project"),
        ("exclude = ['']", "is no path inside the project"),
        ("exclude = ['[z-a]']", "bad file pattern"),
        ("a = ", "line 1"),
        ("[x\n", "line 1"),
        ("x = 1\n\ny = = 2\n", "line 3"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "warp2wave.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        load_config(tmp_path)
    assert said in str(caught.value)
    assert "warp2wave.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(b"[project]\nname = '\xff'\n")
    with pytest.raises(UsageError, match=r"pyproject\.toml: line 2: not UTF-8"):
        load_config(tmp_path)


@pytest.mark.parametrize("text", ["tool = 3", "[tool]\nwarp2wave = 3", "[[tool.warp2wave]]"])
def test_a_table_that_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    if text == "tool = 3":  # not ours to judge
        assert load_config(tmp_path) == Config()
    else:
        with pytest.raises(UsageError, match="not a table"):
            load_config(tmp_path)


def test_the_package_s_name(tmp_path: Path) -> None:
    assert project_name(tmp_path) == ""
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'my-ext'\n")
    assert project_name(tmp_path) == "my-ext"
    (tmp_path / "pyproject.toml").write_text("project = 1\n")
    assert project_name(tmp_path) == ""
