// SPDX-License-Identifier: Apache-2.0
//
// CUDA device functions that HIP lacks, apart from the warp, half and SIMD ones.
#ifndef W2W_DEVICE_INTRINSICS_H
#define W2W_DEVICE_INTRINSICS_H

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#define W2W_INTRINSIC __device__ inline __attribute__((always_inline))
#define W2W_INTRINSIC_BOTH __host__ __device__ inline
#else
#define W2W_INTRINSIC inline
#define W2W_INTRINSIC_BOTH inline
#endif

// ---- Bits and numbers ------------------------------------------------------------------------

// __fns: the position of a set bit of `mask`: the offset-th at or above `base`, for a negative
// offset the -offset-th at or below it, for 0 `base` itself; 0xffffffff where there is none.
W2W_INTRINSIC unsigned w2w_fns(unsigned mask, unsigned base, int offset) {
  const int step = offset < 0 ? -1 : 1;
  int wanted = offset < 0 ? -offset : offset == 0 ? 1 : offset;
  for (int bit = static_cast<int>(base & 31u); bit >= 0 && bit < 32; bit += step) {
    if ((mask >> bit & 1u) != 0 && --wanted == 0) return static_cast<unsigned>(bit);
    if (offset == 0) break;
  }
  return 0xffffffffu;
}

#define W2W_MIN_MAX(prefix, Integer)                                                             \
  W2W_INTRINSIC_BOTH Integer w2w_##prefix##min(Integer a, Integer b) { return b < a ? b : a; }   \
  W2W_INTRINSIC_BOTH Integer w2w_##prefix##max(Integer a, Integer b) { return a < b ? b : a; }
W2W_MIN_MAX(u, unsigned)
W2W_MIN_MAX(ll, long long)
W2W_MIN_MAX(ull, unsigned long long)
#undef W2W_MIN_MAX

// ---- Memory with cache hints -----------------------------------------------------------------
// The hints have no counterpart that is safe for every type; the accesses are plain ones, except
// __ldcv, which must read memory anew.

#define W2W_LOAD(name)                                     \
  template <typename T>                                    \
  W2W_INTRINSIC T name(const T* address) {                 \
    return *address;                                       \
  }
W2W_LOAD(w2w_ldca)
W2W_LOAD(w2w_ldcg)
W2W_LOAD(w2w_ldcs)
W2W_LOAD(w2w_ldlu)
#undef W2W_LOAD

// What `value` is copied to or from, so that only the address tells the type.
template <typename T>
struct w2w_same {
  using type = T;
};
#define W2W_STORE(name)                                                      \
  template <typename T>                                                      \
  W2W_INTRINSIC void name(T* address, typename w2w_same<T>::type value) {    \
    *address = value;                                                        \
  }
W2W_STORE(w2w_stwb)
W2W_STORE(w2w_stcg)
W2W_STORE(w2w_stcs)
W2W_STORE(w2w_stwt)
#undef W2W_STORE

template <typename T>
W2W_INTRINSIC T w2w_ldcv(const T* address) {
  T value;
  unsigned char* const to = reinterpret_cast<unsigned char*>(&value);
  if constexpr (sizeof(T) % 4 == 0 && alignof(T) >= 4) {
    for (unsigned i = 0; i < sizeof(T) / 4; ++i) {
      const unsigned word = reinterpret_cast<const volatile unsigned*>(address)[i];
      __builtin_memcpy(to + 4 * i, &word, 4);
    }
  } else {
    for (unsigned i = 0; i < sizeof(T); ++i) {
      to[i] = reinterpret_cast<const volatile unsigned char*>(address)[i];
    }
  }
  return value;
}

// A parameter of a kernel that is not copied: only a hint.
#define w2w_grid_constant

#if defined(__HIP__)

// ---- Control ---------------------------------------------------------------------------------

// __nanosleep: at least one wait of 64 clocks (s_sleep 1, some 30 to 60 ns), at most 1 ms.
W2W_INTRINSIC void w2w_nanosleep(unsigned nanoseconds) {
  const unsigned limit = nanoseconds < 1000000u ? nanoseconds : 1000000u;
  unsigned waited = 0;
  do {
    __builtin_amdgcn_s_sleep(1);
    waited += 32;
  } while (waited < limit);
}
W2W_INTRINSIC void w2w_trap() { __builtin_trap(); }
W2W_INTRINSIC void w2w_brkpt() { __builtin_debugtrap(); }

// ---- Address spaces --------------------------------------------------------------------------

#if defined(__HIP_DEVICE_COMPILE__)
#define W2W_ADDRESS_SPACE_TEST(name, test) \
  W2W_INTRINSIC unsigned name(const void* pointer) { return test; }
#else  // the host pass knows no address spaces; nothing calls these there
#define W2W_ADDRESS_SPACE_TEST(name, test) \
  W2W_INTRINSIC unsigned name(const void* pointer) { return pointer == nullptr; }
#endif
W2W_ADDRESS_SPACE_TEST(w2w_is_shared, __builtin_amdgcn_is_shared(pointer))
W2W_ADDRESS_SPACE_TEST(w2w_is_local, __builtin_amdgcn_is_private(pointer))
W2W_ADDRESS_SPACE_TEST(w2w_is_global, !__builtin_amdgcn_is_shared(pointer) &&
                                          !__builtin_amdgcn_is_private(pointer))
#undef W2W_ADDRESS_SPACE_TEST

// ---- Atomics of one block --------------------------------------------------------------------

#define W2W_BLOCK_ATOMIC(name, operation)                                                   \
  template <typename T>                                                                     \
  W2W_INTRINSIC T name(T* address, typename w2w_same<T>::type value) {                      \
    return operation(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);       \
  }
W2W_BLOCK_ATOMIC(w2w_atomic_add_block, __hip_atomic_fetch_add)
W2W_BLOCK_ATOMIC(w2w_atomic_and_block, __hip_atomic_fetch_and)
W2W_BLOCK_ATOMIC(w2w_atomic_or_block, __hip_atomic_fetch_or)
W2W_BLOCK_ATOMIC(w2w_atomic_xor_block, __hip_atomic_fetch_xor)
W2W_BLOCK_ATOMIC(w2w_atomic_min_block, __hip_atomic_fetch_min)
W2W_BLOCK_ATOMIC(w2w_atomic_max_block, __hip_atomic_fetch_max)
W2W_BLOCK_ATOMIC(w2w_atomic_exch_block, __hip_atomic_exchange)
#undef W2W_BLOCK_ATOMIC
template <typename T>
W2W_INTRINSIC T w2w_atomic_sub_block(T* address, typename w2w_same<T>::type value) {
  return w2w_atomic_add_block(address, static_cast<T>(0) - value);
}
template <typename T>
W2W_INTRINSIC T w2w_atomic_cas_block(T* address, typename w2w_same<T>::type expected,
                                     typename w2w_same<T>::type desired) {
  __hip_atomic_compare_exchange_strong(address, &expected, desired, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  return expected;
}

#endif  // __HIP__

#endif  // W2W_DEVICE_INTRINSICS_H
