#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include <algorithm>

#include "kernels.cuh"
#include "stream_ops.h"

namespace stream_ops {

namespace {

constexpr int kSharedBytes = 48 * 1024;

// Scans n > 0 elements on the current stream; in and out may be the same.
template <typename scalar_t>
void scan(const scalar_t* in, scalar_t* out, int64_t n, const at::TensorOptions& options) {
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  const int64_t tiles = (n + kTile - 1) / kTile;
  at::Tensor sums = at::empty({tiles}, options);
  auto* sums_data = sums.mutable_data_ptr<scalar_t>();
  scan_tiles_kernel<scalar_t>
      <<<static_cast<unsigned>(tiles), kThreads, 0, stream>>>(in, out, sums_data, n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  if (tiles > 1) {
    scan(sums_data, sums_data, tiles, options);
    add_tile_offsets_kernel<scalar_t>
        <<<static_cast<unsigned>(tiles - 1), kThreads, 0, stream>>>(out, sums_data, n);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  }
}

}  // namespace

at::Tensor histogram_cuda(const at::Tensor& values_in, int64_t bins) {
  check_histogram_inputs(values_in, bins);
  const c10::cuda::CUDAGuard guard(values_in.device());
  const at::Tensor values = values_in.contiguous();
  const int64_t n = values.numel();
  at::Tensor out = at::zeros({bins}, values.options().dtype(at::kLong));
  if (n == 0) {
    return out;
  }
  // A few blocks for each multiprocessor: each flushes its own bins once.
  const int64_t blocks = std::min<int64_t>(
      (n + kThreads - 1) / kThreads,
      8L * at::cuda::getCurrentDeviceProperties()->multiProcessorCount);
  const size_t bytes = static_cast<size_t>(bins) * sizeof(unsigned int);
  auto* out_data = reinterpret_cast<unsigned long long*>(out.mutable_data_ptr<int64_t>());
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_INTEGRAL_TYPES(values.scalar_type(), "histogram_cuda", [&] {
    const auto* data = values.const_data_ptr<scalar_t>();
    if (bytes <= kSharedBytes) {
      histogram_shared_kernel<scalar_t><<<static_cast<unsigned>(blocks), kThreads, bytes, stream>>>(
          data, n, static_cast<int>(bins), out_data);
    } else {
      histogram_global_kernel<scalar_t><<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(
          data, n, static_cast<int>(bins), out_data);
    }
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  });
  return out;
}

at::Tensor inclusive_scan_cuda(const at::Tensor& values_in) {
  check_scan_input(values_in);
  const c10::cuda::CUDAGuard guard(values_in.device());
  const at::Tensor values = values_in.contiguous();
  at::Tensor out = at::empty_like(values);
  if (values.numel() == 0) {
    return out;
  }
  switch (values.scalar_type()) {
    case at::kInt:
      scan(values.const_data_ptr<int>(), out.mutable_data_ptr<int>(), values.numel(),
           values.options());
      break;
    case at::kLong:
      scan(values.const_data_ptr<int64_t>(), out.mutable_data_ptr<int64_t>(), values.numel(),
           values.options());
      break;
    case at::kDouble:
      scan(values.const_data_ptr<double>(), out.mutable_data_ptr<double>(), values.numel(),
           values.options());
      break;
    default:
      scan(values.const_data_ptr<float>(), out.mutable_data_ptr<float>(), values.numel(),
           values.options());
  }
  return out;
}

at::Tensor compact_cuda(const at::Tensor& values_in, const at::Tensor& mask_in) {
  check_compact_inputs(values_in, mask_in);
  const c10::cuda::CUDAGuard guard(values_in.device());
  const at::Tensor values = values_in.contiguous();
  const at::Tensor mask = mask_in.contiguous();
  const int64_t n = values.numel();
  if (n == 0) {
    return at::empty({0}, values.options());
  }
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  const int64_t blocks = (n + kThreads - 1) / kThreads;
  const auto options = values.options().dtype(at::kInt);
  at::Tensor ends = at::empty({blocks}, options);
  auto* ends_data = ends.mutable_data_ptr<int>();
  count_kept_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(
      mask.const_data_ptr<bool>(), n, ends_data);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  scan(ends_data, ends_data, blocks, options);

  int kept = 0;
  C10_CUDA_CHECK(cudaMemcpyAsync(&kept, ends_data + blocks - 1, sizeof(int),
                                 cudaMemcpyDeviceToHost, stream));
  C10_CUDA_CHECK(cudaStreamSynchronize(stream));
  at::Tensor out = at::empty({kept}, values.options());
  AT_DISPATCH_ALL_TYPES_AND3(
      at::kHalf, at::kBFloat16, at::kBool, values.scalar_type(), "compact_cuda", [&] {
        write_kept_kernel<scalar_t><<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(
            values.const_data_ptr<scalar_t>(), mask.const_data_ptr<bool>(), n, ends_data,
            out.mutable_data_ptr<scalar_t>());
        C10_CUDA_KERNEL_LAUNCH_CHECK();
      });
  return out;
}

}  // namespace stream_ops

TORCH_LIBRARY_IMPL(stream_ops, CUDA, m) {
  m.impl("histogram", &stream_ops::histogram_cuda);
  m.impl("inclusive_scan", &stream_ops::inclusive_scan_cuda);
  m.impl("compact", &stream_ops::compact_cuda);
}
