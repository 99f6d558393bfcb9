// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for HIP's cooperative groups (ROCm 6.0), on the wave model: the members that the
// compat headers use, with HIP's meaning. A coalesced group's mask counts lanes of the wavefront.
#ifndef W2W_GROUPS_MODEL_H
#define W2W_GROUPS_MODEL_H

#include "wave_model.h"

namespace cooperative_groups {

class thread_group {
 protected:
  struct tiled {
    unsigned meta_group_rank = 0, meta_group_size = 1;
  };
  struct info {
    unsigned long long member_mask = 0;
    tiled tiled_info;
  } coalesced_info;
};

class thread_block {
 public:
  static unsigned thread_rank() { return wave_model::thread_now(); }
  static unsigned size() { return wave_model::block_size(); }
};
inline thread_block this_thread_block() { return {}; }

template <unsigned int Size, typename Parent = void>
class thread_block_tile : public thread_group {
 public:
  static unsigned thread_rank() { return wave_model::thread_now() % Size; }
  static unsigned size() { return Size; }
  unsigned meta_group_rank() const { return coalesced_info.tiled_info.meta_group_rank; }
  unsigned meta_group_size() const { return coalesced_info.tiled_info.meta_group_size; }
};

template <unsigned int Size>
thread_block_tile<Size> tiled_partition(const thread_block&) {
  return {};
}

class coalesced_group : public thread_group {
 public:
  unsigned size() const { return __builtin_popcountll(coalesced_info.member_mask); }
  unsigned thread_rank() const {
    return __builtin_popcountll(coalesced_info.member_mask & ((1ull << w2w_wave_lane()) - 1));
  }
  template <typename T>
  T shfl(T value, unsigned rank) const {
    unsigned long long rest = coalesced_info.member_mask;
    for (; rank > 0; --rank) rest &= rest - 1;
    return static_cast<T>(w2w_wave_read(static_cast<unsigned>(value),
                                        static_cast<unsigned>(__builtin_ctzll(rest))));
  }
  template <typename T>
  T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return shfl(value, rank + delta < size() ? rank + delta : rank);
  }

 protected:
  explicit coalesced_group(unsigned long long mask) { coalesced_info.member_mask = mask; }
};

template <typename Group>
coalesced_group tiled_partition(const Group&, unsigned);  // by size at run time: not modelled

}  // namespace cooperative_groups

#endif  // W2W_GROUPS_MODEL_H
