"""The examples' kernels through nvcc, without PyTorch's headers, and what they take of a GPU."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
STATIC_SHARED_LIMIT = 48 * 1024  # bytes a block may declare without opting in, on every GPU
# Instantiations of what each header holds, as the .cu files make them.
CASES = {
    "gemm/csrc/gemm_kernel.cuh": "template __global__ void my_ops::gemv_kernel<4>("
    "const half*, const half*, half*, int, int, bool);",
    "layernorm/csrc/norm_kernels.cuh": "namespace fused_norm {"
    "template __global__ void norm_block_kernel<double, double>(const double*, const double*,"
    " const double*, double*, double*, double*, int, double);"
    "template __global__ void norm_warp_kernel<float, float>(const float*, const float*,"
    " const float*, float*, float*, float*, int64_t, int, float);"
    "template __global__ void norm_grad_input_kernel<float, float>(const float*, const float*,"
    " const float*, const float*, const float*, float*, int);"
    "template __global__ void norm_grad_weight_kernel<double, double>(const double*,"
    " const double*, const double*, const double*, double*, double*, int64_t, int); }",
    "histogram/csrc/kernels.cuh": "namespace stream_ops {"
    "template __global__ void histogram_shared_kernel<int>(const int*, int64_t, int,"
    " unsigned long long*);"
    "template __global__ void histogram_global_kernel<int64_t>(const int64_t*, int64_t, int,"
    " unsigned long long*);"
    "template __global__ void scan_tiles_kernel<double>(const double*, double*, double*, int64_t);"
    "template __global__ void add_tile_offsets_kernel<float>(float*, const float*, int64_t);"
    "template __global__ void write_kept_kernel<double>(const double*, const bool*, int64_t,"
    " const int*, double*); }",
}


@pytest.mark.nvcc
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not on PATH")
@pytest.mark.parametrize("header", CASES)
def test_kernels_compile_for_sm_90(header: str, tmp_path: Path) -> None:
    unit = tmp_path / "unit.cu"
    unit.write_text(f'#include "{EXAMPLES / header}"\n{CASES[header]}\n', encoding="utf-8")
    # PyTorch switches the operators of half off; the kernels must do without them.
    off = ["HALF_OPERATORS", "HALF_CONVERSIONS", "HALF2_OPERATORS"]
    flags = ["-arch=sm_90", "-std=c++17", "-O3", "-cubin", "-Xptxas", "-v"]
    flags += [f"-D__CUDA_NO_{name}__" for name in off]
    done = subprocess.run(
        ["nvcc", *flags, "-o", str(tmp_path / "unit.cubin"), str(unit)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    shared = [int(size) for size in re.findall(r"(\d+) bytes smem", done.stderr)]
    assert shared
    assert max(shared) <= STATIC_SHARED_LIMIT
    assert set(re.findall(r"(\d+) bytes spill stores", done.stderr)) == {"0"}
