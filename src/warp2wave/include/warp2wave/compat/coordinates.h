// SPDX-License-Identifier: Apache-2.0
//
// threadIdx, blockIdx, blockDim and gridDim where they are used whole: `const uint3 t = threadIdx;`.
//
// In CUDA the first two are a uint3, the others a dim3, and either becomes the other. HIP's become
// a dim3 only.
#ifndef W2W_COORDINATES_H
#define W2W_COORDINATES_H

#if defined(__HIP__)

#include <hip/hip_runtime.h>

template <typename Coordinates>
struct w2w_coordinates {
  __declspec(property(get = get_x)) unsigned x;
  __declspec(property(get = get_y)) unsigned y;
  __declspec(property(get = get_z)) unsigned z;
  __device__ unsigned get_x() const { return Coordinates::get().x; }
  __device__ unsigned get_y() const { return Coordinates::get().y; }
  __device__ unsigned get_z() const { return Coordinates::get().z; }
  __device__ operator uint3() const { return make_uint3(get_x(), get_y(), get_z()); }
  __device__ operator dim3() const { return dim3(get_x(), get_y(), get_z()); }
};

struct w2w_get_thread_idx {
  __device__ static const decltype(threadIdx)& get() { return threadIdx; }
};
struct w2w_get_block_idx {
  __device__ static const decltype(blockIdx)& get() { return blockIdx; }
};
struct w2w_get_block_dim {
  __device__ static const decltype(blockDim)& get() { return blockDim; }
};
struct w2w_get_grid_dim {
  __device__ static const decltype(gridDim)& get() { return gridDim; }
};

static constexpr w2w_coordinates<w2w_get_thread_idx> w2w_thread_idx{};
static constexpr w2w_coordinates<w2w_get_block_idx> w2w_block_idx{};
static constexpr w2w_coordinates<w2w_get_block_dim> w2w_block_dim{};
static constexpr w2w_coordinates<w2w_get_grid_dim> w2w_grid_dim{};

#endif  // __HIP__

#endif  // W2W_COORDINATES_H
