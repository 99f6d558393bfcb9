"""Field cases of the runtime, half, group and intrinsic shims compile with both header sets."""

from __future__ import annotations

from pathlib import Path

import pytest
from hip_snippets import HEADER_SETS, compile_hip

pytestmark = pytest.mark.toolchain

BOTH_PASSES = ("-fsyntax-only", "-Werror", "-Wno-unused-result")

F52_RUNTIME = """
template <typename T>
__global__ void kernel(T* p, int n) { p[0] = n; }
__constant__ float table[4];
__device__ int array[3];

cudaError_t f52(float** p, float* h, void** arguments, cudaGraph_t graph, cudaStream_t stream) {
  cudaFuncSetAttribute(kernel<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  cudaFuncSetAttribute(&kernel<double>, cudaFuncAttributePreferredSharedMemoryCarveout, 50);
  cudaFuncSetAttribute(reinterpret_cast<const void*>(&kernel<int>),
                       cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 15);
  cudaFuncSetCacheConfig(kernel<int>, cudaFuncCachePreferShared);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, kernel<int>);
  double* pinned;
  size_t pitch;
  cudaMallocHost(&pinned, 64);
  cudaMallocHost((void**)&pinned, 64);
  cudaHostAlloc(&pinned, 64, 0);
  cudaMallocPitch(&pinned, &pitch, 64, 4);
  cudaHostGetDevicePointer(p, pinned, 0);
  cudaMalloc(&pinned, 8);
  cudaMallocManaged(&pinned, 8);
  cudaMallocAsync(&pinned, 8, stream);
  cudaMemcpyToSymbol(table, h, 16);
  cudaMemcpyToSymbolAsync(table, h, 16, 0, cudaMemcpyHostToDevice, stream);
  cudaMemcpyFromSymbol(h, array, 8);
  void* address;
  cudaGetSymbolAddress(&address, table);
  cudaLaunchKernel(kernel<int>, dim3(1), dim3(64), arguments);
  cudaLaunchKernel((void*)kernel<int>, 1, 64, arguments, 0, stream);
  cudaLaunchCooperativeKernel(kernel<int>, dim3(1), dim3(64), arguments, size_t(0), stream);
  int blocks, grid, size;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel<int>, 64, 0);
  cudaOccupancyMaxPotentialBlockSize(&grid, &size, kernel<int>, 0, 0);
  cudaGraphExec_t exec;
  cudaGraphNode_t node;
  cudaGraphExecUpdateResult result;
  cudaGraphExecUpdateResultInfo info;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0);
  cudaGraphExecUpdate(exec, graph, &info);
  cudaGraphExecUpdate(exec, graph, &node, &result);
  cudaStreamCaptureStatus status;
  cudaStreamGetCaptureInfo(stream, &status);
  unsigned long long id;
  return cudaStreamGetCaptureInfo(stream, &status, &id, &graph);
}

int host_warp_size() {
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);
  int attribute = 0;
  cudaDeviceGetAttribute(&attribute, cudaDevAttrWarpSize, 0);
  cudaDeviceGetAttribute(&attribute, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  const int threads = prop.maxThreadsPerBlock / prop.warpSize * prop.warpSize;
  return threads + attribute + static_cast<int>(prop.sharedMemPerBlock);
}
"""

F25_HALVES = """
typedef __nv_bfloat16 bf16;
__global__ void f25(float x, bf16* y, __nv_bfloat162* y2, half2* h2, half* h, int* i, double d) {
  y[0] = __float2bfloat16(x);
  y2[0] = __hmul2(y2[1], y2[2]);
  half2 t = __half2half2(h[0]) * h2[0];
  t += h2[1];
  t.x = h[1];
  t.y = __float2half(2.0f);
  h2[2] = -t;
  h[2] = h[0] + h[1] * h[3] / h[4] - h[5];
  if (h[0] < h[1] && h2[0] == t && h[3] >= h[2] && h[7] != h[8]) h[6] = h[0];
  y[1] = y[0] * y[2] + y[3];
  y[2] -= y[1];
  if (y[0] > y[1]) y2[3] = y2[4] * y2[5] + y2[6];
  y2[7] = __float2bfloat162_rn(x);  // F58
  y2[8] = __floats2bfloat162_rn(x, 2.0f);
  y[4] = __float2bfloat16_rn(x);
  y[5] = __int2bfloat16_rn(i[0]);
  i[1] = __bfloat162int_rz(y[6]);
  h[7] = __ldg(h + 8);
  y[7] = __ldg(y + 8);
  y2[9] = __ldg(y2 + 10);
  h2[3] = __hmax2(h2[4], h2[5]);
  y2[11] = __hmax2(y2[12], y2[13]);
  h[9] = htanh(h[10]);
  y[9] = htanh(y[10]);
  h[11] = __double2half(d);
  atomicAdd(h2, t);
  atomicAdd(h, h[1]);
  atomicAdd(y, y[1]);
  atomicAdd(y2, y2[1]);
  atomicAdd(i, 1);
}
"""

F53_CONVERSIONS = """
__global__ void f53(half* h, float* f) {
  f[0] = static_cast<float>(h[0]);
  h[1] = f[1];
}
"""

F32_GROUPS = """
#include "cooperative_groups_reduce.h"
namespace cg = cooperative_groups;
__global__ void f32_groups(float* o, int* i, int* histogram) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  cg::thread_block_tile<16> half_warp = cg::tiled_partition<16>(block);
  auto eight = cg::tiled_partition<8>(warp);
  o[warp.thread_rank()] = cg::reduce(warp, o[threadIdx.x], cg::plus<float>());
  i[0] = cg::reduce(eight, i[threadIdx.x], cg::greater<int>());
  i[1] = cg::reduce(half_warp, i[threadIdx.x], cg::bit_or<int>());
  auto same = cg::labeled_partition(warp, i[threadIdx.x]);
  const int sum = cg::reduce(same, 1, cg::plus<int>());
  if (same.thread_rank() == 0) atomicAdd(&histogram[i[threadIdx.x]], sum);
  auto here = cg::coalesced_threads();
  auto part = cg::binary_partition(here, i[2] > 0);
  i[3] = part.shfl(i[4], 0) + part.size();
}
"""

INTRINSICS = """
__global__ void intrinsics(unsigned* u, float* f, int* i, float4* v, long long* l) {
  u[0] = __vmaxs4(u[1], u[2]) + __vabsdiffu2(u[3], u[4]);
  i[0] = __dp4a(i[1], i[2], i[3]);
  u[5] = __dp4a(u[1], u[2], u[3]);
  v[0] = __ldcs(v + 1);
  __stcs(v + 2, v[3]);
  __stcg(f, 1.0);
  u[6] = __fns(u[7], 0, 2) + __isGlobal(f) + umax(u[8], 3);
  l[0] = llmin(l[1], 2);
  __nanosleep(100);
  atomicAdd_block(u, 1);
  atomicCAS_block(i, 1, 2);
  if (u[9] == 7) __trap();
}
"""

SNIPPETS = {
    "f52_runtime_calls": F52_RUNTIME,
    "f25_f49_f57_f58_halves_without_hips_operators": F25_HALVES,
    "f32_groups": F32_GROUPS,
    "intrinsics": INTRINSICS,
}


@pytest.mark.parametrize("headers", HEADER_SETS)
@pytest.mark.parametrize("name", SNIPPETS)
def test_a_snippet_compiles_unedited(name: str, headers: str, tmp_path: Path) -> None:
    text = SNIPPETS[name]
    if "warpSize" in text:
        assert "prop.warpSize" in text  # the structure's member is mapped along
    done = compile_hip(text, headers, tmp_path, *BOTH_PASSES, archs=("gfx90a", "gfx1100"))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("headers", HEADER_SETS)
def test_f25_also_with_hips_own_operators(headers: str, tmp_path: Path) -> None:
    """Where a project switches HIP's operators on, they and ours do not collide."""
    flags = ("-U__HIP_NO_HALF_OPERATORS__", "-U__HIP_NO_HALF_CONVERSIONS__")
    done = compile_hip(F25_HALVES, headers, tmp_path, *BOTH_PASSES, *flags, archs=("gfx90a",))
    assert done.returncode == 0, done.stderr


def test_f53_conversions_follow_the_projects_own_flag(tmp_path: Path) -> None:
    """CUDA has them with -U__CUDA_NO_HALF_CONVERSIONS__ only; HIP's flag of that name decides."""
    on = ("-U__HIP_NO_HALF_CONVERSIONS__",)
    with_them = compile_hip(F53_CONVERSIONS, "6.0", tmp_path, *BOTH_PASSES, *on, archs=("gfx90a",))
    assert with_them.returncode == 0, with_them.stderr
    without = compile_hip(F53_CONVERSIONS, "6.0", tmp_path, *BOTH_PASSES, archs=("gfx90a",))
    assert without.returncode != 0
