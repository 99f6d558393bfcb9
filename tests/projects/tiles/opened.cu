#include <cooperative_groups.h>
using namespace cooperative_groups;

__device__ int own_sum(thread_group g, int* temp, int v) {
  const int lane = g.thread_rank();
  for (int i = g.size() / 2; i > 0; i /= 2) {
    temp[lane] = v;
    g.sync();
    if (lane < i) v += temp[lane + i];
    g.sync();
  }
  return v;
}

__global__ void opened(int* data) {
  extern __shared__ int temp[];
  thread_block block = this_thread_block();
  auto tile = tiled_partition<32>(block);
  const int s = own_sum(tile, &temp[threadIdx.x / 32 * 32], data[block.thread_rank()]);
  const int t = own_sum(block, temp, s);
  if (tile.thread_rank() == 0) data[blockIdx.x] = t;
}

void run_opened(int* data) { opened<<<1, 128, 128 * sizeof(int)>>>(data); }
