#pragma once
#include <utils.h>

namespace ops {
template <typename T>
__device__ T half_warp_sum(T v) {
  for (int o = TILE / 4; o; o /= 2) v += __shfl_xor_sync(ops::full(), v, o, TILE / 2);
  return v;
}
}  // namespace ops
