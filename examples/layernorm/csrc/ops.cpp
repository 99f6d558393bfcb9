#include <ATen/ATen.h>
#include <torch/library.h>

#include "norm.h"

namespace fused_norm {

namespace {

void check_vector(const at::Tensor& x, const std::optional<at::Tensor>& vector, const char* name) {
  if (!vector.has_value()) {
    return;
  }
  TORCH_CHECK(vector->dim() == 1 && vector->size(0) == x.size(-1), "layer_norm: ", name,
              " has shape ", vector->sizes(), ", expected [", x.size(-1), "]");
  TORCH_CHECK(vector->scalar_type() == x.scalar_type(), "layer_norm: ", name, " is ",
              vector->scalar_type(), ", x is ", x.scalar_type());
  TORCH_CHECK(vector->device() == x.device(), "layer_norm: ", name, " is on ", vector->device(),
              ", x on ", x.device());
}

}  // namespace

void check_norm_inputs(const at::Tensor& x, const std::optional<at::Tensor>& weight,
                       const std::optional<at::Tensor>& bias) {
  TORCH_CHECK(x.dim() > 0 && x.size(-1) > 0, "layer_norm: x of shape ", x.sizes(),
              " has no last dimension to normalise");
  TORCH_CHECK(x.size(-1) < (1LL << 30), "layer_norm: rows of ", x.size(-1), " are too long");
  TORCH_CHECK(at::isFloatingType(x.scalar_type()), "layer_norm: expected a floating type, got ",
              x.scalar_type());
  check_vector(x, weight, "weight");
  check_vector(x, bias, "bias");
}

void check_norm_backward_inputs(const at::Tensor& grad, const at::Tensor& x,
                                const at::Tensor& mean, const at::Tensor& rstd,
                                const std::optional<at::Tensor>& weight) {
  check_norm_inputs(x, weight, std::nullopt);
  TORCH_CHECK(grad.sizes() == x.sizes() && grad.scalar_type() == x.scalar_type() &&
                  grad.device() == x.device(),
              "layer_norm_backward: grad does not match x");
  for (const auto& statistic : {mean, rstd}) {
    TORCH_CHECK(statistic.numel() == x.numel() / x.size(-1) &&
                    statistic.scalar_type() == statistics_type(x) &&
                    statistic.device() == x.device(),
                "layer_norm_backward: mean and rstd hold one value a row");
  }
}

TensorTriple layer_norm_cpu(const at::Tensor& x, const std::optional<at::Tensor>& weight,
                            const std::optional<at::Tensor>& bias, double eps) {
  check_norm_inputs(x, weight, bias);
  const at::Tensor wide = x.to(statistics_type(x));
  const at::Tensor mean = wide.mean(-1);
  const at::Tensor centred = wide - mean.unsqueeze(-1);
  const at::Tensor rstd = centred.square().mean(-1).add(eps).rsqrt();
  at::Tensor y = centred * rstd.unsqueeze(-1);
  if (weight.has_value()) {
    y = y * *weight;
  }
  if (bias.has_value()) {
    y = y + *bias;
  }
  return {y.to(x.scalar_type()).contiguous(), mean.contiguous(), rstd.contiguous()};
}

TensorTriple layer_norm_backward_cpu(const at::Tensor& grad, const at::Tensor& x,
                                     const at::Tensor& mean, const at::Tensor& rstd,
                                     const std::optional<at::Tensor>& weight) {
  check_norm_backward_inputs(grad, x, mean, rstd, weight);
  const auto type = statistics_type(x);
  const int64_t cols = x.size(-1);
  const at::Tensor scale = rstd.reshape({-1, 1});
  const at::Tensor rows_grad = grad.to(type).reshape({-1, cols});
  const at::Tensor xhat = (x.to(type).reshape({-1, cols}) - mean.reshape({-1, 1})) * scale;
  const at::Tensor g = weight.has_value() ? rows_grad * *weight : rows_grad;
  const at::Tensor grad_x =
      scale * (g - g.mean(1, true) - xhat * (g * xhat).mean(1, true));
  return {grad_x.to(x.scalar_type()).reshape(x.sizes()).contiguous(),
          (rows_grad * xhat).sum(0).to(x.scalar_type()),
          rows_grad.sum(0).to(x.scalar_type())};
}

}  // namespace fused_norm

TORCH_LIBRARY(fused_norm, m) {
  m.def(
      "layer_norm(Tensor x, Tensor? weight, Tensor? bias, float eps) -> "
      "(Tensor y, Tensor mean, Tensor rstd)");
  m.def(
      "layer_norm_backward(Tensor grad, Tensor x, Tensor mean, Tensor rstd, Tensor? weight) -> "
      "(Tensor grad_x, Tensor grad_weight, Tensor grad_bias)");
}

TORCH_LIBRARY_IMPL(fused_norm, CPU, m) {
  m.impl("layer_norm", &fused_norm::layer_norm_cpu);
  m.impl("layer_norm_backward", &fused_norm::layer_norm_backward_cpu);
}
