#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

template <int Tile>
__device__ float tile_sum(cg::thread_block_tile<Tile> tile, float v) {
  for (int i = tile.size() / 2; i > 0; i /= 2) v += tile.shfl_down(v, i);
  return tile.shfl(v, 0);
}

__global__ void tiles(float* data) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  auto half = cg::tiled_partition<16>(warp);
  float v = tile_sum<32>(warp, data[block.thread_rank()]);
  v += cg::reduce(warp, v, cg::plus<float>()) + cg::reduce(half, v, cg::greater<float>());
  const unsigned votes = warp.ballot(v > 0);
  if (warp.any(v > 1) && __popc(votes) > 2) v += warp.shfl_xor(v, 1);
  if (v > 3) {
    auto active = cg::coalesced_threads();
    if (active.thread_rank() == 0) atomicAdd(data, (float)active.size());
    v = cg::reduce(active, v, cg::less<float>());
  }
  warp.sync();
  block.sync();
  cg::sync(block);
  data[block.thread_rank()] = v + warp.meta_group_rank() + half.thread_rank() + block.group_index().x;
}

__global__ void whole_grid(float* data, int n) {
  cg::grid_group grid = cg::this_grid();
  for (int i = grid.thread_rank(); i < n; i += grid.size()) data[i] *= 2;
  grid.sync();
  if (grid.thread_rank() == 0) data[0] = n;
}

cudaError_t run(float* data, int n, cudaStream_t stream) {
  tiles<<<1, 256, 0, stream>>>(data);
  int device = 0, supported = 0, blocks = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, whole_grid, 256, 0);
  void* arguments[] = {&data, &n};
  return cudaLaunchCooperativeKernel((void*)whole_grid, dim3(blocks), dim3(256), arguments, 0, stream);
}
