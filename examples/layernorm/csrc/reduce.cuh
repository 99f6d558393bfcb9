#pragma once

#include <cuda_runtime.h>

#define WARP_SIZE 32
#define FULL_MASK 0xffffffff

namespace fused_norm {

// The sum over the warp, in every lane.
template <typename T>
__device__ __forceinline__ T warp_sum(T value) {
#pragma unroll
  for (int offset = WARP_SIZE / 2; offset > 0; offset >>= 1) {
    value += __shfl_xor_sync(FULL_MASK, value, offset);
  }
  return value;
}

// The sum over a block of whole warps, in every thread.
template <typename T>
__device__ __forceinline__ T block_sum(T value) {
  __shared__ T part[32];
  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x >> 5;

  value = warp_sum(value);
  __syncthreads();  // an earlier sum may still be read
  if (lane == 0) {
    part[warp] = value;
  }
  __syncthreads();
  if (warp == 0) {
    value = lane < blockDim.x / WARP_SIZE ? part[lane] : T(0);
    value = warp_sum(value);
    if (lane == 0) {
      part[0] = value;
    }
  }
  __syncthreads();
  return part[0];
}

}  // namespace fused_norm
