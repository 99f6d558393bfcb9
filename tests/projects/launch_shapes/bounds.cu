#include <cuda_runtime.h>

#define THREADS 256
#define BOUNDS(threads, blocks) __launch_bounds__(threads, blocks)
#define MAX_THREADS __launch_bounds__(THREADS)

template <int kThreads, int kBlocks>
__global__ void __launch_bounds__(kThreads, kBlocks) both(float* p) {  // F64
  p[blockIdx.x * kThreads + threadIdx.x] *= 2;
}

template <typename Traits>
__global__ __launch_bounds__(Traits::kThreads, Traits::kMinBlocks) void of_traits(float* p) {
  extern __shared__ __align__(16) unsigned char memory[];
  typename Traits::type* const tile = reinterpret_cast<typename Traits::type*>(memory);
  tile[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = tile[Traits::kThreads - 1 - threadIdx.x];
}

BOUNDS(THREADS, 4) __global__ void in_macro(float* p) { p[threadIdx.x] = 1; }

__global__ void MAX_THREADS one(float* __restrict__ p) { p[threadIdx.x] = 1; }

template <typename T>
struct SharedMemory;
template <>
struct SharedMemory<float> {
  __device__ float* get() {
    extern __shared__ float floats[];
    return floats;
  }
};
template <>
struct SharedMemory<double> {
  __device__ double* get() {
    extern __shared__ double doubles[];
    return doubles;
  }
};

template <typename T>
__global__ void dynamic(T* p, int n) {
  SharedMemory<T> shared;
  T* tile = shared.get();
  for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = p[i];
  __syncthreads();
  if (threadIdx.x < n) p[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

struct Traits {
  using type = float;
  static constexpr int kThreads = 128, kMinBlocks = 2;
};

template <typename Kernel>
cudaError_t opt_in(Kernel kernel, int bytes) {
  if (bytes < (48 << 10)) return cudaSuccess;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

__host__ __device__ __forceinline__ unsigned flat(uint3 index, dim3 size) {
  return index.x + size.x * (index.y + size.y * index.z);
}

__global__ void whole(float* p) {
  const uint3 thread = threadIdx;
  const dim3 blocks = gridDim, block = blockIdx;
  auto size = blockDim;
  p[flat(threadIdx, blockDim) + size.x * flat(blockIdx, blocks)] = thread.x + block.y + threadIdx.z * blockDim.y;
}

template <typename T, typename F>
__global__ void apply(T* p, int n, F f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = f(p[i]);
}

cudaError_t run(float* p, double* d, int n, float by, cudaStream_t stream) {
  both<256, 2><<<n / 256, 256, 0, stream>>>(p);
  of_traits<Traits><<<1, Traits::kThreads, 512, stream>>>(p);
  in_macro<<<1, THREADS>>>(p);
  one<<<1, THREADS>>>(p);
  whole<<<dim3(2, 3), {8, 4, 2}>>>(p);
  void (*pointer)(float*) = &whole;
  (*pointer)<<<2, 3>>>(p);
  if (opt_in(dynamic<float>, 60 << 10) != cudaSuccess || opt_in(&dynamic<double>, 1024) != cudaSuccess) {
    return cudaGetLastError();
  }
  dynamic<float><<<1, 64, 64 * sizeof(float), stream>>>(p, 64);
  dynamic<double><<<1, 64, 64 * sizeof(double), stream>>>(d, 64);
  apply<<<(n + 63) / 64, 64, 0, stream>>>(p, n, [=] __device__(float x) { return x * by; });
  auto shifted = [by] __host__ __device__(float x) -> float { return x + by; };
  apply<float, decltype(shifted)><<<1, 64>>>(p, n, shifted);
  const auto launch = [&](auto kernel, auto* data) { kernel<<<1, 64, 512, stream>>>(data, 64); };
  launch(dynamic<float>, p);
  return cudaGetLastError();
}
