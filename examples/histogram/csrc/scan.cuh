#pragma once

#include <cuda_runtime.h>

namespace stream_ops {

// The sum of this lane's value and those of all lower lanes of the warp.
template <typename T>
__device__ __forceinline__ T warp_inclusive_scan(T value) {
  const int lane = threadIdx.x & 31;
#pragma unroll
  for (int delta = 1; delta < 32; delta *= 2) {
    const T below = __shfl_up_sync(0xffffffff, value, delta);
    if (lane >= delta) {
      value += below;
    }
  }
  return value;
}

// The sum of the values of all earlier threads of a block of whole warps; `total` receives the sum
// of the block in every thread.
template <typename T>
__device__ __forceinline__ T block_exclusive_scan(T value, T* total) {
  __shared__ T warp_total[32];
  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x >> 5;
  const T inclusive = warp_inclusive_scan(value);
  if (lane == 31) {
    warp_total[warp] = inclusive;
  }
  __syncthreads();
  // Every warp scans the totals itself and picks what it needs, which saves a barrier.
  const T mine = lane < blockDim.x / 32 ? warp_total[lane] : T(0);
  const T scanned = warp_inclusive_scan(mine);
  *total = __shfl_sync(0xffffffff, scanned, 31);
  const T earlier_warps = __shfl_sync(0xffffffff, scanned, warp > 0 ? warp - 1 : 0);
  __syncthreads();  // warp_total may be written again
  // Not `inclusive - value`: that cancels, and is NaN from the first infinity on.
  const T earlier_lanes = __shfl_up_sync(0xffffffff, inclusive, 1);
  return (warp > 0 ? earlier_warps : T(0)) + (lane > 0 ? earlier_lanes : T(0));
}

}  // namespace stream_ops
