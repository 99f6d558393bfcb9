#include <cuda_runtime.h>
#include <mma.h>  // open: mma.h
#include <cuda/std/array>  // open: cuda/std/array
#include <cuda_pipeline.h>  // open: cuda_pipeline.h

__device__ unsigned lane_of_ptx() {
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));  // open: inline-PTX
  return lane;
}

#define NAMED(what) cuda##what  // open: cuda##what

__global__ void kernel(float* p) { p[lane_of_ptx()] = 1; }

void run(float** p) {
  NAMED(Malloc)(p, 4);
  cudaNoSuchCall(p);  // open: cudaNoSuchCall
  kernel<<<1, 32>>>(*p);
}
