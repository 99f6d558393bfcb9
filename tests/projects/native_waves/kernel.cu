// The HIP branch knows of waves of 64: its warp functions are HIP's own.
#include <cuda_runtime.h>

#ifdef USE_ROCM
constexpr int kWarpLanes = 64;  // open: 64-lane-code
#else
constexpr int kWarpLanes = 32;
#endif

__device__ float wave_sum(float v) {
#ifdef USE_ROCM
  for (int o = kWarpLanes / 2; o; o >>= 1) v += __shfl_xor(v, o, kWarpLanes);
#else
  for (int o = kWarpLanes / 2; o; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o, kWarpLanes);
#endif
  return v;
}

__global__ void sums(float* p) { p[threadIdx.x] = wave_sum(p[threadIdx.x]); }

void run(float* p) { sums<<<1, kWarpLanes>>>(p); }
