// A stand-in for NVIDIA's cusparse.h: see README.md in this folder.
#pragma once
#if defined(__has_include_next)
#if __has_include_next(<cusparse.h>)
#define W2W_REAL_HEADER
#endif
#endif
#ifdef W2W_REAL_HEADER
#undef W2W_REAL_HEADER
#include_next <cusparse.h>
#else
#include <cuda_runtime.h>
typedef struct cusparseContext* cusparseHandle_t;
typedef enum {
  CUSPARSE_STATUS_SUCCESS = 0,
  CUSPARSE_STATUS_NOT_INITIALIZED = 1,
  CUSPARSE_STATUS_ALLOC_FAILED = 2,
  CUSPARSE_STATUS_INVALID_VALUE = 3,
  CUSPARSE_STATUS_ARCH_MISMATCH = 4,
  CUSPARSE_STATUS_MAPPING_ERROR = 5,
  CUSPARSE_STATUS_EXECUTION_FAILED = 6,
  CUSPARSE_STATUS_INTERNAL_ERROR = 7,
  CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
  CUSPARSE_STATUS_ZERO_PIVOT = 9,
  CUSPARSE_STATUS_NOT_SUPPORTED = 10,
  CUSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11
} cusparseStatus_t;
extern "C" const char* cusparseGetErrorString(cusparseStatus_t status);
#endif
