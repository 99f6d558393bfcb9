"""Which headers a unit reads first, from preprocessed text as clang writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from warp2wave.build.prefix import leading_headers, own_text


@pytest.fixture
def system(tmp_path: Path) -> Path:
    for name in ("hip/hip_runtime.h", "torch/torch.h", "torch/all.h", "torch/extension.h", "vector",
                 "ATen/hip/HIPContext.h"):  # fmt: skip
        path = tmp_path / "sys" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path / "sys"


def _file(name: object, text: str = "", system: bool = True) -> str:
    flag = " 3" if system else ""
    return f'# 1 "{name}" 1{flag}\n{text}\n'


def _back(name: object) -> str:
    return f'# 9 "{name}" 2\n'


def _unit(body: str) -> bytes:
    start = '# 1 "./a.cu"\n# 1 "<built-in>" 1\n# 1 "<built-in>" 3\n# 1 "<command line>" 1\n'
    return (start + '# 1 "<built-in>" 2\n' + body).encode()


def _compat(system: Path) -> str:
    """The headers that every ported unit begins with."""
    return (
        _file("gpu_compat/hip/cuda_runtime.h", system=False)
        + _file(system / "hip/hip_runtime.h", "int hip;")
        + _back("gpu_compat/hip/cuda_runtime.h")
        + _file("gpu_compat/hip/../warp32.h", "int ours;", system=False)
        + _back("gpu_compat/hip/cuda_runtime.h")
        + _back("<built-in>")
        + _back("./a.cu")
    )


def test_headers_before_the_first_own_text(system: Path) -> None:
    unit = _unit(
        _file(system / "hip/hip_runtime.h", "int hip;")
        + _back("./a.cu")
        + "int mine;\n"
        + _file(system / "torch/extension.h", "int torch;")
        + _back("./a.cu")
    )
    assert leading_headers(unit, [str(system)]) == ("hip/hip_runtime.h",)


def test_the_compat_folder_is_looked_through(system: Path) -> None:
    unit = _unit(
        _compat(system)
        + _file("gpu_compat/hip/torch/extension.h", system=False)
        + _file(system / "torch/extension.h", "int torch;")
        + _back("gpu_compat/hip/torch/extension.h")
        + _back("./a.cu")
        + "int mine;\n"
    )
    # warp32.h's declarations are ours: they do not end the list.
    expected = ("hip/hip_runtime.h", "torch/extension.h")
    assert leading_headers(unit, [str(system)]) == expected


def test_both_of_pytorchs_umbrella_headers_share_one_list(system: Path) -> None:
    def by(umbrella: str) -> tuple[str, ...]:
        inner = (
            _file(system / "torch/all.h", "int all;")
            + _back(system / umbrella)
            + _file(system / "torch/extension.h", "int python;")
            + _back(system / umbrella)
        )
        if umbrella == "torch/extension.h":
            inner = _file(system / "torch/all.h", "int all;") + _back(system / umbrella)
        return leading_headers(
            _unit(
                _compat(system)
                + _file(system / umbrella)
                + inner
                + _back("./a.cu")
                + _file(system / "ATen/hip/HIPContext.h", "int context;")
                + _back("./a.cu")
                + "int mine;\n"
            ),
            [str(system)],
        )

    assert by("torch/torch.h") == by("torch/extension.h")
    assert by("torch/torch.h") == ("hip/hip_runtime.h", "torch/extension.h")


def test_a_compat_header_that_pytorch_runs_into_is_not_the_trees_choice(system: Path) -> None:
    unit = _unit(
        _compat(system)
        + _file(system / "torch/torch.h")
        + _file(system / "torch/all.h", "int all;")
        + _file("gpu_compat/hip/ATen/hip/HIPContext.h", system=False)
        + _file(system / "ATen/hip/HIPContext.h", "int context;")
        + _back("gpu_compat/hip/ATen/hip/HIPContext.h")
        + _back(system / "torch/all.h")
        + _back(system / "torch/torch.h")
        + _file(system / "torch/extension.h", "int python;")
        + _back(system / "torch/torch.h")
        + _back("./a.cu")
        + "int mine;\n"
    )
    expected = ("hip/hip_runtime.h", "torch/extension.h")
    assert leading_headers(unit, [str(system)]) == expected


def test_a_header_that_another_folder_hides_ends_the_list(system: Path, tmp_path: Path) -> None:
    hiding = tmp_path / "hiding"
    (hiding / "torch").mkdir(parents=True)
    (hiding / "torch" / "extension.h").touch()
    unit = _unit(
        _file(system / "vector") + _back("./a.cu") + _file(system / "torch/extension.h", "int x;")
    )
    assert leading_headers(unit, [str(hiding), str(system)]) == ("vector",)


def test_text_without_markers_blanks_and_the_compat_folder(system: Path) -> None:
    moved = _unit(
        _file(system / "torch/all.h", "int torch;") + _back("./a.cu") + _compat(system) + "int m;\n"
    )
    plain = _unit(
        _compat(system) + _file(system / "torch/all.h", "\n int torch;\n") + _back("./a.cu")
        + "int m;\n"
    )  # fmt: skip
    assert own_text(moved) == b"int torch;\nint hip;\nint m;"
    assert own_text(plain) == b"int hip;\nint torch;\nint m;"
    assert own_text(plain) != own_text(plain.replace(b"int m;", b"int n;"))


def test_a_line_that_only_looks_like_a_marker_is_text() -> None:
    assert own_text(_unit("# pragma pack(1)\n")) == b"# pragma pack(1)"
