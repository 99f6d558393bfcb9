// Names of the user's own that look like CUDA's, and text that only looks like code.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstring>
#include <string>

struct Allocator {
  void* cudaMalloc(size_t n) { return ::operator new(n); }
  void cudaFree(void* p) { ::operator delete(p); }
  int warpSize = 7;
  int umax = 3;
};

namespace mine {
template <typename T>
T umin(T a, T b) {
  return std::min(a, b);
}
enum class Kind { half, full };
struct reduce {
  int plus = 1;
};
constexpr int curand = 4, coalesced_group = 5;
inline int any(int x) { return x; }
}  // namespace mine

__device__ __forceinline__ int __warp_any(int p) { return __any_sync(0xffffffffu, p); }

__global__ void kernel(int* out, int n) {
  const int warp_size = 32, tile = 32;  // a tile of 32, no warp
  __shared__ int block[tile][32 + 1];
  int half = n / 2, lane = threadIdx.x % warp_size;
  int umax = half > lane ? half : lane;
  block[threadIdx.y][threadIdx.x] = umax;
  __syncthreads();
  unsigned long long big = 1ull << 32;
  out[threadIdx.x] = block[threadIdx.x][threadIdx.y] + __warp_any(n > 3) + (int)(big >> 32);
}

#define QUOTE(x) #x
#define JOIN(a, b) a##b
#define DEFINE_OP(name) static int JOIN(run_, name)() { return sizeof(QUOTE(name)); }
DEFINE_OP(like_cudaMemcpy)

int run(int* out) {
  Allocator allocator;
  void* p = allocator.cudaMalloc(16);
  allocator.cudaFree(p);
  const char* text = "cudaMalloc failed in cuda/x.h: __shfl_sync <<<1, 2>>>";
  const char raw[] = R"(cudaFree(x); #include <cub/cub.cuh>)";
  static_assert(sizeof(QUOTE(__shfl_sync)) == sizeof("__shfl_sync"), "text stays text");
  static_assert(sizeof(QUOTE(cudaErrorNotReady)) == sizeof("cudaErrorNotReady"), "text stays text");
  kernel<<<1, dim3(32, 32)>>>(out, 3);
  const mine::reduce reduce;
  mine::Kind kind = mine::Kind::half;
  /* cudaMemcpy(out, out, 1, cudaMemcpyDeviceToHost); */
  return std::strlen(text) + sizeof(raw) + mine::umin(mine::curand, 2) + reduce.plus + allocator.warpSize +
         allocator.umax + run_like_cudaMemcpy() + mine::coalesced_group + mine::any(1) + (kind == mine::Kind::full);
}

#if 0
#include <cuda/barrier>
void never() { cudaThisDoesNotExist(); asm("bar.sync 0;"); }
#endif
#ifdef CUDA_VERSION
#include <cuda/std/array>
void only_cuda() { cudaNorDoesThis(); }
#endif
