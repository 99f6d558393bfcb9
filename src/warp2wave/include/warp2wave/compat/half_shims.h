// SPDX-License-Identifier: Apache-2.0
//
// What CUDA's half and bfloat16 headers have and HIP's lack, by version and by compile flags.
//
// Everything here is a template limited to the types in question, so that a function of HIP's own,
// where a version has it, is the better match and is taken instead.
//
// PyTorch compiles for ROCm with __HIP_NO_HALF_OPERATORS__ and __HIP_NO_HALF_CONVERSIONS__. The
// operators are defined here all the same. Conversions such as static_cast<float>(h) are members of
// HIP's types: a project whose CUDA build has them (-U__CUDA_NO_HALF_CONVERSIONS__) passes
// -U__HIP_NO_HALF_CONVERSIONS__ to HIP as well.
#ifndef W2W_HALF_SHIMS_H
#define W2W_HALF_SHIMS_H

#if defined(__HIP__)

#include <hip/hip_runtime.h>

#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>

#include <type_traits>

#include "bfloat16_rounding.h"

// Limits a template to the types named.
template <typename T, typename... Types>
using w2w_if = std::enable_if_t<(std::is_same<T, Types>::value || ...), int>;
template <typename T>
using w2w_if_half = w2w_if<T, __half, __half2, __hip_bfloat16, __hip_bfloat162>;
template <typename T>
using w2w_if_pair = w2w_if<T, __half2, __hip_bfloat162>;
template <typename T>
using w2w_if_scalar = w2w_if<T, __half, __hip_bfloat16>;
template <typename T>
using w2w_if_bfloat = w2w_if<T, __hip_bfloat16>;
template <typename T>
using w2w_if_number = std::enable_if_t<std::is_arithmetic<T>::value, int>;

#define W2W_HALF_DEVICE __device__ inline __attribute__((always_inline))
#define W2W_HALF_BOTH __host__ __device__ inline

// ---- Operators -------------------------------------------------------------------------------

#define W2W_ARITHMETIC(op, single, pair)                                     \
  template <typename T, w2w_if_scalar<T> = 0>                                \
  W2W_HALF_DEVICE T operator op(const T& a, const T& b) {                    \
    return single(a, b);                                                     \
  }                                                                          \
  template <typename T, w2w_if_pair<T> = 0>                                  \
  W2W_HALF_DEVICE T operator op(const T& a, const T& b) {                    \
    return pair(a, b);                                                       \
  }                                                                          \
  template <typename T, w2w_if_half<T> = 0>                                  \
  W2W_HALF_DEVICE T& operator op##=(T & a, const T & b) {                    \
    return a = a op b;                                                       \
  }
W2W_ARITHMETIC(+, __hadd, __hadd2)
W2W_ARITHMETIC(-, __hsub, __hsub2)
W2W_ARITHMETIC(*, __hmul, __hmul2)
W2W_ARITHMETIC(/, __hdiv, __h2div)
#undef W2W_ARITHMETIC

template <typename T, w2w_if_scalar<T> = 0>
W2W_HALF_DEVICE T operator-(const T& a) {
  return __hneg(a);
}
template <typename T, w2w_if_pair<T> = 0>
W2W_HALF_DEVICE T operator-(const T& a) {
  return __hneg2(a);
}

#define W2W_COMPARISON(op, single, pair)                                     \
  template <typename T, w2w_if_scalar<T> = 0>                                \
  W2W_HALF_DEVICE bool operator op(const T& a, const T& b) {                 \
    return single(a, b);                                                     \
  }                                                                          \
  template <typename T, w2w_if_pair<T> = 0>                                  \
  W2W_HALF_DEVICE bool operator op(const T& a, const T& b) {                 \
    return pair(a, b);                                                       \
  }
W2W_COMPARISON(==, __heq, __hbeq2)
W2W_COMPARISON(!=, __hneu, __hbneu2)
W2W_COMPARISON(<, __hlt, __hblt2)
W2W_COMPARISON(<=, __hle, __hble2)
W2W_COMPARISON(>, __hgt, __hbgt2)
W2W_COMPARISON(>=, __hge, __hbge2)
#undef W2W_COMPARISON

// ---- Conversions -----------------------------------------------------------------------------

W2W_HALF_BOTH __hip_bfloat16 w2w_bfloat16_of(unsigned short bits) {
  __hip_bfloat16 value;
  __builtin_memcpy(static_cast<void*>(&value), &bits, sizeof(bits));
  return value;
}

// From numbers, rounded once: to nearest, and from float in the other directions too.
#define W2W_FROM_FLOAT(name, round)                                         \
  template <typename T, w2w_if_number<T> = 0>                               \
  W2W_HALF_BOTH __hip_bfloat16 name(T value) {                              \
    return w2w_bfloat16_of(round(static_cast<float>(value)));               \
  }
W2W_FROM_FLOAT(__float2bfloat16_rn, w2w_bfloat16_rn)
W2W_FROM_FLOAT(__float2bfloat16_rz, w2w_bfloat16_rz)
W2W_FROM_FLOAT(__float2bfloat16_rd, w2w_bfloat16_rd)
W2W_FROM_FLOAT(__float2bfloat16_ru, w2w_bfloat16_ru)
#undef W2W_FROM_FLOAT

#define W2W_FROM_INTEGER(name, Integer)                                     \
  template <typename T, w2w_if_number<T> = 0>                               \
  W2W_HALF_BOTH __hip_bfloat16 name(T value) {                              \
    return w2w_bfloat16_of(w2w_bfloat16_of_integer(static_cast<Integer>(value))); \
  }
W2W_FROM_INTEGER(__short2bfloat16_rn, short)
W2W_FROM_INTEGER(__ushort2bfloat16_rn, unsigned short)
W2W_FROM_INTEGER(__int2bfloat16_rn, int)
W2W_FROM_INTEGER(__uint2bfloat16_rn, unsigned)
W2W_FROM_INTEGER(__ll2bfloat16_rn, long long)
W2W_FROM_INTEGER(__ull2bfloat16_rn, unsigned long long)
#undef W2W_FROM_INTEGER

// To integers: exact in float first, then as float rounds.
#define W2W_TO_INTEGER(name, Integer)                                       \
  template <typename T, w2w_if_bfloat<T> = 0>                               \
  W2W_HALF_DEVICE Integer __bfloat162##name##_rn(T value) {                 \
    return static_cast<Integer>(__float2##name##_rn(__bfloat162float(value))); \
  }                                                                         \
  template <typename T, w2w_if_bfloat<T> = 0>                               \
  W2W_HALF_DEVICE Integer __bfloat162##name##_rz(T value) {                 \
    return static_cast<Integer>(__float2##name##_rz(__bfloat162float(value))); \
  }                                                                         \
  template <typename T, w2w_if_bfloat<T> = 0>                               \
  W2W_HALF_DEVICE Integer __bfloat162##name##_rd(T value) {                 \
    return static_cast<Integer>(__float2##name##_rd(__bfloat162float(value))); \
  }                                                                         \
  template <typename T, w2w_if_bfloat<T> = 0>                               \
  W2W_HALF_DEVICE Integer __bfloat162##name##_ru(T value) {                 \
    return static_cast<Integer>(__float2##name##_ru(__bfloat162float(value))); \
  }
W2W_TO_INTEGER(int, int)
W2W_TO_INTEGER(uint, unsigned)
W2W_TO_INTEGER(ll, long long)
W2W_TO_INTEGER(ull, unsigned long long)
#undef W2W_TO_INTEGER

template <typename T, w2w_if_number<T> = 0>
W2W_HALF_DEVICE __hip_bfloat162 __float2bfloat162_rn(T value) {
  const __hip_bfloat16 half = __float2bfloat16_rn(value);
  return __halves2bfloat162(half, half);
}
template <typename T, typename U, w2w_if_number<T> = 0, w2w_if_number<U> = 0>
W2W_HALF_DEVICE __hip_bfloat162 __floats2bfloat162_rn(T low, U high) {
  return __halves2bfloat162(__float2bfloat16_rn(low), __float2bfloat16_rn(high));
}
template <typename T, w2w_if_bfloat<T> = 0>
W2W_HALF_DEVICE __hip_bfloat162 make_bfloat162(T low, T high) {
  return __halves2bfloat162(low, high);
}
template <typename T, w2w_if_number<T> = 0>
W2W_HALF_BOTH __half __double2half(T value) {
  __half_raw raw;
  raw.data = static_cast<_Float16>(value);  // rounded once
  return __half(raw);
}

// ---- Constants (cuda_fp16.h, cuda_bf16.h), by their bits ----------------------------------------

#define CUDART_INF_FP16 __ushort_as_half(0x7c00u)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fffu)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001u)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bffu)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000u)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000u)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00u)
#define CUDART_INF_BF16 w2w_bfloat16_of(0x7f80u)
#define CUDART_NAN_BF16 w2w_bfloat16_of(0x7fffu)
#define CUDART_MIN_DENORM_BF16 w2w_bfloat16_of(0x0001u)
#define CUDART_MAX_NORMAL_BF16 w2w_bfloat16_of(0x7f7fu)
#define CUDART_NEG_ZERO_BF16 w2w_bfloat16_of(0x8000u)
#define CUDART_ZERO_BF16 w2w_bfloat16_of(0x0000u)
#define CUDART_ONE_BF16 w2w_bfloat16_of(0x3f80u)

// ---- Arithmetic ------------------------------------------------------------------------------

// The _rn forms are never contracted into a fused multiply-add; nothing here lets them be.
template <typename T, w2w_if_scalar<T> = 0>
W2W_HALF_DEVICE T __hadd_rn(T a, T b) {
  return __hadd(a, b);
}
template <typename T, w2w_if_scalar<T> = 0>
W2W_HALF_DEVICE T __hsub_rn(T a, T b) {
  return __hsub(a, b);
}
template <typename T, w2w_if_scalar<T> = 0>
W2W_HALF_DEVICE T __hmul_rn(T a, T b) {
  return __hmul(a, b);
}
template <typename T, w2w_if_pair<T> = 0>
W2W_HALF_DEVICE T __hadd2_rn(T a, T b) {
  return __hadd2(a, b);
}
template <typename T, w2w_if_pair<T> = 0>
W2W_HALF_DEVICE T __hsub2_rn(T a, T b) {
  return __hsub2(a, b);
}
template <typename T, w2w_if_pair<T> = 0>
W2W_HALF_DEVICE T __hmul2_rn(T a, T b) {
  return __hmul2(a, b);
}

template <typename T, w2w_if<T, __half2> = 0>
W2W_HALF_DEVICE T __hmax2(T a, T b) {
  return __halves2half2(__hmax(__low2half(a), __low2half(b)),
                        __hmax(__high2half(a), __high2half(b)));
}
template <typename T, w2w_if<T, __half2> = 0>
W2W_HALF_DEVICE T __hmin2(T a, T b) {
  return __halves2half2(__hmin(__low2half(a), __low2half(b)),
                        __hmin(__high2half(a), __high2half(b)));
}

// Through float, whose error is far below half a unit of either type.
template <typename T, w2w_if<T, __half> = 0>
W2W_HALF_DEVICE T htanh(T value) {
  return __float2half(tanhf(__half2float(value)));
}
template <typename T, w2w_if_bfloat<T> = 0>
W2W_HALF_DEVICE T htanh(T value) {
  return __float2bfloat16(tanhf(__bfloat162float(value)));
}
template <typename T, w2w_if<T, __half2> = 0>
W2W_HALF_DEVICE T h2tanh(T value) {
  return __halves2half2(htanh(__low2half(value)), htanh(__high2half(value)));
}
template <typename T, w2w_if<T, __hip_bfloat162> = 0>
W2W_HALF_DEVICE T h2tanh(T value) {
  return __halves2bfloat162(htanh(__low2bfloat16(value)), htanh(__high2bfloat16(value)));
}

// ---- Memory ----------------------------------------------------------------------------------

template <typename T, w2w_if<T, __hip_bfloat16, __hip_bfloat162> = 0>
W2W_HALF_DEVICE T __ldg(const T* pointer) {
  return *pointer;
}

// atomicAdd: HIP has none for these types. A compare-and-swap on the aligned 32 bits is right in
// any memory; AMD's packed atomics are not.
template <typename T>
W2W_HALF_DEVICE T w2w_atomic_add_pair(T* address, T value) {
  unsigned* const word = reinterpret_cast<unsigned*>(address);
  unsigned seen = __atomic_load_n(word, __ATOMIC_RELAXED);
  for (;;) {
    T old;
    __builtin_memcpy(static_cast<void*>(&old), &seen, sizeof(old));
    const T sum = old + value;
    unsigned wanted;
    __builtin_memcpy(&wanted, &sum, sizeof(wanted));
    const unsigned found = atomicCAS(word, seen, wanted);
    if (found == seen) return old;
    seen = found;
  }
}
template <typename T>
W2W_HALF_DEVICE T w2w_atomic_add_single(T* address, T value) {
  const unsigned long long place = reinterpret_cast<unsigned long long>(address);
  unsigned* const word = reinterpret_cast<unsigned*>(place & ~3ull);
  const unsigned shift = (place & 2u) != 0 ? 16 : 0;
  unsigned seen = __atomic_load_n(word, __ATOMIC_RELAXED);
  for (;;) {
    const unsigned short old_bits = static_cast<unsigned short>(seen >> shift);
    T old;
    __builtin_memcpy(static_cast<void*>(&old), &old_bits, sizeof(old));
    const T sum = old + value;
    unsigned short bits;
    __builtin_memcpy(&bits, &sum, sizeof(bits));
    const unsigned wanted =
        (seen & ~(0xffffu << shift)) | (static_cast<unsigned>(bits) << shift);
    const unsigned found = atomicCAS(word, seen, wanted);
    if (found == seen) return old;
    seen = found;
  }
}
template <typename T, w2w_if_pair<T> = 0>
W2W_HALF_DEVICE T atomicAdd(T* address, T value) {
  return w2w_atomic_add_pair(address, value);
}
template <typename T, w2w_if_scalar<T> = 0>
W2W_HALF_DEVICE T atomicAdd(T* address, T value) {
  return w2w_atomic_add_single(address, value);
}

#endif  // __HIP__

#endif  // W2W_HALF_SHIMS_H
