#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace my_ops {

// One block computes a 128 x 128 tile of C. Its 8 warps form a 2 x 4 grid of 64 x 32 tiles, and
// the 32 lanes of a warp an 8 x 4 grid of 8 x 8 register tiles.
constexpr int kBlockM = 128;
constexpr int kBlockN = 128;
constexpr int kBlockK = 32;
constexpr int kWarpM = 64;
constexpr int kWarpN = 32;
constexpr int kThreadTile = 8;
constexpr int kThreads = 256;
// Eight more halves a row keep rows 16-byte aligned and spread a column over the banks.
constexpr int kPad = 8;
constexpr int kChunksPerThread = kBlockM * kBlockK / 8 / kThreads;

// Eight halves and the 16-byte word that memory moves them in.
union Half8 {
  uint4 word;
  half value[8];
};

// Reads eight neighbouring halves of a row-major matrix. What lies outside it reads as zero.
__device__ __forceinline__ Half8 load8(const half* __restrict__ matrix, int row, int col, int rows,
                                       int cols) {
  Half8 eight;
  eight.word = make_uint4(0, 0, 0, 0);
  if (row >= rows || col >= cols) {
    return eight;
  }
  const half* source = matrix + static_cast<int64_t>(row) * cols + col;
  if (col + 8 <= cols && (reinterpret_cast<uintptr_t>(source) & 15) == 0) {
    eight.word = *reinterpret_cast<const uint4*>(source);
    return eight;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (col + i < cols) {
      eight.value[i] = source[i];
    }
  }
  return eight;
}

__device__ __forceinline__ void unpack8(const half* source, float (&out)[8]) {
  Half8 eight;
  eight.word = *reinterpret_cast<const uint4*>(source);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    out[i] = __half2float(eight.value[i]);
  }
}

// C[m, n] = A[m, k] B[k, n], all row-major halves; products are summed in float32.
__global__ void __launch_bounds__(kThreads)
    gemm_kernel(const half* __restrict__ a, const half* __restrict__ b, half* __restrict__ c, int m,
                int n, int k) {
  // A lies transposed, so that a thread reads its eight rows as one 16-byte word.
  __shared__ __align__(16) half a_tile[2][kBlockK][kBlockM + kPad];
  __shared__ __align__(16) half b_tile[2][kBlockK][kBlockN + kPad];

  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x >> 5;
  const int block_row = blockIdx.x * kBlockM;
  const int block_col = blockIdx.y * kBlockN;
  const int row_in_tile = (warp >> 2) * kWarpM + (lane >> 2) * kThreadTile;
  const int col_in_tile = (warp & 3) * kWarpN + (lane & 3) * kThreadTile;

  Half8 a_next[kChunksPerThread];
  Half8 b_next[kChunksPerThread];
  const auto fetch = [&](int k0) {
#pragma unroll
    for (int i = 0; i < kChunksPerThread; ++i) {
      const int chunk = threadIdx.x + i * kThreads;
      a_next[i] = load8(a, block_row + (chunk >> 2), k0 + (chunk & 3) * 8, m, k);
      b_next[i] = load8(b, k0 + (chunk >> 4), block_col + (chunk & 15) * 8, k, n);
    }
  };
  const auto stash = [&](int stage) {
#pragma unroll
    for (int i = 0; i < kChunksPerThread; ++i) {
      const int chunk = threadIdx.x + i * kThreads;
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        a_tile[stage][(chunk & 3) * 8 + j][chunk >> 2] = a_next[i].value[j];
      }
      *reinterpret_cast<uint4*>(&b_tile[stage][chunk >> 4][(chunk & 15) * 8]) = b_next[i].word;
    }
  };

  float sum[kThreadTile][kThreadTile] = {};
  int stage = 0;
  fetch(0);
  stash(stage);
  __syncthreads();
  for (int k0 = 0; k0 < k; k0 += kBlockK) {
    const bool more = k0 + kBlockK < k;
    if (more) {
      fetch(k0 + kBlockK);  // in flight while this stage is multiplied
    }
#pragma unroll
    for (int i = 0; i < kBlockK; ++i) {
      float a_value[kThreadTile];
      float b_value[kThreadTile];
      unpack8(&a_tile[stage][i][row_in_tile], a_value);
      unpack8(&b_tile[stage][i][col_in_tile], b_value);
#pragma unroll
      for (int r = 0; r < kThreadTile; ++r) {
#pragma unroll
        for (int s = 0; s < kThreadTile; ++s) {
          sum[r][s] = fmaf(a_value[r], b_value[s], sum[r][s]);
        }
      }
    }
    if (more) {
      stage ^= 1;
      stash(stage);  // nobody reads this stage any more: all passed the barrier below
      __syncthreads();
    }
  }

  const int col = block_col + col_in_tile;
#pragma unroll
  for (int r = 0; r < kThreadTile; ++r) {
    const int row = block_row + row_in_tile + r;
    if (row >= m || col >= n) {
      continue;
    }
    half* target = c + static_cast<int64_t>(row) * n + col;
    if (col + 8 <= n && (reinterpret_cast<uintptr_t>(target) & 15) == 0) {
      Half8 eight;
#pragma unroll
      for (int s = 0; s < kThreadTile; ++s) {
        eight.value[s] = __float2half_rn(sum[r][s]);
      }
      *reinterpret_cast<uint4*>(target) = eight.word;
    } else {
#pragma unroll
      for (int s = 0; s < kThreadTile; ++s) {
        if (col + s < n) {
          target[s] = __float2half_rn(sum[r][s]);
        }
      }
    }
  }
}

// y[m] = A[m, k] x[k]: one warp a row.
template <int kWarps>
__global__ void __launch_bounds__(kWarps * 32)
    gemv_kernel(const half* __restrict__ a, const half* __restrict__ x, half* __restrict__ y, int m,
                int k, bool pairs) {
  const int lane = threadIdx.x & 31;
  const int row = blockIdx.x * kWarps + (threadIdx.x >> 5);
  if (row >= m) {
    return;
  }
  const half* a_row = a + static_cast<int64_t>(row) * k;
  float sum = 0.0f;
  if (pairs) {
    const half2* a_pair = reinterpret_cast<const half2*>(a_row);
    const half2* x_pair = reinterpret_cast<const half2*>(x);
    for (int i = lane; i < k / 2; i += 32) {
      const float2 u = __half22float2(a_pair[i]);
      const float2 v = __half22float2(x_pair[i]);
      sum = fmaf(u.x, v.x, sum);
      sum = fmaf(u.y, v.y, sum);
    }
  } else {
    for (int i = lane; i < k; i += 32) {
      sum = fmaf(__half2float(a_row[i]), __half2float(x[i]), sum);
    }
  }
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) {
    sum += __shfl_down_sync(0xffffffff, sum, offset);
  }
  if (lane == 0) {
    y[row] = __float2half_rn(sum);
  }
}

}  // namespace my_ops
