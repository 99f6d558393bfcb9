#include "cuda_runtime.h"
#include "device_launch_parameters.h"
#include <cuda_runtime_api.h>
#include <stdexcept>
#include <string>

#define CUDA_CHECK(call)                                                                   \
  do {                                                                                     \
    cudaError_t status_ = (call);                                                          \
    if (status_ != cudaSuccess)                                                            \
      throw std::runtime_error(std::string(#call) + ": " + cudaGetErrorString(status_));   \
  } while (0)

__constant__ float kTaps[64];
__device__ int device_counter;

template <typename T>
__global__ void scaled(T* data, int n) {
  extern __shared__ char raw[];
  T* tile = reinterpret_cast<T*>(raw);
  for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = data[i] * kTaps[i % 64];
  __syncthreads();
  if (threadIdx.x == 0) data[0] = tile[n - 1] + atomicAdd(&device_counter, 1);
}

struct Buffers {
  float *device = nullptr, *pinned = nullptr, *managed = nullptr, *async = nullptr;
};

void memory(Buffers& b, size_t bytes, const float* taps) {
  cudaStream_t stream, other;
  CUDA_CHECK(cudaStreamCreate(&stream));
  CUDA_CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  int least = 0, greatest = 0;
  CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CUDA_CHECK(cudaStreamCreateWithPriority(&other, cudaStreamDefault, greatest));
  CUDA_CHECK(cudaMalloc(&b.device, bytes));
  CUDA_CHECK(cudaMalloc((void**)&b.device, bytes));
  CUDA_CHECK(cudaMallocHost(&b.pinned, bytes));
  CUDA_CHECK(cudaHostAlloc((void**)&b.pinned, bytes, cudaHostAllocMapped | cudaHostAllocPortable));
  CUDA_CHECK(cudaHostRegister(b.pinned, bytes, cudaHostRegisterDefault));
  CUDA_CHECK(cudaMallocManaged(&b.managed, bytes));
  CUDA_CHECK(cudaMallocManaged(&b.managed, bytes, cudaMemAttachGlobal));
  CUDA_CHECK(cudaMemAdvise(b.managed, bytes, cudaMemAdviseSetReadMostly, 0));
  CUDA_CHECK(cudaMemPrefetchAsync(b.managed, bytes, 0, stream));
  CUDA_CHECK(cudaMallocAsync(&b.async, bytes, stream));
  CUDA_CHECK(cudaMallocAsync((void**)&b.async, bytes, stream));
  CUDA_CHECK(cudaMemcpyAsync(b.device, b.pinned, bytes, cudaMemcpyHostToDevice, stream));
  CUDA_CHECK(cudaMemcpy2DAsync(b.device, 8, b.pinned, 8, 8, 2, cudaMemcpyDefault, stream));
  CUDA_CHECK(cudaMemcpyPeerAsync(b.device, 0, b.async, 0, bytes, stream));
  CUDA_CHECK(cudaMemsetAsync(b.device, 0, bytes, stream));
  CUDA_CHECK(cudaMemcpyToSymbol(kTaps, taps, sizeof(kTaps)));
  CUDA_CHECK(cudaMemcpyToSymbolAsync(kTaps, taps, 4, 4, cudaMemcpyHostToDevice, stream));
  int count = 0;
  CUDA_CHECK(cudaMemcpyFromSymbol(&count, device_counter, sizeof(int)));
  float* address;
  CUDA_CHECK(cudaGetSymbolAddress((void**)&address, kTaps));
  CUDA_CHECK(cudaFreeAsync(b.async, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaStreamDestroy(stream));
  CUDA_CHECK(cudaFreeHost(b.pinned));
  CUDA_CHECK(cudaHostUnregister(b.pinned));
  size_t free_bytes, total;
  CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
  cudaMemPool_t pool;
  uint64_t threshold = UINT64_MAX;
  CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  cudaPointerAttributes where;
  CUDA_CHECK(cudaPointerGetAttributes(&where, b.device));
  if (where.type == cudaMemoryTypeDevice || where.type == cudaMemoryTypeUnregistered) count += where.device;
  int peer = 0;
  CUDA_CHECK(cudaDeviceCanAccessPeer(&peer, 0, 1));
  cudaError_t enabled = cudaDeviceEnablePeerAccess(1, 0);
  if (enabled == cudaErrorPeerAccessAlreadyEnabled) cudaGetLastError();
  cudaIpcMemHandle_t handle;
  CUDA_CHECK(cudaIpcGetMemHandle(&handle, b.device));
}

static void CUDART_CB on_host(void* data) { ++*static_cast<int*>(data); }

float timed(float* data, int n) {
  cudaEvent_t start, stop;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreateWithFlags(&stop, cudaEventDisableTiming));
  CUDA_CHECK(cudaEventRecord(start, 0));
  const size_t shared = 96 * 1024;
  CUDA_CHECK(cudaFuncSetAttribute(scaled<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));  // F52
  auto kernel = &scaled<double>;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  CUDA_CHECK(cudaFuncSetCacheConfig(scaled<int>, cudaFuncCachePreferL1));
  scaled<float><<<1, 256, 64 * sizeof(float), cudaStreamPerThread>>>(data, n);
  scaled<<<dim3(1), 256>>>(data, n);
  CUDA_CHECK(cudaPeekAtLastError());
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(stop));
  CUDA_CHECK(cudaEventSynchronize(stop));
  CUDA_CHECK(cudaStreamWaitEvent(nullptr, stop, 0));
  CUDA_CHECK(cudaStreamWaitEvent(0, stop));
  int called = 0;
  CUDA_CHECK(cudaLaunchHostFunc(0, on_host, &called));
  float ms = 0;
  CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
  if (cudaEventQuery(stop) == cudaErrorNotReady) ms = -1;
  int blocks = 0, grid = 0, block = 0;
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scaled<float>, 256, shared));
  CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, scaled<float>, 0, 0));
  void* arguments[] = {(void*)&data, (void*)&n};
  CUDA_CHECK(cudaLaunchKernel((const void*)scaled<float>, dim3(1), dim3(64), arguments, 0, 0));
  cudaFuncAttributes attributes;
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, scaled<float>));
  return ms + attributes.numRegs + blocks + grid;
}

void graph(float* data, int n) {
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  scaled<float><<<1, 64, 256, stream>>>(data, n);
  cudaStreamCaptureStatus status;
  CUDA_CHECK(cudaStreamIsCapturing(stream, &status));
  CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  CUDA_CHECK(cudaGraphInstantiate(&instance, graph, NULL, NULL, 0));
  CUDA_CHECK(cudaGraphInstantiate(&instance, graph));
  CUDA_CHECK(cudaGraphLaunch(instance, stream));
  size_t nodes = 0;
  CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CUDA_CHECK(cudaGraphExecDestroy(instance));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaDeviceSynchronize());
}

const char* device_name() {
  static cudaDeviceProp prop;
  int device = 0, count = 0, sms = 0, optin = 0;
  CUDA_CHECK(cudaGetDeviceCount(&count));
  CUDA_CHECK(cudaSetDevice(device));
  CUDA_CHECK(cudaGetDeviceProperties(&prop, device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  CUDA_CHECK(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const bool enough = prop.major >= 7 && prop.sharedMemPerBlockOptin >= 1024 && prop.l2CacheSize > 0 &&
                      prop.multiProcessorCount == sms && prop.maxThreadsPerMultiProcessor > optin / 1024;
  return enough ? prop.name : cudaGetErrorName(cudaErrorInvalidValue);
}
