// PyTorch's CUDA names as extensions use them. Compiled for AMD by way of the port, unedited,
// against the headers of both generations of ROCm PyTorch.
#include <torch/extension.h>
#include <ATen/cuda/Atomic.cuh>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/CUDAGraph.h>
#include <ATen/cuda/DeviceUtils.cuh>
#include <ATen/cuda/Exceptions.h>
#include <ATen/cuda/PhiloxUtils.cuh>
#include <ATen/cuda/detail/IndexUtils.cuh>
#include <ATen/cuda/detail/TensorInfo.cuh>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAMathCompat.h>
#include <c10/cuda/CUDAStream.h>

#include <type_traits>
#include <unordered_map>
#include <vector>

__global__ void add_random(float* out, at::PhiloxCudaState state) {
  const auto seeds = at::cuda::philox::unpack(state);
  const int lane = threadIdx.x % warpSize;
  gpuAtomicAdd(out, static_cast<float>(std::get<0>(seeds)) + lane);
  out[1] = c10::cuda::compat::pow(out[1], 2.f);
}

void guards(const at::Tensor& tensor) {
  const at::cuda::OptionalCUDAGuard of_tensor(at::device_of(tensor));
  c10::cuda::CUDAGuard of_device(tensor.device());
  at::cuda::CUDAGuard of_index(tensor.get_device());
  of_index.set_index(0);
  c10::cuda::OptionalCUDAGuard empty;
  empty.set_device(tensor.device());
}

void streams(const at::Tensor& tensor) {
  cudaStream_t current = at::cuda::getCurrentCUDAStream();
  cudaStream_t of_device = c10::cuda::getCurrentCUDAStream(tensor.get_device()).stream();
  at::cuda::CUDAStream pooled = at::cuda::getStreamFromPool(false, 0);
  c10::cuda::CUDAStream other = c10::cuda::getStreamFromPool(/*isHighPriority=*/true);
  auto external = c10::cuda::getStreamFromExternal(current, 0);
  auto standard = at::cuda::getDefaultCUDAStream();
  static_assert(std::is_same_v<decltype(external), at::cuda::CUDAStream>);
  static_assert(std::is_same_v<decltype(at::cuda::getStreamFromPool()), c10::cuda::CUDAStream>);
  // What PyTorch is told must be a CUDA stream on either generation.
  static_assert(std::is_same_v<decltype(pooled.unwrap()), c10::Stream>);
  at::cuda::setCurrentCUDAStream(pooled);
  c10::cuda::setCurrentCUDAStream(other);
  const at::cuda::CUDAStreamGuard guard(pooled);
  const c10::cuda::OptionalCUDAStreamGuard optional(pooled.unwrap());
  const std::vector<c10::cuda::CUDAStream> both{pooled, other};
  const c10::cuda::CUDAMultiStreamGuard multiple(both);
  std::unordered_map<c10::cuda::CUDAStream, int> hashed;
  hashed[pooled] = 1;
  at::cuda::CUDAEvent event;
  event.record(pooled);
  event.block(standard);
  event.record(at::cuda::getCurrentCUDAStream());
  at::cuda::stream_synchronize(current);
  C10_CUDA_CHECK(cudaStreamSynchronize(of_device));
  c10::cuda::CUDACachingAllocator::recordStream(tensor.storage().data_ptr(), pooled);
}

void memory(const at::Tensor& tensor) {
  const at::DataPtr data = c10::cuda::CUDACachingAllocator::get()->allocate(16);
  void* raw = c10::cuda::CUDACachingAllocator::raw_alloc(16);
  void* on_stream = at::cuda::CUDACachingAllocator::raw_alloc_with_stream(
      16, at::cuda::getCurrentCUDAStream());
  c10::cuda::CUDACachingAllocator::raw_delete(raw);
  c10::cuda::CUDACachingAllocator::raw_delete(on_stream);
  c10::cuda::CUDACachingAllocator::emptyCache();
  const auto statistics = c10::cuda::CUDACachingAllocator::getDeviceStats(0);
  (void)statistics;
  c10::Allocator* allocator = at::cuda::getCUDADeviceAllocator();
  (void)allocator;
  (void)tensor;
}

int devices() {
  const cudaDeviceProp* properties = at::cuda::getCurrentDeviceProperties();
  const auto* first = at::cuda::getDeviceProperties(0);
  const int lanes = properties->warpSize + first->warpSize + at::cuda::warp_size();
  c10::cuda::set_device(0);
  c10::cuda::device_synchronize();
  return lanes + properties->multiProcessorCount + at::cuda::current_device() +
         c10::cuda::current_device() + c10::cuda::device_count();
}

void handles() {
  cublasHandle_t blas = at::cuda::getCurrentCUDABlasHandle();
  cusparseHandle_t sparse = at::cuda::getCurrentCUDASparseHandle();
  (void)blas;
  (void)sparse;
}

void launch(at::Tensor out) {
  TORCH_CHECK(out.is_cuda());
  auto* generator = at::get_generator_or_default<at::CUDAGeneratorImpl>(
      std::nullopt, at::cuda::detail::getDefaultCUDAGenerator());
  const at::PhiloxCudaState state = generator->philox_cuda_state(4);
  const auto info = at::cuda::detail::getTensorInfo<float, int>(out);
  add_random<<<1, 1, 0, at::cuda::getCurrentCUDAStream()>>>(info.data, state);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  AT_CUDA_CHECK(cudaGetLastError());
}

void capture() {
  const auto status = c10::cuda::currentStreamCaptureStatusMayInitCtx();
  const c10::cuda::CUDAStreamCaptureModeGuard mode(cudaStreamCaptureModeRelaxed);
  if (status != c10::cuda::CaptureStatus::None) throw c10::CUDAError({"", "", 0}, "capturing");
  at::cuda::CUDAGraph graph;
  graph.replay();
}

namespace unqualified {
using namespace at::cuda;
void names() {
  const CUDAGuard guard(0);
  const CUDAStream stream = getCurrentCUDAStream();
  cudaStream_t raw = stream;
  (void)raw;
}
}  // namespace unqualified

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) { module.def("launch", &launch); }
