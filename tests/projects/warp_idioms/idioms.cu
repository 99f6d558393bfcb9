#include "warp.cuh"
#include <cstdint>
#include <cstdio>

constexpr int kWarp = warpSize;  // F08
constexpr unsigned kFull = 0xffffffffu;

template <int W = warpSize>
struct Segment {
  static constexpr int lanes = W;
  float values[1024 / W];
};

template <int W>
__global__ void rows(float* out, const float* in) {
  __shared__ float partial[1024 / warpSize];  // F27
  __shared__ Segment<> segment;
  static_assert(W == kWarp && Segment<>::lanes == 32, "one warp size everywhere");
  const float sum = block_sum(in[blockIdx.x * blockDim.x + threadIdx.x]);
  segment.values[threadIdx.x / W] = sum;
  partial[threadIdx.x / W] = sum;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0] + segment.values[0];
}

__global__ void votes(int* out, const int* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & (WARP_SIZE - 1);
  const unsigned mask = __ballot_sync(kFull, i < n);
  if (i >= n) return;
  const unsigned same = __match_any_sync(mask, in[i]);  // F24
  int all = 0;
  const unsigned agreed = __match_all_sync(__activemask(), in[i], &all);
  const int leader = __ffs(same) - 1;  // F23
  const int below = __popc(same & ((1u << lane) - 1));
  unsigned total = __reduce_add_sync(mask, (unsigned)in[i]);
  total += __reduce_max_sync(mask, in[i]) + __reduce_or_sync(mask, total);
  int value = __shfl_sync(-1, total, leader);
  value += __shfl_up_sync((1u << 16) - 1, value, 1, 16);
  const auto any = __any_sync(mask, value > 3), every = __all_sync(mask, value > 3);
  long long wide = __shfl_xor_sync(kFull, (long long)value, 8);
  const int64_t wider = __shfl_sync(0xffffffff, (int64_t)wide, 0);
  const bool flag = __shfl_sync(kFull, value > 0, 0);
  uint8_t byte = __shfl_sync(kFull, (uint8_t)value, 3);
  __syncwarp();
  __syncwarp(mask);
  if (__popcll(wider) > 3 && lane == leader && flag) printf("%d %u\n", value, agreed);
  out[i] = below + any + every + (int)wider + byte + (__clz(mask) ^ __brev(same));
}

// F31: the ballot loop.
__global__ void peers(int* out, const bool* predicate) {
  int ballot = __ballot_sync(0xffffffff, predicate[threadIdx.x]);
  while (ballot) {
    const int bit = __ffs(ballot) - 1;
    ballot &= ~(1 << bit);
    atomicAdd(&out[bit], 1);
  }
  for (int d = 1; d < 32; d *= 2) out[threadIdx.x] += __shfl_up_sync(FULL_MASK, out[0], d);
}

extern "C" void run_rows(float* out, const float* in, int* counts, const int* keys, cudaStream_t stream) {
  const int threads = 8 * WARP_SIZE;
  rows<warpSize><<<1, threads, 0, stream>>>(out, in);  // F26
  votes<<<dim3(1, 1, 1), dim3(threads), 0, stream>>>(counts, keys, 100);
  peers<<<1, kWarp>>>(counts, nullptr);
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);
  const int warps = prop.maxThreadsPerBlock / prop.warpSize;
  cudaDeviceProp *const same = &prop;
  int attribute = 0;
  cudaDeviceGetAttribute(&attribute, cudaDevAttrWarpSize, 0);
  printf("%d warps of %d and %d\n", warps, same->warpSize, attribute);
}
