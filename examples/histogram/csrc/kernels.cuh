#pragma once

#include <cstdint>

#include "scan.cuh"

namespace stream_ops {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kItems = 4;  // elements a thread scans
constexpr int kTile = kThreads * kItems;

// Adds one to counter[bin] for each lane of `active`. Lanes with the same bin elect a leader, which
// adds for all of them, so that equal values in a warp cost one atomic operation.
template <typename Counter>
__device__ __forceinline__ void count_aggregated(Counter* counter, int bin, unsigned active) {
  const int lane = threadIdx.x & 31;
  const unsigned peers = __match_any_sync(active, bin);
  if (lane == __ffs(peers) - 1) {
    atomicAdd(&counter[bin], static_cast<Counter>(__popc(peers)));
  }
}

// Counts into shared memory first, for as many bins as fit there.
template <typename scalar_t>
__global__ void __launch_bounds__(kThreads)
    histogram_shared_kernel(const scalar_t* __restrict__ values, int64_t n, int bins,
                            unsigned long long* __restrict__ out) {
  extern __shared__ unsigned int counts[];
  for (int i = threadIdx.x; i < bins; i += kThreads) {
    counts[i] = 0;
  }
  __syncthreads();
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t base = static_cast<int64_t>(blockIdx.x) * kThreads; base < n; base += step) {
    const int64_t i = base + threadIdx.x;
    const int64_t value = i < n ? static_cast<int64_t>(values[i]) : -1;
    const bool valid = value >= 0 && value < bins;
    const unsigned active = __ballot_sync(0xffffffff, valid);
    if (valid) {
      count_aggregated(counts, static_cast<int>(value), active);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < bins; i += kThreads) {
    if (counts[i] != 0) {
      atomicAdd(&out[i], static_cast<unsigned long long>(counts[i]));
    }
  }
}

// Counts in global memory directly.
template <typename scalar_t>
__global__ void __launch_bounds__(kThreads)
    histogram_global_kernel(const scalar_t* __restrict__ values, int64_t n, int bins,
                            unsigned long long* __restrict__ out) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t base = static_cast<int64_t>(blockIdx.x) * kThreads; base < n; base += step) {
    const int64_t i = base + threadIdx.x;
    const int64_t value = i < n ? static_cast<int64_t>(values[i]) : -1;
    const bool valid = value >= 0 && value < bins;
    const unsigned active = __ballot_sync(0xffffffff, valid);
    if (valid) {
      count_aggregated(out, static_cast<int>(value), active);
    }
  }
}

// Scans tiles of kTile elements, each thread kItems neighbouring ones; writes the sum of each tile.
template <typename scalar_t>
__global__ void __launch_bounds__(kThreads)
    scan_tiles_kernel(const scalar_t* in, scalar_t* out, scalar_t* tile_sums, int64_t n) {
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kTile + threadIdx.x * kItems;
  scalar_t item[kItems];
  scalar_t sum = 0;
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    item[i] = first + i < n ? in[first + i] : scalar_t(0);
    sum += item[i];
  }
  scalar_t total;
  scalar_t running = block_exclusive_scan(sum, &total);
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    running += item[i];
    if (first + i < n) {
      out[first + i] = running;
    }
  }
  if (threadIdx.x == 0) {
    tile_sums[blockIdx.x] = total;
  }
}

// Adds to each tile but the first the scanned sums of the tiles before it.
template <typename scalar_t>
__global__ void __launch_bounds__(kThreads)
    add_tile_offsets_kernel(scalar_t* out, const scalar_t* tile_sums, int64_t n) {
  const scalar_t offset = tile_sums[blockIdx.x];
  const int64_t tile = static_cast<int64_t>(blockIdx.x + 1) * kTile;
  for (int i = threadIdx.x; i < kTile && tile + i < n; i += kThreads) {
    out[tile + i] += offset;
  }
}

// counts[b] = how many of the kThreads mask entries of block b are set.
__global__ void __launch_bounds__(kThreads)
    count_kept_kernel(const bool* __restrict__ mask, int64_t n, int* __restrict__ counts) {
  __shared__ int kept;
  if (threadIdx.x == 0) {
    kept = 0;
  }
  __syncthreads();
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const unsigned ballot = __ballot_sync(0xffffffff, i < n && mask[i]);
  if ((threadIdx.x & 31) == 0) {
    atomicAdd(&kept, __popc(ballot));
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    counts[blockIdx.x] = kept;
  }
}

// Writes the kept elements of block b behind those of blocks 0 .. b - 1, in order;
// `ends` is the inclusive scan of `counts`.
template <typename scalar_t>
__global__ void __launch_bounds__(kThreads)
    write_kept_kernel(const scalar_t* __restrict__ values, const bool* __restrict__ mask, int64_t n,
                      const int* __restrict__ ends, scalar_t* __restrict__ out) {
  __shared__ int warp_count[kWarps];
  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x / 32;
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const bool keep = i < n && mask[i];
  const unsigned ballot = __ballot_sync(0xffffffff, keep);
  if (lane == 0) {
    warp_count[warp] = __popc(ballot);
  }
  __syncthreads();
  int position = blockIdx.x > 0 ? ends[blockIdx.x - 1] : 0;
  for (int w = 0; w < warp; ++w) {
    position += warp_count[w];
  }
  const unsigned lower_lanes = (1u << lane) - 1;
  position += __popc(ballot & lower_lanes);
  if (keep) {
    out[position] = values[i];
  }
}

}  // namespace stream_ops
