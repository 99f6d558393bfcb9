// F47: the namespace opened, and by another name.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/warp/warp_reduce.cuh>

namespace prims = cub;

namespace mine {
using namespace cub;

template <int N>
__global__ void opened(int* data) {
  typedef BlockReduce<int, N, BLOCK_REDUCE_RAKING> Reduce;
  typedef WarpReduce<int> Warp;
  __shared__ typename Reduce::TempStorage temp;
  __shared__ typename Warp::TempStorage warps[N / 32];
  const int sum = Reduce(temp).Sum(data[threadIdx.x]);
  data[threadIdx.x] = sum + Warp(warps[threadIdx.x / 32]).Sum(sum);
}
}  // namespace mine

__global__ void renamed(int* data) {
  using Sort = prims::BlockRadixSort<int, 64, 2>;
  __shared__ Sort::TempStorage temp;
  int keys[2] = {data[0], data[1]};
  Sort(temp).Sort(keys);
  data[0] = keys[0];
}

void run(int* data) {
  mine::opened<128><<<1, 128>>>(data);
  renamed<<<1, 64>>>(data);
}
