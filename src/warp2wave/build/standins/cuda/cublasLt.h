// A stand-in for NVIDIA's cublasLt.h: see README.md in this folder.
#pragma once
#if defined(__has_include_next)
#if __has_include_next(<cublasLt.h>)
#define W2W_REAL_HEADER
#endif
#endif
#ifdef W2W_REAL_HEADER
#undef W2W_REAL_HEADER
#include_next <cublasLt.h>
#else
#include <cublas_v2.h>
typedef struct cublasLtContext* cublasLtHandle_t;
#endif
