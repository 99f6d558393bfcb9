// SPDX-License-Identifier: Apache-2.0
//
// CUDA's SIMD intrinsics (__vadd2, __vmaxs4 ...): two halfwords or four bytes in a 32-bit word.
// HIP has none of them. Plain C++: the compiler finds the packed instructions that exist.
#ifndef W2W_SIMD_INTRINSICS_H
#define W2W_SIMD_INTRINSICS_H

#if defined(__HIP__)
#define W2W_SIMD_DEVICE __host__ __device__ inline __attribute__((always_inline))
#else
#define W2W_SIMD_DEVICE inline
#endif

// The `Bits` wide element of `word` that starts at bit `start`, as a number.
template <int Bits, bool Signed>
W2W_SIMD_DEVICE int w2w_element(unsigned word, int start) {
  if (Signed) return static_cast<int>(word << (32 - Bits - start)) >> (32 - Bits);
  return static_cast<int>((word >> start) & ((1u << Bits) - 1u));
}

// One function object per operation on two elements; the result is cut to the element's width.
struct w2w_add { W2W_SIMD_DEVICE int operator()(int a, int b) const { return a + b; } };
struct w2w_sub { W2W_SIMD_DEVICE int operator()(int a, int b) const { return a - b; } };
struct w2w_min { W2W_SIMD_DEVICE int operator()(int a, int b) const { return a < b ? a : b; } };
struct w2w_max { W2W_SIMD_DEVICE int operator()(int a, int b) const { return a < b ? b : a; } };
// Average, rounded up (unsigned) or away from zero (signed); and rounded down.
struct w2w_avg_up {
  W2W_SIMD_DEVICE int operator()(int a, int b) const {
    const int sum = a + b;
    return sum < 0 ? -((1 - sum) >> 1) : (sum + 1) >> 1;
  }
};
struct w2w_avg_down { W2W_SIMD_DEVICE int operator()(int a, int b) const { return (a + b) >> 1; } };
struct w2w_difference {
  W2W_SIMD_DEVICE int operator()(int a, int b) const { return a < b ? b - a : a - b; }
};
// Comparisons give 1 or 0.
struct w2w_equal { W2W_SIMD_DEVICE int operator()(int a, int b) const { return a == b; } };
struct w2w_unequal { W2W_SIMD_DEVICE int operator()(int a, int b) const { return a != b; } };
struct w2w_less { W2W_SIMD_DEVICE int operator()(int a, int b) const { return a < b; } };
struct w2w_less_equal { W2W_SIMD_DEVICE int operator()(int a, int b) const { return a <= b; } };
struct w2w_above { W2W_SIMD_DEVICE int operator()(int a, int b) const { return a > b; } };
struct w2w_above_equal { W2W_SIMD_DEVICE int operator()(int a, int b) const { return a >= b; } };

// What becomes of an operation's result.
enum w2w_finish { w2w_wrap, w2w_saturate, w2w_mask };

template <int Bits, bool Signed, w2w_finish Finish, typename Operation>
W2W_SIMD_DEVICE unsigned w2w_elementwise(unsigned a, unsigned b, Operation operation) {
  unsigned word = 0;
  for (int start = 0; start < 32; start += Bits) {
    int result = operation(w2w_element<Bits, Signed>(a, start), w2w_element<Bits, Signed>(b, start));
    if (Finish == w2w_saturate) {
      constexpr int low = Signed ? -(1 << (Bits - 1)) : 0;
      constexpr int high = Signed ? (1 << (Bits - 1)) - 1 : (1 << Bits) - 1;
      result = result < low ? low : result > high ? high : result;
    } else if (Finish == w2w_mask) {
      result = -result;  // all ones where the comparison holds
    }
    word |= (static_cast<unsigned>(result) & ((1u << Bits) - 1u)) << start;
  }
  return word;
}

#define W2W_SIMD(name, is_signed, finish, operation)                           \
  W2W_SIMD_DEVICE unsigned w2w_##name##2(unsigned a, unsigned b) {             \
    return w2w_elementwise<16, is_signed, finish>(a, b, operation());          \
  }                                                                            \
  W2W_SIMD_DEVICE unsigned w2w_##name##4(unsigned a, unsigned b) {             \
    return w2w_elementwise<8, is_signed, finish>(a, b, operation());           \
  }
W2W_SIMD(vadd, false, w2w_wrap, w2w_add)
W2W_SIMD(vaddss, true, w2w_saturate, w2w_add)
W2W_SIMD(vaddus, false, w2w_saturate, w2w_add)
W2W_SIMD(vsub, false, w2w_wrap, w2w_sub)
W2W_SIMD(vsubss, true, w2w_saturate, w2w_sub)
W2W_SIMD(vsubus, false, w2w_saturate, w2w_sub)
W2W_SIMD(vmins, true, w2w_wrap, w2w_min)
W2W_SIMD(vminu, false, w2w_wrap, w2w_min)
W2W_SIMD(vmaxs, true, w2w_wrap, w2w_max)
W2W_SIMD(vmaxu, false, w2w_wrap, w2w_max)
W2W_SIMD(vavgs, true, w2w_wrap, w2w_avg_up)
W2W_SIMD(vavgu, false, w2w_wrap, w2w_avg_up)
W2W_SIMD(vhaddu, false, w2w_wrap, w2w_avg_down)
W2W_SIMD(vabsdiffs, true, w2w_wrap, w2w_difference)
W2W_SIMD(vabsdiffu, false, w2w_wrap, w2w_difference)
// vcmp: all ones or zero; vset: 1 or 0.
W2W_SIMD(vcmpeq, false, w2w_mask, w2w_equal)
W2W_SIMD(vcmpne, false, w2w_mask, w2w_unequal)
W2W_SIMD(vcmplts, true, w2w_mask, w2w_less)
W2W_SIMD(vcmpltu, false, w2w_mask, w2w_less)
W2W_SIMD(vcmples, true, w2w_mask, w2w_less_equal)
W2W_SIMD(vcmpleu, false, w2w_mask, w2w_less_equal)
W2W_SIMD(vcmpgts, true, w2w_mask, w2w_above)
W2W_SIMD(vcmpgtu, false, w2w_mask, w2w_above)
W2W_SIMD(vcmpges, true, w2w_mask, w2w_above_equal)
W2W_SIMD(vcmpgeu, false, w2w_mask, w2w_above_equal)
W2W_SIMD(vseteq, false, w2w_wrap, w2w_equal)
W2W_SIMD(vsetne, false, w2w_wrap, w2w_unequal)
W2W_SIMD(vsetlts, true, w2w_wrap, w2w_less)
W2W_SIMD(vsetltu, false, w2w_wrap, w2w_less)
W2W_SIMD(vsetles, true, w2w_wrap, w2w_less_equal)
W2W_SIMD(vsetleu, false, w2w_wrap, w2w_less_equal)
W2W_SIMD(vsetgts, true, w2w_wrap, w2w_above)
W2W_SIMD(vsetgtu, false, w2w_wrap, w2w_above)
W2W_SIMD(vsetges, true, w2w_wrap, w2w_above_equal)
W2W_SIMD(vsetgeu, false, w2w_wrap, w2w_above_equal)
#undef W2W_SIMD

// Of one word: negation and absolute value, wrapping or saturating.
#define W2W_SIMD_1(bits, n)                                                                   \
  W2W_SIMD_DEVICE unsigned w2w_vneg##n(unsigned a) { return w2w_vsub##n(0, a); }              \
  W2W_SIMD_DEVICE unsigned w2w_vnegss##n(unsigned a) { return w2w_vsubss##n(0, a); }          \
  W2W_SIMD_DEVICE unsigned w2w_vabs##n(unsigned a) { return w2w_vabsdiffs##n(a, 0); }         \
  W2W_SIMD_DEVICE unsigned w2w_vabsss##n(unsigned a) {                                        \
    return w2w_elementwise<bits, true, w2w_saturate>(a, 0, w2w_difference());                 \
  }                                                                                           \
  /* The sum of the absolute differences. */                                                  \
  W2W_SIMD_DEVICE unsigned w2w_vsads##n(unsigned a, unsigned b) {                             \
    unsigned sum = 0;                                                                         \
    for (int start = 0; start < 32; start += bits) {                                          \
      sum += static_cast<unsigned>(w2w_difference()(w2w_element<bits, true>(a, start),        \
                                                    w2w_element<bits, true>(b, start)));      \
    }                                                                                         \
    return sum;                                                                               \
  }                                                                                           \
  W2W_SIMD_DEVICE unsigned w2w_vsadu##n(unsigned a, unsigned b) {                             \
    unsigned sum = 0;                                                                         \
    for (int start = 0; start < 32; start += bits) {                                          \
      sum += static_cast<unsigned>(w2w_difference()(w2w_element<bits, false>(a, start),       \
                                                    w2w_element<bits, false>(b, start)));     \
    }                                                                                         \
    return sum;                                                                               \
  }
W2W_SIMD_1(16, 2)
W2W_SIMD_1(8, 4)
#undef W2W_SIMD_1

// Dot products of four bytes, or of two halfwords with the low or high two bytes, added to `c`.
template <bool Signed>
W2W_SIMD_DEVICE int w2w_dot4(unsigned a, unsigned b) {
  int sum = 0;
  for (int start = 0; start < 32; start += 8) {
    sum += w2w_element<8, Signed>(a, start) * w2w_element<8, Signed>(b, start);
  }
  return sum;
}
template <bool Signed>
W2W_SIMD_DEVICE unsigned w2w_dot2(unsigned a, unsigned b, int first) {
  unsigned sum = 0;
  for (int i = 0; i < 2; ++i) {
    sum += static_cast<unsigned>(w2w_element<16, Signed>(a, 16 * i) *
                                 w2w_element<8, Signed>(b, first + 8 * i));
  }
  return sum;
}
#define W2W_DOT(name, signed_sum, unsigned_sum)                                           \
  W2W_SIMD_DEVICE int name(int a, int b, int c) {                                         \
    const unsigned x = static_cast<unsigned>(a), y = static_cast<unsigned>(b);            \
    return static_cast<int>(static_cast<unsigned>(signed_sum) + static_cast<unsigned>(c)); \
  }                                                                                       \
  W2W_SIMD_DEVICE unsigned name(unsigned x, unsigned y, unsigned c) {                     \
    return static_cast<unsigned>(unsigned_sum) + c;                                       \
  }
W2W_DOT(w2w_dp4a, w2w_dot4<true>(x, y), w2w_dot4<false>(x, y))
W2W_DOT(w2w_dp2a_lo, w2w_dot2<true>(x, y, 0), w2w_dot2<false>(x, y, 0))
W2W_DOT(w2w_dp2a_hi, w2w_dot2<true>(x, y, 16), w2w_dot2<false>(x, y, 16))
#undef W2W_DOT

#endif  // W2W_SIMD_INTRINSICS_H
