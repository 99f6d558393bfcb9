// A type of the user's own with overloads of CUDA's shuffles that call CUDA's.
struct own_half {
  unsigned short x;
  own_half() = default;
  __host__ __device__ own_half(const __half& h) { __builtin_memcpy(&x, &h, sizeof(x)); }
  __host__ __device__ operator __half() const {
    __half h;
    __builtin_memcpy(static_cast<void*>(&h), &x, sizeof(x));
    return h;
  }
  __host__ __device__ operator float() const { return static_cast<float>(x); }
};
__device__ inline own_half __shfl_up_sync(const unsigned mask, const own_half var,
                                          const unsigned int delta) {
  return __shfl_up_sync(mask, var.operator __half(), delta);
}
__device__ inline own_half __shfl_down_sync(const unsigned mask, const own_half var,
                                            const unsigned int delta) {
  return __shfl_down_sync(mask, var.operator __half(), delta);
}
__device__ inline own_half __shfl_sync(const int mask, const own_half var, const int lane) {
  return __shfl_sync(mask, var.operator __half(), lane);
}
template <typename scalar_t>
__device__ scalar_t own_scan(scalar_t v) {
  for (int i = 1; i < 32; i *= 2) {
    const scalar_t up = __shfl_up_sync(0xffffffff, v, i);
    const scalar_t down = __shfl_down_sync(0xffffffffu, v, i);
    const scalar_t there = __shfl_sync(0xffffffff, v, i);
    if (threadIdx.x % 2 == 0) v = i == 2 ? there : up;
    if (threadIdx.x % 3 == 0) v = down;
  }
  return v;
}
__global__ void own_overloads(own_half* h, float* f, double* d) {
  h[threadIdx.x] = own_scan(h[threadIdx.x]);
  f[threadIdx.x] = own_scan(f[threadIdx.x]);
  d[threadIdx.x] = own_scan(d[threadIdx.x]);
}
