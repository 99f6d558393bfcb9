// F28, F30: a row of a (32, 32) block is a warp.
__global__ void f30_row_sums(const float* in, float* out) {
  float v = in[threadIdx.y * 32 + threadIdx.x];
  for (int m = 16; m > 0; m >>= 1) v += __shfl_xor_sync(0xffffffff, v, m);
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  const int lane = thread % 32;
  if (lane == 0) out[thread / 32] = v;
}
