#pragma once

#include <ATen/ATen.h>

namespace my_ops {

// Throws unless a is [m, k] and b is [k, n], both half and on one device.
void check_gemm_inputs(const at::Tensor& a, const at::Tensor& b);

}  // namespace my_ops
