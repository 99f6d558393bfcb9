// F02: the full mask in every spelling, and masks that are worked out.
#define FULL_MASK 0xffffffff
template <unsigned Mask>
__device__ int f02_by_template(int x) {
  return __shfl_xor_sync(Mask, x, 16, 32);
}
__global__ void f02_masks(const int* in, int* out, int n) {
  const unsigned full = 0xffffffffu;
  const int x = in[threadIdx.x];
  int sum = __shfl_xor_sync(full, x, 16, 32);
  sum += f02_by_template<0xffffffffu>(x);
  sum += __shfl_xor_sync(FULL_MASK, x, 16, 32);
  sum += __shfl_xor_sync(~0u, x, 16);
  sum += __shfl_xor_sync(-1, x, 16);
  sum += __shfl_xor_sync(__activemask(), x, 16);
  int few = 0;
  const int lane = threadIdx.x & 31;
  if (lane < n) {
    const unsigned some = (1u << n) - 1;
    few = __shfl_sync(some, x, n - 1) + static_cast<int>(__ballot_sync(some, x & 1));
  }
  out[threadIdx.x] = sum + few;
}
