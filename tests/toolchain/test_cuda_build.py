"""Small real programs through nvcc: objects, figures, machine code."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from warp2wave.build import machine_code
from warp2wave.build.compile import compile_tree
from warp2wave.build.toolchains import find_cuda_toolchain
from warp2wave.cachedir import user_cache
from warp2wave.errors import MissingToolError
from warp2wave.model import Project, UnitResult

try:
    find_cuda_toolchain()
    MISSING = ""
except MissingToolError as error:
    MISSING = f"{error}: {error.install}"
pytestmark = [pytest.mark.nvcc, pytest.mark.skipif(bool(MISSING), reason=MISSING)]

STAGED = """\
template <typename T> __global__ void staged(T* p) {
  __shared__ T tile[1024];
  tile[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = tile[threadIdx.x ^ 1];
}
template __global__ void staged<float>(float*);
"""


def _build(tree: Path, text: str, name: str = "a.cu", *, device_only: bool = False) -> UnitResult:
    tree.mkdir(exist_ok=True)
    (tree / name).write_text(text, encoding="utf-8")
    project = Project("tiny", (), (), (PurePosixPath(name),), (), ())
    (unit,) = compile_tree(
        tree, project, ["cuda:sm_90"], cache_dir=tree.parent / "cache", device_only=device_only
    ).units
    return unit


@pytest.mark.parametrize("device_only", [False, True])
@pytest.mark.parametrize("name", ["a.cu", "two words.cu"])
def test_figures_of_a_kernel(tmp_path: Path, device_only: bool, name: str) -> None:
    unit = _build(tmp_path / "tree", STAGED, name, device_only=device_only)
    assert unit.failure is None
    (kernel,) = unit.kernels
    assert (kernel.kernel, kernel.arch, kernel.shared_bytes) == ("staged<float>", "sm_90", 4096)
    assert kernel.vector_registers is not None
    assert kernel.vector_registers > 0
    assert _build(tmp_path / "tree", STAGED, name, device_only=device_only).cached


def test_an_error_names_the_users_line(tmp_path: Path) -> None:
    failure = _build(tmp_path / "tree", STAGED.replace("p[threadIdx.x];", "q;")).failure
    assert failure is not None
    assert (failure.path, failure.line) == ("a.cu", 3)
    assert '"q"' in failure.message


def test_pytorchs_cuda_headers_need_no_cublas(tmp_path: Path) -> None:
    text = "#include <ATen/cuda/Exceptions.h>\n#include <c10/cuda/CUDAStream.h>\n" + STAGED
    assert _build(tmp_path / "tree", text, device_only=True).failure is None


@pytest.mark.skipif(
    machine_code.find_disassembler(cache=user_cache()) is None, reason="needs cuobjdump"
)
def test_machine_code_is_compared_kernel_by_kernel(tmp_path: Path) -> None:
    double = "template __global__ void staged<double>(double*);\n"
    texts = {
        "one": STAGED + double,
        "same": f"// another comment\n{STAGED}{double}",
        "other": STAGED.replace("^ 1", "^ 2") + double,
    }
    made = {name: Path(_build(tmp_path / name, text).object_path) for name, text in texts.items()}
    assert machine_code.compare_machine_code(made["one"], made["same"]).identical
    compared = machine_code.compare_machine_code(made["one"], made["other"])
    assert len(compared.different) == 2
    assert compared.same == ()
