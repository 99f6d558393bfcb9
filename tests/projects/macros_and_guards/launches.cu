#include "common.h"

template <typename T, int N>
KERNEL_ONLY void apply(T* out, const T* in, int n) {
  KERNEL_LOOP(i, n) {
    out[i] = lerp2(in[i], N, 0.5f);
#if !defined(USE_ROCM)
    asm volatile("membar.gl;" ::: "memory");
#else
    __threadfence();
#endif
#if __CUDA_ARCH__ >= 800
    __pipeline_commit();
#endif
  }
}

__global__ void plain(int* data) { data[threadIdx.x] = ON_DEVICE; }

#if CUDA_VERSION >= 11000
#include <cuda/barrier>
#endif

static const char* const kMalloc = SHOW(cudaMalloc);
static_assert(sizeof(SHOW(cudaMalloc)) == sizeof("cudaMalloc"), "shown as it is written");

extern "C" {
int run(float* data, int n, int type, cudaStream_t stream) {
  const int threads = 256, blocks = (n + threads - 1) / threads;
  LAUNCH((apply<float, 3>), blocks, threads, stream, data, data, n);
  LAUNCH(plain, dim3(1, 1), 64, 0, nullptr);
  DISPATCH(type, [&] { apply<scalar_t, 1><<<blocks, threads, 0, stream>>>((scalar_t*)data, (scalar_t*)data, n); });
  plain << <1, threads >> > (nullptr);  // F10
  apply<float, (1 > 2) ? 3 : 4><<<dim3(1), dim3(threads, 1), sizeof(int) << 2, stream>>>(data, data, n);  // F39
  std::printf("%s failed; k<<<1, 2>>>(x)\n", kMalloc);
  // cudaMalloc and a <<<launch>>> in a comment
  auto device_lambda = [=] __device__(int i) { return i * 2; };
  auto both = [=] __host__ __device__(float x) { return x + 1; };
  return (int)both(1.0f) + (int)sizeof(device_lambda);
}
}
