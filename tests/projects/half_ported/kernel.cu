// Ported by hand, as it was done before: both branches are there.
#ifdef USE_ROCM
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#define SHFL_XOR(v, m) __shfl_xor(v, m)
typedef hipStream_t gpuStream_t;
#else
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#define SHFL_XOR(v, m) __shfl_xor_sync(0xffffffff, v, m)
typedef cudaStream_t gpuStream_t;
#endif

#if defined(USE_ROCM) || defined(__HIP_PLATFORM_AMD__)
#define gpuMalloc hipMalloc
#define gpuSuccess hipSuccess
#else
#define gpuMalloc cudaMalloc
#define gpuSuccess cudaSuccess
#endif

__global__ void sums(float* p, half* h) {
  float v = p[threadIdx.x];
  for (int m = 16; m > 0; m /= 2) v += SHFL_XOR(v, m);
#ifndef USE_ROCM
  asm volatile("nanosleep.u32 20;");
  v += __shfl_sync(0xffffffff, v, 0);
#else
  v += __shfl(v, 0, 32);
#endif
  p[threadIdx.x] = v;
  h[threadIdx.x] = __float2half(v);
}

bool run(float** p, half* h, gpuStream_t stream) {
  if (gpuMalloc((void**)p, 256) != gpuSuccess) return false;
  sums<<<1, 64, 0, stream>>>(*p, h);
  return cudaStreamSynchronize(stream) == cudaSuccess && hipGetLastError() == hipSuccess;
}
