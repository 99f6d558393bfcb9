#include "../kernel.h"
#include "ops/reduce.cuh"
#include "local.cuh"

__global__ void kernel(float* x) { x[threadIdx.x] = local_twice(ops::half_warp_sum(x[threadIdx.x])); }

void launch(float* x, cudaStream_t s) {
#ifdef WITH_CUDA
  kernel<<<1, TILE, 0, s>>>(x);
  if (ops::sync(s) != cudaSuccess) x = nullptr;
#endif
}
