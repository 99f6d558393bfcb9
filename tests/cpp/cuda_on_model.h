// SPDX-License-Identifier: Apache-2.0
//
// As much of CUDA as the kernels in tests/cpp/field need, on the wave model.
#ifndef W2W_CUDA_ON_MODEL_H
#define W2W_CUDA_ON_MODEL_H

#include <algorithm>
#include <functional>

#include "wave_model.h"

namespace cuda_on_model {

struct Index {
  unsigned x, y, z;
};

inline Index& block_dim() {
  static Index dim{1, 1, 1};
  return dim;
}
inline Index& block_index() {
  static Index index{0, 0, 0};
  return index;
}
inline Index thread_index() {
  const unsigned thread = wave_model::thread_now();
  const Index& dim = block_dim();
  return {thread % dim.x, thread / dim.x % dim.y, thread / (dim.x * dim.y)};
}

// Runs a kernel for each block in turn.
inline void launch(unsigned blocks, Index threads, unsigned wave_size,
                   const std::function<void()>& kernel) {
  block_dim() = threads;
  for (unsigned block = 0; block < blocks; ++block) {
    block_index() = {block, 0, 0};
    wave_model::run(threads.x * threads.y * threads.z, wave_size,
                    [&](unsigned) { kernel(); });
  }
}

}  // namespace cuda_on_model

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define threadIdx (cuda_on_model::thread_index())
#define blockIdx (cuda_on_model::block_index())
#define blockDim (cuda_on_model::block_dim())

inline void __syncthreads() { wave_model::sync_block(); }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __ffs(unsigned bits) { return __builtin_ffs(static_cast<int>(bits)); }
inline int atomicAdd(int* address, int value) {
  const int old = *address;
  *address += value;
  return old;
}
inline int atomicMax(int* address, int value) {
  const int old = *address;
  *address = std::max(old, value);
  return old;
}

#endif  // W2W_CUDA_ON_MODEL_H
