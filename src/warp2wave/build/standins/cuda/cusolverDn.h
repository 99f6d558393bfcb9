// A stand-in for NVIDIA's cusolverDn.h: see README.md in this folder.
#pragma once
#if defined(__has_include_next)
#if __has_include_next(<cusolverDn.h>)
#define W2W_REAL_HEADER
#endif
#endif
#ifdef W2W_REAL_HEADER
#undef W2W_REAL_HEADER
#include_next <cusolverDn.h>
#else
#include <cuda_runtime.h>
#include <cusolver_common.h>
typedef struct cusolverDnContext* cusolverDnHandle_t;
#endif
