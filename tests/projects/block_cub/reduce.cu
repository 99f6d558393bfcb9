#include <cub/cub.cuh>
#include <cuda_runtime.h>

template <int kThreads, int kItems>
__global__ void block_primitives(const float* in, float* out, int* positions) {
  typedef cub::BlockReduce<float, kThreads> Reduce;
  using Scan = cub::BlockScan<int, kThreads, cub::BLOCK_SCAN_WARP_SCANS>;
  using Load = cub::BlockLoad<float, kThreads, kItems, cub::BLOCK_LOAD_VECTORIZE>;
  using Store = cub::BlockStore<float, kThreads, kItems>;
  using Sort = cub::BlockRadixSort<float, kThreads, kItems, int>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Sort::TempStorage sort;
  } shared;
  float items[kItems];
  int ids[kItems];
  Load(shared.load).Load(in, items, 1000, 0.0f);
  for (int i = 0; i < kItems; ++i) ids[i] = i;
  __syncthreads();
  Sort(shared.sort).SortDescending(items, ids);
  __syncthreads();
  int position;
  Scan(shared.scan).ExclusiveSum(ids[0], position);
  __syncthreads();
  const float sum = Reduce(shared.reduce).Sum(items[0]);
  const float most = Reduce(shared.reduce).Reduce(items[0], cub::Max());
  __syncthreads();
  Store(shared.store).Store(out, items);
  positions[threadIdx.x] = position;
  if (threadIdx.x == 0) out[0] = sum + most;
}

// F05: a warp is 32 lanes unless it is said otherwise.
__global__ void warp_primitives(float* data) {
  using Reduce = cub::WarpReduce<float>;
  using Scan = cub::WarpScan<int>;
  __shared__ typename Reduce::TempStorage temp[256 / 32];
  __shared__ typename Scan::TempStorage scans[256 / 32];
  static_assert(sizeof(Reduce) == sizeof(cub::WarpReduce<float, 32>), "32 lanes");
  const int warp = threadIdx.x / 32;
  float sum = Reduce(temp[warp]).Sum(data[threadIdx.x]);
  int place;
  Scan(scans[warp]).InclusiveSum((int)sum, place);
  data[threadIdx.x] = sum + place + cub::LaneId() + cub::ThreadLoad<cub::LOAD_LDG>(data);
}

cudaError_t device_wide(const float* in, float* out, int* keys, int* values, int n, cudaStream_t s) {
  void* temp = nullptr;
  size_t bytes = 0;
  cub::DeviceReduce::Sum(temp, bytes, in, out, n, s);
  cudaMalloc(&temp, bytes);
  cub::DeviceReduce::Sum(temp, bytes, in, out, n, s);
  cub::DeviceScan::ExclusiveSum(temp, bytes, keys, values, n, s);
  cub::DoubleBuffer<int> k(keys, keys + n), v(values, values + n);
  cub::DeviceRadixSort::SortPairs(temp, bytes, k, v, n, 0, sizeof(int) * 8, s);
  cub::CountingInputIterator<int> counting(0);
  cub::DeviceSelect::Flagged(temp, bytes, counting, keys, values, values + 1, n, s);
  block_primitives<128, 4><<<1, 128, 0, s>>>(in, out, keys);
  warp_primitives<<<1, 256, 0, s>>>(out);
  return cudaFree(temp);
}
