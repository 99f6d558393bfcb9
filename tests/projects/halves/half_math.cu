#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <type_traits>

typedef __nv_bfloat16 bf16;
typedef __nv_bfloat162 bf162;

template <typename T>
struct Pair;
template <>
struct Pair<half> {
  using type = half2;
};
template <>
struct Pair<nv_bfloat16> {
  using type = nv_bfloat162;
};

template <typename T>
__device__ __forceinline__ float to_float(T v);
template <>
__device__ __forceinline__ float to_float<half>(half v) {
  return __half2float(v);
}
template <>
__device__ __forceinline__ float to_float<bf16>(bf16 v) {
  return __bfloat162float(v);
}
template <typename T>
__device__ __forceinline__ T from_float(float v) {
  if constexpr (std::is_same<T, half>::value) return __float2half_rn(v);
  else if constexpr (std::is_same<T, __nv_bfloat16>::value) return __float2bfloat16(v);
  else return v;
}

template <typename T>
__global__ void row_sum(const T* in, T* out, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) sum += to_float<T>(in[i]);
  for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  if (threadIdx.x == 0) out[0] = from_float<T>(sum);
}

// F25, F36, F58
__global__ void pairs(half2* h, bf162* b, const half* scale, float2* f, bf16* single) {
  const half2 s = __half2half2(scale[0]);
  half2 acc = __float2half2_rn(0.f);
  acc = __hfma2(h[0], s, acc);
  acc = __hadd2(acc, h[1] * s) ;
  acc = __hmax2(acc, h[2]);
  acc += __shfl_xor_sync(0xffffffff, acc, 1);
  acc = __hadd2(acc, __shfl_down_sync(0xffffffff, h[3], 16));
  f[0] = __half22float2(acc);
  h[1] = __float22half2_rn(f[1]);
  h[2] = __floats2half2_rn(1.0f, f[0].y);
  h[3] = make_half2(scale[0], __high2half(acc));
  bf162 x = __hmul2(b[0], b[1]);
  x = __hfma2(x, b[2], __float2bfloat162_rn(0.5f));
  x = __shfl_xor_sync(0xffffffff, x, 2);
  b[1] = __floats2bfloat162_rn(f[0].x, f[0].y);
  const float2 y = __bfloat1622float2(x);
  single[0] = __shfl_sync(0xffffffff, __low2bfloat16(x), 0);
  single[1] = __hadd(single[0], __float2bfloat16_rn(y.x));
  single[2] = __hgt(single[0], single[1]) ? single[0] : __hneg(single[1]);
  const uint4 packed = *reinterpret_cast<const uint4*>(h);
  const half2* eight = reinterpret_cast<const half2*>(&packed);
  h[4] = __hmul2(eight[3], *(half2*)&packed.x);
  h[5] = h2exp(h[4]);
  h[6].x = hexp(h[5].x);
  h[6].y = __hadd(h[6].x, hrsqrt(h[5].y));
  const unsigned short bits = __half_as_ushort(h[6].x);
  h[7].x = __ushort_as_half(bits);
  h[7].y = __short_as_half(-1);
  single[3] = __ushort_as_bfloat16(bits);
  if (__hisnan(h[7].x)) atomicAdd(h, acc);
  atomicAdd(&single[4], single[3]);
  h[8].x = CUDART_ZERO_FP16;
  single[5] = __hmax(CUDART_ONE_BF16, single[6]);
  h[9].x = __double2half(0.5);
  h[9].y = __hmul_rn(h[9].x, CUDART_INF_FP16);
}

void run(half* h, bf16* b) {
  row_sum<half><<<1, 32>>>(h, h, 4);
  row_sum<__nv_bfloat16><<<1, 32>>>(b, b, 4);
  pairs<<<1, 32>>>((half2*)h, (bf162*)b, h, nullptr, b);
}
