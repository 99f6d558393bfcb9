// F03: one WARP_SIZE for host and device.
#define WARP_SIZE 32
struct f03_tile {
  float x[2];
};
__global__ void f03_tiles(const float* in, float* out) {
  f03_tile tile;
  tile.x[0] = in[threadIdx.x];
  tile.x[1] = 2 * in[threadIdx.x];
  for (int l = 0; l < 2; ++l) {
    for (int m = WARP_SIZE / 2; m > 0; m /= 2) {
      tile.x[l] += __shfl_xor_sync(0xffffffffu, tile.x[l], m, WARP_SIZE);
    }
  }
  if (threadIdx.x % WARP_SIZE == 0) out[threadIdx.x / WARP_SIZE] = tile.x[0] + tile.x[1];
}
inline int f03_warps(int threads) { return (threads + WARP_SIZE - 1) / WARP_SIZE; }
