// F08, F26, F27: the warp size as a constant expression.
template <int W = warpSize>
struct f08_lanes {
  int value[W];
};
template <int W>
__global__ void f26_width(int* out) {
  if (threadIdx.x == 0) *out = W;
}
__global__ void f27_shared(const float* in, float* out) {
  constexpr int w = warpSize;
  __shared__ float s[1024 / warpSize];
  static_assert(sizeof(s) == 32 * sizeof(float), "one slot a warp");
  static_assert(sizeof(f08_lanes<>) == w * sizeof(int), "one value a lane");
  if (threadIdx.x % warpSize == 0) s[threadIdx.x / warpSize] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x / w];
}
