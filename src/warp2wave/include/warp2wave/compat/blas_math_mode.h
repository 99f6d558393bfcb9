// SPDX-License-Identifier: Apache-2.0
//
// hipBLAS's math modes where it has none yet (before hipBLAS 2.3, ROCm 6.3).
//
// CUDA code asks for tensor cores by them. rocBLAS takes AMD's matrix cores by itself, and the
// versions without math modes have no other way to choose, so setting one changes nothing.
#ifndef W2W_BLAS_MATH_MODE_H
#define W2W_BLAS_MATH_MODE_H

#include <hipblas/hipblas.h>

#if !defined(hipblasVersionMajor) || hipblasVersionMajor < 2 || \
    (hipblasVersionMajor == 2 && hipblasVersionMinor < 3)

typedef enum {
  HIPBLAS_DEFAULT_MATH = 0,
  HIPBLAS_PEDANTIC_MATH = 2,
  HIPBLAS_TF32_TENSOR_OP_MATH = 3,
  HIPBLAS_XF32_XDL_MATH = 4,
  HIPBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16,
  HIPBLAS_TENSOR_OP_MATH = 17
} hipblasMath_t;

inline hipblasStatus_t hipblasSetMathMode(hipblasHandle_t, hipblasMath_t) {
  return HIPBLAS_STATUS_SUCCESS;
}
inline hipblasStatus_t hipblasGetMathMode(hipblasHandle_t, hipblasMath_t* mode) {
  if (mode == nullptr) return HIPBLAS_STATUS_INVALID_VALUE;
  *mode = HIPBLAS_DEFAULT_MATH;
  return HIPBLAS_STATUS_SUCCESS;
}

#endif

#endif  // W2W_BLAS_MATH_MODE_H
