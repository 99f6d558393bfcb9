"""`warp2wave build` as a process, with the real compilers, on a source that has an error."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TARGETS = [
    pytest.param("hip:gfx90a", marks=pytest.mark.toolchain),
    pytest.param("cuda:sm_90", marks=pytest.mark.nvcc),
]
SOURCE = """#include <cuda_runtime.h>

__global__ void scale(float *p, float by) {
  p[threadIdx.x] *= bye;
}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_4_names_the_user_s_line_and_the_log(tmp_path: Path, target: str) -> None:
    (tmp_path / "csrc").mkdir()
    (tmp_path / "csrc/scale é.cu").write_text(SOURCE, encoding="utf-8")
    command = [sys.executable, "-m", "warp2wave"]
    subprocess.run([*command, "port", tmp_path], check=True, capture_output=True)
    build = [*command, "build", tmp_path, "--compile-only", "--target", target]
    done = subprocess.run(build, capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 4, done
    assert "csrc/scale é.cu:4:" in done.stdout
    assert "bye" in done.stdout
    done = subprocess.run(
        [*build, "--format", "json"], capture_output=True, text=True, check=False, timeout=500
    )
    assert done.returncode == 4
    (unit,) = json.loads(done.stdout)["units"]
    assert (unit["failure"]["path"], unit["failure"]["line"]) == ("csrc/scale é.cu", 4)
    log = Path(unit["failure"]["log"])
    assert "bye" in log.read_text(encoding="utf-8")
    log.unlink()
