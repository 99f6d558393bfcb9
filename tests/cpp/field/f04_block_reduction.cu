// F04: two stages, the second by the first warp.
__device__ float f04_warp_reduce(float v) {
  for (int o = warpSize / 2; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
  return v;
}
__global__ void f04_block_sum(const float* in, float* out) {
  __shared__ float part[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float v = f04_warp_reduce(in[threadIdx.x]);
  if (lane == 0) part[warp] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / warpSize ? part[lane] : 0.0f;
  if (warp == 0) v = f04_warp_reduce(v);
  if (threadIdx.x == 0) *out = v;
}
