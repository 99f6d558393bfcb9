// SPDX-License-Identifier: Apache-2.0
//
// PyTorch's warp helpers (ATen/cuda/DeviceUtils.cuh) with 32-lane meaning. On ROCm PyTorch's own
// take the whole wavefront as the default width and return 64-bit ballots.
#ifndef W2W_TORCH_WARP_H
#define W2W_TORCH_WARP_H

#include "warp32.h"

#if defined(W2W_DEVICE)

template <typename T>
W2W_DEVICE T w2w_torch_shfl(T value, int source, int width = w2w_warp_size,
                            unsigned long long = ~0ull) {
  return static_cast<T>(w2w_shfl(value, source, width));
}
template <typename T>
W2W_DEVICE T w2w_torch_shfl_up(T value, unsigned delta, int width = w2w_warp_size,
                               unsigned long long = ~0ull) {
  return static_cast<T>(w2w_shfl_up(value, delta, width));
}
template <typename T>
W2W_DEVICE T w2w_torch_shfl_down(T value, unsigned delta, int width = w2w_warp_size,
                                 unsigned long long = ~0ull) {
  return static_cast<T>(w2w_shfl_down(value, delta, width));
}
template <typename T>
W2W_DEVICE T w2w_torch_shfl_xor(T value, int lane_mask, int width = w2w_warp_size,
                                unsigned long long = ~0ull) {
  return static_cast<T>(w2w_shfl_xor(value, lane_mask, width));
}
W2W_DEVICE unsigned w2w_torch_ballot(int predicate, unsigned long long mask = ~0ull) {
  return w2w_ballot_sync(mask, predicate);
}
W2W_DEVICE unsigned w2w_torch_active() { return w2w_activemask(); }
W2W_DEVICE void w2w_torch_sync(unsigned long long = ~0ull) { w2w_syncwarp(); }

#endif  // W2W_DEVICE

#endif  // W2W_TORCH_WARP_H
