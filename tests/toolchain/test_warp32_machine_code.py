"""The shuffles cost no more than HIP's own, and launch bounds become what AMD's compiler means."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hip_snippets import compile_hip

pytestmark = pytest.mark.toolchain

REDUCTION = """
__global__ void sum(float* v) {
  float x = v[threadIdx.x];
  for (int m = 16; m > 0; m /= 2) x += SHUFFLE;
  v[threadIdx.x] = x;
}
"""

BOUNDS = """
__global__ void __launch_bounds__(256) one(int* p) { p[0] = 1; }
__global__ void __launch_bounds__(256, 2) two(int* p) { p[0] = 1; }
template <int Threads, int Blocks>
__launch_bounds__(Threads * 2, Blocks) __global__ void in_template(int* p) { p[0] = 1; }
__global__ void __launch_bounds__(128, 16) many(int* p) { p[0] = 1; }
__global__ void __launch_bounds__(96, 5, 1) cluster(int* p) { p[0] = 1; }
void start(int* p) { in_template<64, 6><<<1, 1>>>(p); }
"""


def instructions(text: str, folder: Path, arch: str) -> list[str]:
    """The instructions of the one kernel in `text`, by the compiler's assembly."""
    output = folder / "kernel.s"
    flags = ("--cuda-device-only", "-S", "-o", str(output))
    done = compile_hip(text, "6.0", folder, *flags, archs=(arch,))
    assert done.returncode == 0, done.stderr
    body = output.read_text().split("s_endpgm")[0]
    return re.findall(r"^\s+((?:s|v|ds|global|flat|buffer|scratch)_\w+)", body, re.MULTILINE)


@pytest.mark.parametrize("arch", ["gfx90a", "gfx1100"])
def test_a_reduction_is_no_longer_than_with_hips_own_shuffle(arch: str, tmp_path: Path) -> None:
    ours = REDUCTION.replace("SHUFFLE", "__shfl_xor_sync(0xffffffffu, x, m)")
    # In the form that the maps leave alone: HIP's function, with the width that is right.
    hips = "namespace hip_own { template <typename T> __device__ T shuffle(T v, int m) {\n"
    hips += "return ::__shfl_xor(v, m, 32); } }\n"
    plain = "#include <hip/hip_runtime.h>\n" + hips
    plain += REDUCTION.replace("SHUFFLE", "hip_own::shuffle(x, m)")
    output = tmp_path / "plain.s"
    flags = ("--cuda-device-only", "-S", "-o", str(output))
    done = compile_hip(plain, "6.0", tmp_path, *flags, archs=(arch,), mapped=False)
    assert done.returncode == 0, done.stderr
    body = output.read_text().split("s_endpgm")[0]
    reference = re.findall(r"^\s+((?:s|v|ds|global)_\w+)", body, re.MULTILINE)
    own = instructions(ours, tmp_path, arch)
    assert own.count("ds_bpermute_b32") == 5
    assert len(own) <= len(reference)
    assert not [name for name in own if name.startswith(("s_cbranch", "scratch", "buffer"))]


@pytest.mark.parametrize(
    ("arch", "lanes", "most"), [("gfx90a", 64, 8), ("gfx942", 64, 8), ("gfx1100", 32, 16)]
)
def test_f64_launch_bounds_count_waves(arch: str, lanes: int, most: int, tmp_path: Path) -> None:
    """Blocks per multiprocessor become waves per SIMD: four SIMDs share the blocks."""
    output = tmp_path / "bounds.ll"
    flags = ("--cuda-device-only", "-S", "-emit-llvm", "-o", str(output))
    done = compile_hip(BOUNDS, "6.0", tmp_path, *flags, archs=(arch,))
    assert done.returncode == 0, done.stderr
    text = output.read_text()
    sets = dict(re.findall(r"^attributes (#\d+) = \{(.*)\}", text, re.MULTILINE))
    kernels = dict(
        re.findall(r"^define .*amdgpu_kernel void @(\w+)\(.*?(#\d+)", text, re.MULTILINE)
    )

    def attribute(kernel: str, name: str) -> str | None:
        (symbol,) = [s for s in kernels if kernel in s]
        found = re.search(rf'"{name}"="([^"]*)"', sets[kernels[symbol]])
        return found.group(1) if found else None

    def waves(threads: int, blocks: int) -> str:
        total = blocks * -(-threads // lanes)
        return str(min(-(-total // 4), most))

    for kernel, threads, blocks in (
        ("two", 256, 2),
        ("in_template", 128, 6),
        ("many", 128, 16),
        ("cluster", 96, 5),
    ):
        assert attribute(kernel, "amdgpu-waves-per-eu") == waves(threads, blocks)
        assert attribute(kernel, "amdgpu-flat-work-group-size") == f"1,{threads}"
    assert attribute("one", "amdgpu-waves-per-eu") is None
    assert attribute("one", "amdgpu-flat-work-group-size") == "1,256"
