#pragma once

#include <ATen/ATen.h>

#include <optional>
#include <tuple>

namespace fused_norm {

using TensorTriple = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

// Throws unless x is floating point with a non-empty last dimension, and weight and bias, where
// given, are vectors of that length, of x's data type and device.
void check_norm_inputs(const at::Tensor& x, const std::optional<at::Tensor>& weight,
                       const std::optional<at::Tensor>& bias);

// Throws unless grad and x agree in shape, type and device, and mean and rstd hold one value a row.
void check_norm_backward_inputs(const at::Tensor& grad, const at::Tensor& x,
                                const at::Tensor& mean, const at::Tensor& rstd,
                                const std::optional<at::Tensor>& weight);

// float32 for half, bfloat16 and float32; float64 for float64.
inline at::ScalarType statistics_type(const at::Tensor& x) {
  return x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

}  // namespace fused_norm
