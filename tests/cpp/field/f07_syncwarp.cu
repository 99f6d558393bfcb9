// F07: __syncwarp with and without a mask, one of them in divergent code.
__global__ void f07_rotate(const int* in, int* out) {
  __shared__ int slot[64];
  const int lane = threadIdx.x % 32;
  slot[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  int v = slot[threadIdx.x - lane + (lane + 1) % 32];
  if (lane < 16) {
    __syncwarp(0x0000ffffu);
    slot[threadIdx.x] = v;
    __syncwarp(0x0000ffffu);
    v = slot[threadIdx.x - lane + (lane + 1) % 16];
  }
  out[threadIdx.x] = v;
}
