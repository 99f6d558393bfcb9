"""`generate_apimap.py --check` accepts the committed data and refuses damaged ones."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import apimap_check
import generate_apimap
import pytest
from apimap_hand import read_hand

from warp2wave.apimap.lookup import DATA

CUDA = Path("/usr/local/cuda")


def test_the_committed_data_pass_with_no_headers_at_hand(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert generate_apimap.main(["--check"]) == 0
    assert "in themselves only" in capsys.readouterr().out


@pytest.mark.nvcc
@pytest.mark.skipif(
    not generate_apimap.cuda_trees(CUDA), reason="no CUDA 13.0 toolkit in /usr/local/cuda"
)
def test_the_map_has_every_name_of_the_local_cuda_headers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert generate_apimap.main(["--check", "--cuda", str(CUDA)]) == 0
    assert "names of the CUDA headers at hand looked up" in capsys.readouterr().out


def _edit(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    return change


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (
            _edit("runtime.toml", "\ncudaMalloc hipMalloc\n", "\ncudaMalloc hipMaloc\n"),
            "cudaMalloc:",
        ),
        (_edit("runtime.toml", "\ncudaMalloc hipMalloc\n", "\n"), ""),
        (
            _edit("runtime.toml", "cudaFreeHost hipHostFree", "cudaFreeHost hipFreeHost"),
            "hand-kept",
        ),
        (_edit("runtime.toml", 'source = "rocm-6.0"', 'source = "rocm-5"'), "unknown source"),
        (_edit("runtime.toml", 'status = "same"', 'status = "fine"'), "unknown status"),
        (_edit("runtime.toml", 'kind = "type"', 'kind = "typ"'), "unknown kind"),
        (_edit("runtime.toml", 'since_hip = "6.0"', 'since_hip = "six"'), "since_hip"),
        (
            _edit("complex.toml", "cuCabs hipCabs\n", "cuCabs hipCabs\ncuCabs hipCabs\n"),
            "also stands",
        ),
        (_edit("complex.toml", "cuCabs hipCabs\n", "cuCabs -\n"), "status same"),
        (_edit("complex.toml", "cuCabs hipCabs\n", "cuCabs hipCabs oops\n"), "not a row"),
        (_edit("complex.toml", "cuCabs hipCabs\n", "cuCabs  hipCabs\n"), "order or form"),
        (_edit("sources.toml", 'version = "2.14.0.600"', 'version = "2.14.1"'), "pinned is"),
        (_edit("sources.toml", 'sha256 = "', 'sha256 = "x'), "has no hash"),
        (
            _edit("cub.toml", "cub::BlockReduce hipcub::", "cub::BlockReduce cubhip::"),
            "no rule gives",
        ),
    ],
)
def test_damaged_data_are_refused(
    tmp_path: Path, damage: Callable[[Path], None], complaint: str
) -> None:
    folder = tmp_path / "data"
    shutil.copytree(DATA, folder)
    damage(folder)
    problems = apimap_check.check_data(folder, read_hand())
    if not complaint:
        # A name that is gone altogether shows only against the headers.
        whole = {"runtime.toml": (DATA / "runtime.toml").read_text()}
        assert apimap_check.compare_files(folder, whole)
    else:
        assert any(complaint in problem for problem in problems), problems[:5]


def test_an_entry_of_the_hand_kept_table_cannot_be_lost(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    shutil.copytree(DATA, folder)
    _edit("runtime.toml", "\ncudaFreeHost hipHostFree", "\ncudaFreeHostOther hipHostFree")(folder)
    problems = apimap_check.check_data(folder, read_hand())
    assert any(problem.startswith("cudaFreeHost: in the hand-kept") for problem in problems)


def test_generating_without_the_headers_says_what_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert generate_apimap.main(["--output", str(tmp_path)]) == 2
    assert "rocm-6.0" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
