// SPDX-License-Identifier: Apache-2.0
//
// CUDA's warp functions with their 32-lane meaning, for AMD GPUs.
//
// A CUDA warp has 32 lanes. An AMD wavefront has 64 (CDNA: gfx90a, gfx942, gfx950) or 32 (RDNA:
// gfx11, gfx12). Here a wavefront of 64 is two warps of 32: lanes 0-31 and lanes 32-63. Every
// function below acts on the half that holds the calling lane, so code written for warps of 32
// gives the same result on both. On a wavefront of 32 the half is the whole wavefront.
//
// Two limits, both of the hardware. The lanes that a mask names must reach the same call
// together: AMD lanes make no progress on their own. And a value read from a lane that is not
// active is 0 here, undefined in CUDA.
//
// Functions that users overload for types of their own (torch-scatter does, for at::Half) are
// templates that match every argument exactly: a user's overload of the same exactness wins, and
// no call can be ambiguous.
#ifndef W2W_WARP32_H
#define W2W_WARP32_H

#include <type_traits>

// CUDA's warpSize: a constant expression, in host and device code alike.
constexpr int w2w_warp_size = 32;

// ---- What the wavefront provides: the only lines that touch the hardware ----------------------

#if defined(W2W_WAVE_MODEL)  // tests put a model of a wavefront on the CPU here
#include W2W_WAVE_MODEL
#define W2W_DEVICE inline
#elif defined(__HIP__)
#include <hip/hip_runtime.h>
#define W2W_DEVICE __device__ inline __attribute__((always_inline))

// A lane that has no value of its own yet may still take part in an exchange.
#if defined(__has_attribute) && __has_attribute(maybe_undef)
#define W2W_MAYBE_UNDEF __attribute__((maybe_undef))
#else
#define W2W_MAYBE_UNDEF
#endif

// The index of the calling lane in its wavefront.
W2W_DEVICE unsigned w2w_wave_lane() { return __lane_id(); }

// The word that `lane` of the wavefront holds.
W2W_DEVICE unsigned w2w_wave_read(W2W_MAYBE_UNDEF unsigned word, unsigned lane) {
  return static_cast<unsigned>(
      __builtin_amdgcn_ds_bpermute(static_cast<int>(lane << 2), static_cast<int>(word)));
}

// The word that the first active lane of the wavefront holds.
W2W_DEVICE unsigned w2w_wave_first(unsigned word) {
  return static_cast<unsigned>(__builtin_amdgcn_readfirstlane(static_cast<int>(word)));
}

// One bit per lane of the wavefront: set where the lane is active and `predicate` holds.
W2W_DEVICE unsigned long long w2w_wave_ballot(bool predicate) { return __ballot64(predicate); }

// Orders the memory accesses of the wavefront's lanes, and keeps the compiler from moving any
// across.
W2W_DEVICE void w2w_wave_barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
#endif

#if defined(W2W_DEVICE)

// ---- Lanes and masks -------------------------------------------------------------------------

// The lane's index in its warp, 0 to 31 (PTX %laneid).
W2W_DEVICE unsigned w2w_lane_id() { return w2w_wave_lane() & 31u; }

// The warp's own lane `lane`, as an index in the wavefront.
W2W_DEVICE unsigned w2w_lane_in_wave(unsigned lane) {
  return (w2w_wave_lane() & 32u) | (lane & 31u);
}

// The calling warp's 32 bits of a mask over the wavefront.
W2W_DEVICE unsigned w2w_half_of(unsigned long long wave_mask) {
  return static_cast<unsigned>(wave_mask >> (w2w_wave_lane() & 32u));
}

// PTX %lanemask_eq, _lt, _le, _gt, _ge: the lane itself, those below, above.
W2W_DEVICE unsigned w2w_lanemask_eq() { return 1u << w2w_lane_id(); }
W2W_DEVICE unsigned w2w_lanemask_lt() { return w2w_lanemask_eq() - 1u; }
W2W_DEVICE unsigned w2w_lanemask_le() { return w2w_lanemask_lt() | w2w_lanemask_eq(); }
W2W_DEVICE unsigned w2w_lanemask_gt() { return ~w2w_lanemask_le(); }
W2W_DEVICE unsigned w2w_lanemask_ge() { return ~w2w_lanemask_lt(); }

// ---- Votes -----------------------------------------------------------------------------------

W2W_DEVICE unsigned w2w_activemask() { return w2w_half_of(w2w_wave_ballot(true)); }

W2W_DEVICE unsigned w2w_ballot(int predicate) {
  return w2w_half_of(w2w_wave_ballot(predicate != 0));
}
W2W_DEVICE int w2w_any(int predicate) { return w2w_ballot(predicate) != 0; }
W2W_DEVICE int w2w_all(int predicate) { return w2w_ballot(predicate == 0) == 0; }

// `mask` may be of any integral type: unsigned, -1, the 64-bit mask of code ported by hand.
template <typename Mask>
W2W_DEVICE unsigned w2w_ballot_sync(Mask mask, int predicate) {
  return w2w_ballot(predicate) & static_cast<unsigned>(mask);
}
template <typename Mask>
W2W_DEVICE int w2w_any_sync(Mask mask, int predicate) {
  return w2w_ballot_sync(mask, predicate) != 0;
}
template <typename Mask>
W2W_DEVICE int w2w_all_sync(Mask mask, int predicate) {
  return w2w_ballot_sync(mask, predicate == 0) == 0;
}
// True when `predicate` is the same in all lanes of the mask (PTX vote.uni).
template <typename Mask>
W2W_DEVICE int w2w_uni_sync(Mask mask, int predicate) {
  return w2w_all_sync(mask, predicate) | w2w_all_sync(mask, predicate == 0);
}

// Shared and global memory written by the warp's lanes before the call is seen by them after it.
// The whole wavefront passes together, so the mask has nothing to select.
W2W_DEVICE void w2w_syncwarp() { w2w_wave_barrier(); }
template <typename Mask>
W2W_DEVICE void w2w_syncwarp(Mask) {
  w2w_wave_barrier();
}

// ---- Shuffles --------------------------------------------------------------------------------

// What a CUDA shuffle of a T returns: types narrower than int arrive as int, as by promotion.
template <typename T, bool = std::is_arithmetic<T>::value || std::is_enum<T>::value>
struct w2w_shuffled {
  using type = T;
};
template <typename T, bool = std::is_convertible<T, long long>::value>
struct w2w_promoted {
  using type = T;  // a scoped enumeration
};
template <typename T>
struct w2w_promoted<T, true> {
  using type = decltype(+T{});
};
template <typename T>
struct w2w_shuffled<T, true> {
  using type = typename w2w_promoted<T>::type;
};
template <typename T>
using w2w_shuffled_t = typename w2w_shuffled<T>::type;

// The value that the warp's lane `lane` holds, moved by its bits: T may be any number, half or
// bfloat16 type, vector or small struct.
template <typename T>
W2W_DEVICE T w2w_read_lane(T value, unsigned lane) {
  constexpr unsigned words = (sizeof(T) + 3) / 4;
  const unsigned source = w2w_lane_in_wave(lane);
  unsigned bits[words] = {};
  __builtin_memcpy(bits, &value, sizeof(T));
  for (unsigned word = 0; word < words; ++word) {
    bits[word] = w2w_wave_read(bits[word], source);
  }
  __builtin_memcpy(static_cast<void*>(&value), bits, sizeof(T));
  return value;
}

// The four forms as PTX defines them (shfl.sync): the warp is cut into segments of `width` lanes,
// a power of two up to 32; distances and lane numbers count modulo 32.

// From lane `source` modulo `width` of the own segment.
template <typename T>
W2W_DEVICE w2w_shuffled_t<T> w2w_shuffle_index(T value, unsigned source, unsigned width) {
  const unsigned within = (width - 1u) & 31u;
  return w2w_read_lane(value, (w2w_lane_id() & ~within) | (source & within));
}
// From `delta` lanes below; the own value where that is outside the segment.
template <typename T>
W2W_DEVICE w2w_shuffled_t<T> w2w_shuffle_up(T value, unsigned delta, unsigned width) {
  const unsigned lane = w2w_lane_id();
  const unsigned offset = delta & 31u;
  return w2w_read_lane(value, (lane & (width - 1u)) >= offset ? lane - offset : lane);
}
// From `delta` lanes above; the own value where that is outside the segment.
template <typename T>
W2W_DEVICE w2w_shuffled_t<T> w2w_shuffle_down(T value, unsigned delta, unsigned width) {
  const unsigned within = (width - 1u) & 31u;
  const unsigned lane = w2w_lane_id();
  const unsigned source = lane + (delta & 31u);
  return w2w_read_lane(value, source <= (lane | within) ? source : lane);
}
// From the lane whose number is the own one xor `lane_mask`; earlier segments may be read, the
// own value stands for later ones.
template <typename T>
W2W_DEVICE w2w_shuffled_t<T> w2w_shuffle_xor(T value, unsigned lane_mask, unsigned width) {
  const unsigned within = (width - 1u) & 31u;
  const unsigned lane = w2w_lane_id();
  const unsigned source = lane ^ (lane_mask & 31u);
  return w2w_read_lane(value, source <= (lane | within) ? source : lane);
}

// CUDA's names: w2w_shfl for __shfl and w2w_shfl_sync for __shfl_sync, and so on.
#define W2W_SHUFFLE(name, shuffle)                                                               \
  template <typename T, typename Lane>                                                           \
  W2W_DEVICE w2w_shuffled_t<T> name(T value, Lane lane, int width = w2w_warp_size) {             \
    return shuffle(value, static_cast<unsigned>(lane), static_cast<unsigned>(width));            \
  }                                                                                              \
  template <typename Mask, typename T, typename Lane>                                            \
  W2W_DEVICE w2w_shuffled_t<T> name##_sync(Mask, T value, Lane lane, int width = w2w_warp_size) { \
    return shuffle(value, static_cast<unsigned>(lane), static_cast<unsigned>(width));            \
  }
W2W_SHUFFLE(w2w_shfl, w2w_shuffle_index)
W2W_SHUFFLE(w2w_shfl_up, w2w_shuffle_up)
W2W_SHUFFLE(w2w_shfl_down, w2w_shuffle_down)
W2W_SHUFFLE(w2w_shfl_xor, w2w_shuffle_xor)
#undef W2W_SHUFFLE

// ---- Matches (compared by their bits, as the hardware does) ------------------------------------

// The lanes of the mask that hold the same value as the calling lane.
template <typename Mask, typename T>
W2W_DEVICE unsigned w2w_match_any_sync(Mask mask, T value) {
  constexpr unsigned words = (sizeof(T) + 3) / 4;
  unsigned bits[words] = {};
  __builtin_memcpy(bits, &value, sizeof(T));
  for (;;) {  // a turn for each value that occurs: its lanes find each other and leave
    bool same = true;
    for (unsigned word = 0; word < words; ++word) {
      same &= bits[word] == w2w_wave_first(bits[word]);
    }
    const unsigned matching = w2w_half_of(w2w_wave_ballot(same));
    if (same) return matching & static_cast<unsigned>(mask);
  }
}

// The mask, and *predicate = 1, when all its lanes hold the same value; else 0 and 0.
template <typename Mask, typename T, typename Predicate>
W2W_DEVICE unsigned w2w_match_all_sync(Mask mask, T value, Predicate* predicate) {
  constexpr unsigned words = (sizeof(T) + 3) / 4;
  const unsigned members = static_cast<unsigned>(mask) & w2w_activemask();
  const unsigned first = members == 0 ? 0u : static_cast<unsigned>(__builtin_ctz(members));
  unsigned bits[words] = {};
  __builtin_memcpy(bits, &value, sizeof(T));
  bool same = true;
  for (unsigned word = 0; word < words; ++word) {
    same &= bits[word] == w2w_read_lane(bits[word], first);
  }
  const bool all_same = w2w_all_sync(mask, same) != 0;
  *predicate = static_cast<Predicate>(all_same);
  return all_same ? static_cast<unsigned>(mask) : 0u;
}

// ---- Reductions ------------------------------------------------------------------------------

// Combines the values of the mask's lanes; each of them gets the result. Lanes may pass
// different masks in one call (one per group of w2w_match_any_sync, say) if these are disjoint.
template <typename T, typename Combine>
W2W_DEVICE T w2w_reduce(unsigned mask, T value, Combine combine) {
  const unsigned members = mask & w2w_activemask();
  if (w2w_wave_ballot(members != 0xffffffffu) == 0) {
    for (unsigned distance = 16; distance != 0; distance /= 2) {
      value = combine(value, w2w_read_lane(value, w2w_lane_id() ^ distance));
    }
    return value;
  }
  T result = value;  // lanes of one mask take the same number of turns, so all stay readable
  for (unsigned rest = members & ~w2w_lanemask_eq(); rest != 0; rest &= rest - 1) {
    result = combine(result, w2w_read_lane(value, static_cast<unsigned>(__builtin_ctz(rest))));
  }
  return result;
}

struct w2w_combine_add {
  W2W_DEVICE unsigned operator()(unsigned a, unsigned b) const { return a + b; }
};
struct w2w_combine_min {
  template <typename T>
  W2W_DEVICE T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct w2w_combine_max {
  template <typename T>
  W2W_DEVICE T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct w2w_combine_and {
  W2W_DEVICE unsigned operator()(unsigned a, unsigned b) const { return a & b; }
};
struct w2w_combine_or {
  W2W_DEVICE unsigned operator()(unsigned a, unsigned b) const { return a | b; }
};
struct w2w_combine_xor {
  W2W_DEVICE unsigned operator()(unsigned a, unsigned b) const { return a ^ b; }
};

template <typename Mask>
W2W_DEVICE unsigned w2w_reduce_add_sync(Mask mask, unsigned value) {
  return w2w_reduce(static_cast<unsigned>(mask), value, w2w_combine_add());
}
template <typename Mask>
W2W_DEVICE int w2w_reduce_add_sync(Mask mask, int value) {  // wraps on overflow, as CUDA's does
  return static_cast<int>(w2w_reduce_add_sync(mask, static_cast<unsigned>(value)));
}
template <typename Mask>
W2W_DEVICE unsigned w2w_reduce_min_sync(Mask mask, unsigned value) {
  return w2w_reduce(static_cast<unsigned>(mask), value, w2w_combine_min());
}
template <typename Mask>
W2W_DEVICE int w2w_reduce_min_sync(Mask mask, int value) {
  return w2w_reduce(static_cast<unsigned>(mask), value, w2w_combine_min());
}
template <typename Mask>
W2W_DEVICE unsigned w2w_reduce_max_sync(Mask mask, unsigned value) {
  return w2w_reduce(static_cast<unsigned>(mask), value, w2w_combine_max());
}
template <typename Mask>
W2W_DEVICE int w2w_reduce_max_sync(Mask mask, int value) {
  return w2w_reduce(static_cast<unsigned>(mask), value, w2w_combine_max());
}
template <typename Mask>
W2W_DEVICE unsigned w2w_reduce_and_sync(Mask mask, unsigned value) {
  return w2w_reduce(static_cast<unsigned>(mask), value, w2w_combine_and());
}
template <typename Mask>
W2W_DEVICE unsigned w2w_reduce_or_sync(Mask mask, unsigned value) {
  return w2w_reduce(static_cast<unsigned>(mask), value, w2w_combine_or());
}
template <typename Mask>
W2W_DEVICE unsigned w2w_reduce_xor_sync(Mask mask, unsigned value) {
  return w2w_reduce(static_cast<unsigned>(mask), value, w2w_combine_xor());
}

#endif  // W2W_DEVICE

#endif  // W2W_WARP32_H
