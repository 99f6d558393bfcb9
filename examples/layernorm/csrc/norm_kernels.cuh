#pragma once

#include <cstdint>

#include "reduce.cuh"

namespace fused_norm {

constexpr int kRowsPerBlock = 4;   // in the kernel with one warp a row
constexpr int kWarpRowLimit = 1024;  // longer rows get a whole block
constexpr int kTile = 32;

// Forward, short rows: block (32, kRowsPerBlock), one warp a row.
template <typename scalar_t, typename acc_t>
__global__ void norm_warp_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                                 const scalar_t* __restrict__ bias, scalar_t* __restrict__ y,
                                 acc_t* __restrict__ mean_out, acc_t* __restrict__ rstd_out,
                                 int64_t rows, int cols, acc_t eps) {
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kRowsPerBlock + threadIdx.y;
  if (row >= rows) {
    return;
  }
  const scalar_t* x_row = x + row * cols;
  acc_t sum = 0;
  for (int i = threadIdx.x; i < cols; i += WARP_SIZE) {
    sum += static_cast<acc_t>(x_row[i]);
  }
  const acc_t mean = warp_sum(sum) / cols;
  acc_t square = 0;
  for (int i = threadIdx.x; i < cols; i += WARP_SIZE) {
    const acc_t delta = static_cast<acc_t>(x_row[i]) - mean;
    square += delta * delta;
  }
  const acc_t rstd = acc_t(1) / sqrt(warp_sum(square) / cols + eps);
  for (int i = threadIdx.x; i < cols; i += WARP_SIZE) {
    acc_t value = (static_cast<acc_t>(x_row[i]) - mean) * rstd;
    if (weight != nullptr) {
      value *= static_cast<acc_t>(weight[i]);
    }
    if (bias != nullptr) {
      value += static_cast<acc_t>(bias[i]);
    }
    y[row * cols + i] = static_cast<scalar_t>(value);
  }
  if (threadIdx.x == 0) {
    mean_out[row] = mean;
    rstd_out[row] = rstd;
  }
}

// Forward, long rows: one block a row.
template <typename scalar_t, typename acc_t>
__global__ void norm_block_kernel(const scalar_t* __restrict__ x,
                                  const scalar_t* __restrict__ weight,
                                  const scalar_t* __restrict__ bias, scalar_t* __restrict__ y,
                                  acc_t* __restrict__ mean_out, acc_t* __restrict__ rstd_out,
                                  int cols, acc_t eps) {
  const int64_t row = blockIdx.x;
  const scalar_t* x_row = x + row * cols;
  acc_t sum = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    sum += static_cast<acc_t>(x_row[i]);
  }
  const acc_t mean = block_sum(sum) / cols;
  acc_t square = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    const acc_t delta = static_cast<acc_t>(x_row[i]) - mean;
    square += delta * delta;
  }
  const acc_t rstd = acc_t(1) / sqrt(block_sum(square) / cols + eps);
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    acc_t value = (static_cast<acc_t>(x_row[i]) - mean) * rstd;
    if (weight != nullptr) {
      value *= static_cast<acc_t>(weight[i]);
    }
    if (bias != nullptr) {
      value += static_cast<acc_t>(bias[i]);
    }
    y[row * cols + i] = static_cast<scalar_t>(value);
  }
  if (threadIdx.x == 0) {
    mean_out[row] = mean;
    rstd_out[row] = rstd;
  }
}

// Gradient of the input, one block a row:
// dx = rstd * (g - mean(g) - xhat * mean(g * xhat)), g = grad * weight.
template <typename scalar_t, typename acc_t>
__global__ void norm_grad_input_kernel(const scalar_t* __restrict__ grad,
                                       const scalar_t* __restrict__ x,
                                       const scalar_t* __restrict__ weight,
                                       const acc_t* __restrict__ mean_in,
                                       const acc_t* __restrict__ rstd_in,
                                       scalar_t* __restrict__ grad_x, int cols) {
  const int64_t row = blockIdx.x;
  const acc_t mean = mean_in[row];
  const acc_t rstd = rstd_in[row];
  const scalar_t* x_row = x + row * cols;
  const scalar_t* grad_row = grad + row * cols;
  acc_t sum = 0;
  acc_t sum_xhat = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    const acc_t scale = weight != nullptr ? static_cast<acc_t>(weight[i]) : acc_t(1);
    const acc_t g = static_cast<acc_t>(grad_row[i]) * scale;
    sum += g;
    sum_xhat += g * (static_cast<acc_t>(x_row[i]) - mean) * rstd;
  }
  sum = block_sum(sum) / cols;
  sum_xhat = block_sum(sum_xhat) / cols;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    const acc_t scale = weight != nullptr ? static_cast<acc_t>(weight[i]) : acc_t(1);
    const acc_t g = static_cast<acc_t>(grad_row[i]) * scale;
    const acc_t xhat = (static_cast<acc_t>(x_row[i]) - mean) * rstd;
    grad_x[row * cols + i] = static_cast<scalar_t>(rstd * (g - sum - xhat * sum_xhat));
  }
}

// Gradients of weight and bias: block (32, 32). Block (i, j) sums 32 columns over every
// gridDim.y-th group of 32 rows into row j of the two [gridDim.y, cols] results.
template <typename scalar_t, typename acc_t>
__global__ void __launch_bounds__(kTile* kTile)
    norm_grad_weight_kernel(const scalar_t* __restrict__ grad, const scalar_t* __restrict__ x,
                            const acc_t* __restrict__ mean, const acc_t* __restrict__ rstd,
                            acc_t* __restrict__ weight_part, acc_t* __restrict__ bias_part,
                            int64_t rows, int cols) {
  __shared__ acc_t weight_tile[kTile][kTile + 1];
  __shared__ acc_t bias_tile[kTile][kTile + 1];
  const int col = blockIdx.x * kTile + threadIdx.x;
  acc_t weight_sum = 0;
  acc_t bias_sum = 0;
  if (col < cols) {
    const int64_t step = static_cast<int64_t>(gridDim.y) * kTile;
    for (int64_t row = static_cast<int64_t>(blockIdx.y) * kTile + threadIdx.y; row < rows;
         row += step) {
      const acc_t g = static_cast<acc_t>(grad[row * cols + col]);
      weight_sum += g * (static_cast<acc_t>(x[row * cols + col]) - mean[row]) * rstd[row];
      bias_sum += g;
    }
  }
  weight_tile[threadIdx.y][threadIdx.x] = weight_sum;
  bias_tile[threadIdx.y][threadIdx.x] = bias_sum;
  __syncthreads();
  // Transposed: warp threadIdx.y now holds the 32 partial sums of one column.
  weight_sum = warp_sum(weight_tile[threadIdx.x][threadIdx.y]);
  bias_sum = warp_sum(bias_tile[threadIdx.x][threadIdx.y]);
  const int out_col = blockIdx.x * kTile + threadIdx.y;
  if (threadIdx.x == 0 && out_col < cols) {
    weight_part[static_cast<int64_t>(blockIdx.y) * cols + out_col] = weight_sum;
    bias_part[static_cast<int64_t>(blockIdx.y) * cols + out_col] = bias_sum;
  }
}

}  // namespace fused_norm
