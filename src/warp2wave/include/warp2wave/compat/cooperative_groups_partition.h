// SPDX-License-Identifier: Apache-2.0
//
// Parts of a warp: coalesced_threads() within 32 lanes, labeled_partition() and
// binary_partition(), which HIP lacks or had late, and tiles as CUDA code uses them.
//
// They are made of HIP's own groups: coalesced_group, whose ranks and sizes work for any set of
// lanes of a wavefront, and thread_block_tile. In ROCm 6.0 `auto tile =
// tiled_partition<32>(block)` gives a type whose thread_rank() is ambiguous, and a tile cannot be
// cut into smaller ones; both work here. The names differ so that HIP's own are not in the way.
#ifndef W2W_COOPERATIVE_GROUPS_PARTITION_H
#define W2W_COOPERATIVE_GROUPS_PARTITION_H

#include "warp32.h"

#if defined(W2W_WAVE_MODEL)  // tests put a stand-in for HIP's groups here
#include W2W_COOPERATIVE_GROUPS_MODEL
#elif defined(__HIP__)
#include <hip/hip_cooperative_groups.h>
#endif

#if defined(W2W_DEVICE)

namespace cooperative_groups {

// A coalesced group of chosen lanes of the wavefront, and the lanes of one: HIP keeps both to
// derived classes.
class w2w_lanes : public coalesced_group {
 public:
  W2W_DEVICE explicit w2w_lanes(unsigned long long lanes) : coalesced_group(lanes) {}
  W2W_DEVICE static unsigned long long of(const coalesced_group& group) {
    return (group.*&w2w_lanes::coalesced_info).member_mask;
  }
};

// The calling warp's lanes of `mask`, as a group.
W2W_DEVICE coalesced_group w2w_group_of(unsigned mask) {
  return w2w_lanes(static_cast<unsigned long long>(mask) << (w2w_wave_lane() & 32u));
}

// The group's members among the calling warp's 32 lanes.
W2W_DEVICE unsigned w2w_members(const coalesced_group& group) {
  return w2w_half_of(w2w_lanes::of(group));
}
template <unsigned int Size, typename Parent>
W2W_DEVICE unsigned w2w_members(const thread_block_tile<Size, Parent>&) {
  static_assert(Size <= 32, "a tile of more than 32 threads is no part of a warp");
  constexpr unsigned tile = Size == 32 ? 0xffffffffu : (1u << (Size % 32)) - 1u;
  return tile << (w2w_lane_id() & ~(Size - 1u));
}

// thread_block_tile: HIP's, with the votes and matches that ROCm 6.0 lacks and later versions
// answer in 64 bits, and with shuffles of any type that a shuffle of the warp takes.
template <unsigned int Size, typename Parent = void>
class w2w_thread_block_tile : public thread_block_tile<Size, void> {
  using Base = thread_block_tile<Size, void>;

 public:
  template <typename Other>
  W2W_DEVICE w2w_thread_block_tile(const thread_block_tile<Size, Other>& tile) : Base(tile) {}

  W2W_DEVICE static constexpr unsigned num_threads() { return Size; }

  template <typename T>
  W2W_DEVICE T shfl(T value, int rank) const {
    return static_cast<T>(w2w_shfl(value, rank, Size));
  }
  template <typename T>
  W2W_DEVICE T shfl_up(T value, unsigned delta) const {
    return static_cast<T>(w2w_shfl_up(value, delta, Size));
  }
  template <typename T>
  W2W_DEVICE T shfl_down(T value, unsigned delta) const {
    return static_cast<T>(w2w_shfl_down(value, delta, Size));
  }
  template <typename T>
  W2W_DEVICE T shfl_xor(T value, unsigned mask) const {
    return static_cast<T>(w2w_shfl_xor(value, mask, Size));
  }
  W2W_DEVICE int any(int predicate) const { return ballot(predicate) != 0; }
  W2W_DEVICE int all(int predicate) const { return ballot(predicate == 0) == 0; }
  W2W_DEVICE unsigned ballot(int predicate) const { return own(w2w_ballot(predicate)); }
  template <typename T>
  W2W_DEVICE unsigned match_any(T value) const {
    return own(w2w_match_any_sync(w2w_members(*this), value));
  }
  template <typename T>
  W2W_DEVICE unsigned match_all(T value, int& predicate) const {
    return own(w2w_match_all_sync(w2w_members(*this), value, &predicate));
  }

 private:
  // The tile's bits of a mask over the warp, its first thread's in bit 0.
  W2W_DEVICE unsigned own(unsigned mask) const {
    return (mask & w2w_members(*this)) >> (w2w_lane_id() & ~(Size - 1u) & 31u);
  }
};

// coalesced_group, likewise. Ranks, not lanes, number the bits of its answers.
class w2w_coalesced_group : public coalesced_group {
 public:
  W2W_DEVICE w2w_coalesced_group(const coalesced_group& group) : coalesced_group(group) {}

  W2W_DEVICE unsigned num_threads() const { return size(); }

  template <typename T>
  W2W_DEVICE T shfl(T value, unsigned rank) const {
    return w2w_read_lane(value, lane_of(rank % size()));
  }
  template <typename T>
  W2W_DEVICE T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return w2w_read_lane(value, lane_of(rank >= delta ? rank - delta : rank));
  }
  template <typename T>
  W2W_DEVICE T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return w2w_read_lane(value, lane_of(delta < size() - rank ? rank + delta : rank));
  }
  W2W_DEVICE int any(int predicate) const { return (w2w_ballot(predicate) & lanes()) != 0; }
  W2W_DEVICE int all(int predicate) const { return (w2w_ballot(predicate == 0) & lanes()) == 0; }
  W2W_DEVICE unsigned ballot(int predicate) const { return ranks(w2w_ballot(predicate)); }
  template <typename T>
  W2W_DEVICE unsigned match_any(T value) const {
    return ranks(w2w_match_any_sync(lanes(), value));
  }
  template <typename T>
  W2W_DEVICE unsigned match_all(T value, int& predicate) const {
    return ranks(w2w_match_all_sync(lanes(), value, &predicate));
  }

 private:
  W2W_DEVICE unsigned lanes() const { return w2w_members(*this); }
  W2W_DEVICE unsigned lane_of(unsigned rank) const {
    unsigned rest = lanes();
    for (; rank != 0; --rank) rest &= rest - 1;
    return static_cast<unsigned>(__builtin_ctz(rest));
  }
  W2W_DEVICE unsigned ranks(unsigned mask) const {
    unsigned packed = 0;
    unsigned bit = 1;
    for (unsigned rest = lanes(); rest != 0; rest &= rest - 1, bit <<= 1) {
      if ((mask & rest & (0u - rest)) != 0) packed |= bit;
    }
    return packed;
  }
};

// coalesced_threads(): those of the own warp, not of the whole wavefront.
W2W_DEVICE w2w_coalesced_group w2w_coalesced_threads() { return w2w_group_of(w2w_activemask()); }

// The threads of `group` with the same label.
template <typename Group, typename Label>
W2W_DEVICE w2w_coalesced_group w2w_labeled_partition(const Group& group, Label label) {
  return w2w_group_of(w2w_match_any_sync(w2w_members(group), label));
}

// The threads of `group` for which the predicate is the same.
template <typename Group>
W2W_DEVICE w2w_coalesced_group w2w_binary_partition(const Group& group, bool predicate) {
  const unsigned true_lanes = w2w_ballot(predicate);
  return w2w_group_of(w2w_members(group) & (predicate ? true_lanes : ~true_lanes));
}

// A tile whose place among its siblings is given.
template <unsigned int Size>
class w2w_tile : public thread_block_tile<Size, void> {
 public:
  W2W_DEVICE w2w_tile(unsigned rank, unsigned count)
      : thread_block_tile<Size, void>(tiled_partition<Size>(this_thread_block())) {
    this->coalesced_info.tiled_info.meta_group_rank = rank;
    this->coalesced_info.tiled_info.meta_group_size = count;
  }
};

// tiled_partition<Size>(group) for a block, a tile or a coalesced group.
template <unsigned int Size>
W2W_DEVICE w2w_thread_block_tile<Size, thread_block> w2w_tiled_partition(
    const thread_block& block) {
  return tiled_partition<Size>(block);
}
template <unsigned int Size, unsigned int ParentSize, typename Parent>
W2W_DEVICE w2w_thread_block_tile<Size> w2w_tiled_partition(
    const thread_block_tile<ParentSize, Parent>& tile) {
  static_assert(Size <= ParentSize, "a tile cannot be larger than its parent");
  const thread_block_tile<ParentSize, void> parent(tile);
  return w2w_tile<Size>(parent.thread_rank() / Size, ParentSize / Size);
}
template <unsigned int Size>
W2W_DEVICE w2w_coalesced_group w2w_tiled_partition(const coalesced_group& group) {
  return tiled_partition(group, Size);
}
template <typename Group>
W2W_DEVICE auto w2w_tiled_partition(const Group& group, unsigned int size) {
  return tiled_partition(group, size);
}

}  // namespace cooperative_groups

#endif  // W2W_DEVICE

#endif  // W2W_COOPERATIVE_GROUPS_PARTITION_H
