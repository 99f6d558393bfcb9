#pragma once
#include <cuda_runtime.h>

#define WARP_SIZE 32
#define FULL_MASK 0xffffffff

// F02: the mask comes from everywhere.
template <typename T, unsigned Mask = FULL_MASK>
__device__ __forceinline__ T warp_sum(T v) {
#pragma unroll
  for (int offset = WARP_SIZE / 2; offset > 0; offset >>= 1) v += __shfl_down_sync(Mask, v, offset);
  return v;
}

static __device__ __forceinline__ float2 warp_sum2(float2 a) {
  for (int m = warpSize / 2; m; m >>= 1) {
    a.x += __shfl_xor_sync(FULL_MASK, a.x, m, WARP_SIZE);
    a.y += __shfl_xor_sync(~0u, a.y, m, WARP_SIZE);
  }
  return a;
}

// F04
template <typename T>
__device__ T block_sum(T v) {
  static __shared__ T part[32];
  const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  v = warp_sum(v);
  if (lane == 0) part[warp] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / warpSize ? part[lane] : T(0);
  return warp == 0 ? warp_sum<T, 0xffffffffU>(v) : v;
}
