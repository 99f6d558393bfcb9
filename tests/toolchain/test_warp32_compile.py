"""The field cases' kernels compile unedited for AMD, with both sets of HIP headers."""

from __future__ import annotations

from pathlib import Path

import pytest
from hip_snippets import COMPAT_SOURCES, FIELD, HEADER_SETS, compile_hip

pytestmark = pytest.mark.toolchain

SOURCES = sorted(FIELD.glob("*.cu"))
# Those that need no PyTorch; torch_namespaces.h is compiled by the tests of the port.
HEADERS = sorted(p.name for p in COMPAT_SOURCES.glob("*.h") if p.name != "torch_namespaces.h")
DEVICE = ("--cuda-device-only", "-fsyntax-only", "-Werror", "-Wno-shift-negative-value")

LAUNCHES = """
void launch_all(int* out) { f26_width<warpSize><<<1, 64>>>(out); }
"""

F05_CUB = """
#include "cub_warp.h"
__global__ void f05_sums(const float* in, float* out) {
  using Reduce = cub::WarpReduce<float>;
  __shared__ typename Reduce::TempStorage storage[8];
  const int warp = threadIdx.x / 32;
  const float sum = Reduce(storage[warp]).Sum(in[threadIdx.x]);
  if (threadIdx.x % 32 == 0) out[warp] = sum;
  using Scan = cub::WarpScan<int>;
  __shared__ typename Scan::TempStorage scans[8];
  int total;
  Scan(scans[warp]).InclusiveSum(int(sum), total);
  using Sort = cub::WarpMergeSort<int, 4>;
  __shared__ typename Sort::TempStorage sorts[8];
  int keys[4] = {total, 1, 2, 3};
  Sort(sorts[warp]).Sort(keys, [](int a, int b) { return a < b; });
  out[threadIdx.x] = keys[0];
}
"""

F36_HALF2 = """
__global__ void f36_half2(__half2* h, __half* s, __nv_bfloat16* b, __nv_bfloat162* b2, float2* f,
                          double2* d, bool* flag, char* c, short* n) {
  const int i = threadIdx.x;
  h[i] = __shfl_xor(h[i], 16);
  h[i] = __shfl_xor_sync(0xffffffff, h[i], 16);
  s[i] = __shfl_down_sync(0xffffffff, s[i], 1);
  b[i] = __shfl_up_sync(0xffffffff, b[i], 1);
  b2[i] = __shfl_sync(0xffffffff, b2[i], 3);
  f[i] = __shfl_sync(0xffffffff, f[i], 3);
  d[i] = __shfl_sync(0xffffffff, d[i], 3);
  flag[i] = __shfl_sync(0xffffffff, flag[i], 3);
  c[i] = __shfl_sync(0xffffffff, c[i], 3);
  n[i] = __shfl_sync(0xffffffff, n[i], 3);
}
"""


@pytest.mark.parametrize("headers", HEADER_SETS)
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_field_case_compiles_unedited(source: Path, headers: str, tmp_path: Path) -> None:
    text = source.read_text()
    if "own_half" in text:
        text = "#include <hip/hip_fp16.h>\n" + text
    done = compile_hip(text, headers, tmp_path, *DEVICE, archs=("gfx90a",))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("headers", HEADER_SETS)
def test_all_field_cases_make_an_object_for_host_and_device(headers: str, tmp_path: Path) -> None:
    text = "#include <hip/hip_fp16.h>\n" + "".join(source.read_text() for source in SOURCES)
    done = compile_hip(text + LAUNCHES, headers, tmp_path, "-c", "-o", str(tmp_path / "all.o"))
    assert done.returncode == 0, done.stderr


def test_f01_without_the_maps_the_compiler_refuses(tmp_path: Path) -> None:
    """So the maps are what makes the test above pass: undeclared in 6.0, a 64-bit mask in 7.1."""
    text = "#include <hip/hip_runtime.h>\n" + (FIELD / "f01_shuffle_reduction.cu").read_text()
    said = {
        headers: compile_hip(text, headers, tmp_path, *DEVICE, mapped=False).stderr
        for headers in HEADER_SETS
    }
    assert "__shfl_down_sync" in said["6.0"]
    assert "error: " in said["6.0"]
    assert "mask must be a 64-bit integer" in said["7.1"].lower()


def test_f05_cubs_warp_primitives_default_to_32_lanes(tmp_path: Path) -> None:
    """With the 6.0 headers: rocPRIM 6.0 does not compile against HIP 7.1's."""
    check = 'static_assert(sizeof(cub::WarpReduce<float>::TempStorage) > 0, "");\n'
    check += (
        "static_assert(std::is_same<cub::WarpReduce<float>, hipcub::WarpReduce<float, 32>>::value,"
        ' "32 lanes");\n'
    )
    done = compile_hip(F05_CUB + check, "6.0", tmp_path, *DEVICE, archs=("gfx90a", "gfx1100"))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("headers", HEADER_SETS)
def test_f36_shuffles_take_halves_pairs_and_vectors(headers: str, tmp_path: Path) -> None:
    done = compile_hip(F36_HALF2, headers, tmp_path, *DEVICE)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("header", HEADERS)
def test_each_header_compiles_alone_and_twice(header: str, tmp_path: Path) -> None:
    text = f'#include "{header}"\n#include "{header}"\n'
    flags = ("-fsyntax-only", "-Werror")
    done = compile_hip(text, "6.0", tmp_path, *flags, archs=("gfx90a",), mapped=False)
    assert done.returncode == 0, done.stderr


def test_the_headers_compile_together_with_hip_7(tmp_path: Path) -> None:
    """All but cub_warp.h: rocPRIM 6.0 does not compile against HIP 7.1's headers."""
    text = "".join(f'#include "{header}"\n' for header in HEADERS if header != "cub_warp.h")
    flags = ("-fsyntax-only", "-Werror")
    done = compile_hip(text, "7.1", tmp_path, *flags, archs=("gfx90a", "gfx1100"), mapped=False)
    assert done.returncode == 0, done.stderr
