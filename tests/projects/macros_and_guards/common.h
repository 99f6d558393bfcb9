#pragma once
#include <cuda_runtime.h>
#include <cstdio>

#if defined(__CUDACC__) || defined(__HIPCC__)
#define HD __host__ __device__ __forceinline__
#else
#define HD inline
#endif

#ifdef __CUDACC__
#define KERNEL_ONLY __global__
#endif

#define KERNEL_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

#define LAUNCH(kernel, grid, block, stream, ...) kernel<<<(grid), (block), 0, (stream)>>>(__VA_ARGS__)

#define DISPATCH(type, ...)                           \
  switch (type) {                                     \
    case 0: { using scalar_t = float; __VA_ARGS__(); break; }  \
    default: { using scalar_t = double; __VA_ARGS__(); }       \
  }

// What is shown to people keeps its name.
#define SHOW(what) #what
#define NAME_OF(what) SHOW(what)

#ifdef __CUDA_ARCH__
#define ON_DEVICE 1
#else
#define ON_DEVICE 0
#endif

HD float lerp2(float a, float b, float t) {
#ifdef __CUDA_ARCH__
  return fmaf(t, b, fmaf(-t, a, a));
#else
  return a + t * (b - a);
#endif
}
