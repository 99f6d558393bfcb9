// A stand-in for NVIDIA's cusolver_common.h: see README.md in this folder.
#pragma once
#if defined(__has_include_next)
#if __has_include_next(<cusolver_common.h>)
#define W2W_REAL_HEADER
#endif
#endif
#ifdef W2W_REAL_HEADER
#undef W2W_REAL_HEADER
#include_next <cusolver_common.h>
#else
typedef enum {
  CUSOLVER_STATUS_SUCCESS = 0,
  CUSOLVER_STATUS_NOT_INITIALIZED = 1,
  CUSOLVER_STATUS_ALLOC_FAILED = 2,
  CUSOLVER_STATUS_INVALID_VALUE = 3,
  CUSOLVER_STATUS_ARCH_MISMATCH = 4,
  CUSOLVER_STATUS_MAPPING_ERROR = 5,
  CUSOLVER_STATUS_EXECUTION_FAILED = 6,
  CUSOLVER_STATUS_INTERNAL_ERROR = 7,
  CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
  CUSOLVER_STATUS_NOT_SUPPORTED = 9
} cusolverStatus_t;
#endif
