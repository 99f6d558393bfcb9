// SPDX-License-Identifier: Apache-2.0
//
// The bits of the bfloat16 nearest to a float or an integer, rounded once (IEEE 754).
#ifndef W2W_BFLOAT16_ROUNDING_H
#define W2W_BFLOAT16_ROUNDING_H

#if defined(__HIP__)
#define W2W_ROUNDING __host__ __device__ inline
#else
#define W2W_ROUNDING inline
#endif

W2W_ROUNDING unsigned w2w_float_bits(float value) {
  unsigned bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// A bfloat16 is a float's upper half. `up` is what to add to the lower half before it is cut off.
W2W_ROUNDING unsigned short w2w_bfloat16_cut(float value, unsigned up) {
  const unsigned bits = w2w_float_bits(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;  // CUDA's canonical NaN
  if ((bits & 0x7f800000u) == 0x7f800000u) return static_cast<unsigned short>(bits >> 16);
  return static_cast<unsigned short>((bits + up) >> 16);  // carries into the exponent are right
}

W2W_ROUNDING unsigned short w2w_bfloat16_rn(float value) {  // to nearest, ties to even
  return w2w_bfloat16_cut(value, 0x7fffu + ((w2w_float_bits(value) >> 16) & 1u));
}
W2W_ROUNDING unsigned short w2w_bfloat16_rz(float value) {  // toward zero
  return w2w_bfloat16_cut(value, 0);
}
W2W_ROUNDING unsigned short w2w_bfloat16_rd(float value) {  // toward minus infinity
  return w2w_bfloat16_cut(value, (w2w_float_bits(value) >> 31) != 0 ? 0xffffu : 0);
}
W2W_ROUNDING unsigned short w2w_bfloat16_ru(float value) {  // toward plus infinity
  return w2w_bfloat16_cut(value, (w2w_float_bits(value) >> 31) != 0 ? 0 : 0xffffu);
}

// An integer goes through a float that keeps "there was more" in its last bit (round to odd), so
// that the second rounding is the only one that counts.
template <typename Integer>
W2W_ROUNDING unsigned short w2w_bfloat16_of_integer(Integer value) {
  const bool negative = value < 0;
  unsigned long long magnitude = static_cast<unsigned long long>(value);
  if (negative) magnitude = 0 - magnitude;
  int shift = 0;
  unsigned long long kept = magnitude;
  while (kept >> 24 != 0) {
    kept = (kept >> 1) | (kept & 1u);
    ++shift;
  }
  float exact = static_cast<float>(kept);
  for (; shift > 0; --shift) exact *= 2.0f;
  return w2w_bfloat16_rn(negative ? -exact : exact);
}

#endif  // W2W_BFLOAT16_ROUNDING_H
