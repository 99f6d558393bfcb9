// SPDX-License-Identifier: Apache-2.0
//
// cub's warp-wide primitives with CUB's default of 32 lanes.
//
// hipcub's default is the wavefront: 64 lanes on CDNA, where code that keeps one TempStorage for
// each 32 threads would have two warps share a storage and a result. Lanes and warps are numbered
// accordingly.
#ifndef W2W_CUB_WARP_H
#define W2W_CUB_WARP_H

#include <hipcub/hipcub.hpp>

#include "warp32.h"

namespace cub {

// CUB's last, long unused parameter (the PTX version) is accepted and dropped.
template <typename T, int LogicalWarpThreads = 32, int = 0>
using WarpReduce = ::hipcub::WarpReduce<T, LogicalWarpThreads>;

template <typename T, int LogicalWarpThreads = 32, int = 0>
using WarpScan = ::hipcub::WarpScan<T, LogicalWarpThreads>;

template <typename T, int ItemsPerThread, int LogicalWarpThreads = 32, int = 0>
using WarpExchange = ::hipcub::WarpExchange<T, ItemsPerThread, LogicalWarpThreads>;

template <typename T, int ItemsPerThread,
          ::hipcub::WarpLoadAlgorithm Algorithm = ::hipcub::WARP_LOAD_DIRECT,
          int LogicalWarpThreads = 32, int = 0>
using WarpLoad = ::hipcub::WarpLoad<T, ItemsPerThread, Algorithm, LogicalWarpThreads>;

template <typename T, int ItemsPerThread,
          ::hipcub::WarpStoreAlgorithm Algorithm = ::hipcub::WARP_STORE_DIRECT,
          int LogicalWarpThreads = 32, int = 0>
using WarpStore = ::hipcub::WarpStore<T, ItemsPerThread, Algorithm, LogicalWarpThreads>;

template <typename Key, int ItemsPerThread, int LogicalWarpThreads = 32,
          typename Value = ::hipcub::NullType, int = 0>
using WarpMergeSort = ::hipcub::WarpMergeSort<Key, ItemsPerThread, LogicalWarpThreads, Value>;

#if defined(W2W_DEVICE)
// The lane of the calling thread in its warp, masks of those beside it, and its warp in the block.
W2W_DEVICE unsigned LaneId() { return ::w2w_lane_id(); }
W2W_DEVICE unsigned LaneMaskLt() { return ::w2w_lanemask_lt(); }
W2W_DEVICE unsigned LaneMaskLe() { return ::w2w_lanemask_le(); }
W2W_DEVICE unsigned LaneMaskGt() { return ::w2w_lanemask_gt(); }
W2W_DEVICE unsigned LaneMaskGe() { return ::w2w_lanemask_ge(); }
W2W_DEVICE unsigned WarpId() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32u;
}
#endif

}  // namespace cub

#endif  // W2W_CUB_WARP_H
