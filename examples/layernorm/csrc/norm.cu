#include <ATen/ATen.h>
#include <ATen/AccumulateType.h>
#include <ATen/Dispatch.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include <algorithm>

#include "norm.h"
#include "norm_kernels.cuh"

namespace fused_norm {

namespace {

// Whole warps, enough for one element a thread, at most 1024 threads.
int threads_for(int cols) {
  return std::min(1024, (cols + WARP_SIZE - 1) / WARP_SIZE * WARP_SIZE);
}

template <typename scalar_t>
const scalar_t* data_or_null(const std::optional<at::Tensor>& tensor) {
  return tensor.has_value() ? tensor->const_data_ptr<scalar_t>() : nullptr;
}

std::optional<at::Tensor> contiguous_or_none(const std::optional<at::Tensor>& tensor) {
  return tensor.has_value() ? std::optional<at::Tensor>(tensor->contiguous()) : std::nullopt;
}

}  // namespace

TensorTriple layer_norm_cuda(const at::Tensor& x_in, const std::optional<at::Tensor>& weight_in,
                             const std::optional<at::Tensor>& bias_in, double eps) {
  check_norm_inputs(x_in, weight_in, bias_in);
  const c10::cuda::CUDAGuard guard(x_in.device());
  const at::Tensor x = x_in.contiguous();
  const auto weight = contiguous_or_none(weight_in);
  const auto bias = contiguous_or_none(bias_in);
  const int cols = static_cast<int>(x.size(-1));
  const int64_t rows = x.numel() / cols;
  at::Tensor y = at::empty(x.sizes(), x.options());
  const auto statistics = x.options().dtype(statistics_type(x));
  at::Tensor mean = at::empty(x.sizes().slice(0, x.dim() - 1), statistics);
  at::Tensor rstd = at::empty_like(mean);
  if (rows == 0) {
    return {y, mean, rstd};
  }
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, x.scalar_type(), "layer_norm_cuda", [&] {
        using acc_t = at::acc_type<scalar_t, true>;
        const auto* x_data = x.const_data_ptr<scalar_t>();
        const auto* weight_data = data_or_null<scalar_t>(weight);
        const auto* bias_data = data_or_null<scalar_t>(bias);
        auto* y_data = y.mutable_data_ptr<scalar_t>();
        auto* mean_data = mean.mutable_data_ptr<acc_t>();
        auto* rstd_data = rstd.mutable_data_ptr<acc_t>();
        if (cols <= kWarpRowLimit) {
          const dim3 block(32, kRowsPerBlock);
          const auto grid = static_cast<unsigned>((rows + kRowsPerBlock - 1) / kRowsPerBlock);
          norm_warp_kernel<scalar_t, acc_t>
              <<<grid, block, 0, stream>>>(x_data, weight_data, bias_data, y_data, mean_data,
                                           rstd_data, rows, cols, static_cast<acc_t>(eps));
        } else {
          norm_block_kernel<scalar_t, acc_t>
              <<<static_cast<unsigned>(rows), threads_for(cols), 0, stream>>>(
                  x_data, weight_data, bias_data, y_data, mean_data, rstd_data, cols,
                  static_cast<acc_t>(eps));
        }
        C10_CUDA_KERNEL_LAUNCH_CHECK();
      });
  return {y, mean, rstd};
}

TensorTriple layer_norm_backward_cuda(const at::Tensor& grad_in, const at::Tensor& x_in,
                                      const at::Tensor& mean_in, const at::Tensor& rstd_in,
                                      const std::optional<at::Tensor>& weight_in) {
  check_norm_backward_inputs(grad_in, x_in, mean_in, rstd_in, weight_in);
  const c10::cuda::CUDAGuard guard(x_in.device());
  const at::Tensor grad = grad_in.contiguous();
  const at::Tensor x = x_in.contiguous();
  const at::Tensor mean = mean_in.contiguous();
  const at::Tensor rstd = rstd_in.contiguous();
  const auto weight = contiguous_or_none(weight_in);
  const int cols = static_cast<int>(x.size(-1));
  const int64_t rows = x.numel() / cols;
  at::Tensor grad_x = at::empty(x.sizes(), x.options());
  if (rows == 0) {
    return {grad_x, at::zeros({cols}, x.options()), at::zeros({cols}, x.options())};
  }
  // Up to 64 blocks share the rows of a column; their sums are added at the end, in a fixed order.
  const auto parts = std::min<int64_t>(64, (rows + 8 * kTile - 1) / (8 * kTile));
  const auto statistics = x.options().dtype(statistics_type(x));
  at::Tensor weight_part = at::empty({parts, cols}, statistics);
  at::Tensor bias_part = at::empty({parts, cols}, statistics);
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, x.scalar_type(), "layer_norm_backward_cuda", [&] {
        using acc_t = at::acc_type<scalar_t, true>;
        norm_grad_input_kernel<scalar_t, acc_t>
            <<<static_cast<unsigned>(rows), threads_for(cols), 0, stream>>>(
                grad.const_data_ptr<scalar_t>(), x.const_data_ptr<scalar_t>(),
                data_or_null<scalar_t>(weight), mean.const_data_ptr<acc_t>(),
                rstd.const_data_ptr<acc_t>(), grad_x.mutable_data_ptr<scalar_t>(), cols);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
        const dim3 grid((cols + kTile - 1) / kTile, static_cast<unsigned>(parts));
        norm_grad_weight_kernel<scalar_t, acc_t><<<grid, dim3(kTile, kTile), 0, stream>>>(
            grad.const_data_ptr<scalar_t>(), x.const_data_ptr<scalar_t>(),
            mean.const_data_ptr<acc_t>(), rstd.const_data_ptr<acc_t>(),
            weight_part.mutable_data_ptr<acc_t>(), bias_part.mutable_data_ptr<acc_t>(), rows,
            cols);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
      });
  return {grad_x, weight_part.sum(0).to(x.scalar_type()), bias_part.sum(0).to(x.scalar_type())};
}

}  // namespace fused_norm

TORCH_LIBRARY_IMPL(fused_norm, CUDA, m) {
  m.impl("layer_norm", &fused_norm::layer_norm_cuda);
  m.impl("layer_norm_backward", &fused_norm::layer_norm_backward_cuda);
}
