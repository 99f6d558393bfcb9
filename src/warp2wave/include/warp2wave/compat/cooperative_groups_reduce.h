// SPDX-License-Identifier: Apache-2.0
//
// <cooperative_groups/reduce.h>, which HIP lacks: reduce() over tiles of up to 32 threads and over
// coalesced groups, and the function objects for it.
#ifndef W2W_COOPERATIVE_GROUPS_REDUCE_H
#define W2W_COOPERATIVE_GROUPS_REDUCE_H

#include "warp32.h"

#if defined(W2W_WAVE_MODEL)  // tests put a stand-in for HIP's groups here
#include W2W_COOPERATIVE_GROUPS_MODEL
#elif defined(__HIP__)
#include <hip/hip_cooperative_groups.h>
#endif

#if defined(W2W_DEVICE)

namespace cooperative_groups {

template <typename T>
struct plus {
  W2W_DEVICE T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct less {  // the lesser of the two
  W2W_DEVICE T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T>
struct greater {  // the greater of the two
  W2W_DEVICE T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T>
struct bit_and {
  W2W_DEVICE T operator()(T a, T b) const { return a & b; }
};
template <typename T>
struct bit_or {
  W2W_DEVICE T operator()(T a, T b) const { return a | b; }
};
template <typename T>
struct bit_xor {
  W2W_DEVICE T operator()(T a, T b) const { return a ^ b; }
};

// Each thread of the tile gets `combine` over the values of all.
template <unsigned int Size, typename Parent, typename T, typename Combine>
W2W_DEVICE T reduce(const thread_block_tile<Size, Parent>&, T value, Combine combine) {
  static_assert(Size <= 32, "a tile of more than 32 threads is no part of a warp");
  for (unsigned distance = Size / 2; distance != 0; distance /= 2) {
    value = combine(value, w2w_read_lane(value, w2w_lane_id() ^ distance));
  }
  return value;
}

// The same for threads that happen to be together: pairs, pairs of pairs ..., by rank.
template <typename T, typename Combine>
W2W_DEVICE T reduce(const coalesced_group& group, T value, Combine combine) {
  const unsigned rank = group.thread_rank();
  const unsigned size = group.size();
  for (unsigned distance = 1; distance < size; distance *= 2) {
    const T other = group.shfl_down(value, distance);
    if (rank % (2 * distance) == 0 && rank + distance < size) value = combine(value, other);
  }
  return group.shfl(value, 0);
}

}  // namespace cooperative_groups

#endif  // W2W_DEVICE

#endif  // W2W_COOPERATIVE_GROUPS_REDUCE_H
