// A stand-in for NVIDIA's cublas_v2.h: see README.md in this folder.
#pragma once
#if defined(__has_include_next)
#if __has_include_next(<cublas_v2.h>)
#define W2W_REAL_HEADER
#endif
#endif
#ifdef W2W_REAL_HEADER
#undef W2W_REAL_HEADER
#include_next <cublas_v2.h>
#else
#include <cuda_runtime.h>
typedef struct cublasContext* cublasHandle_t;
typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
#endif
