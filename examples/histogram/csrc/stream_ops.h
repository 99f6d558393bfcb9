#pragma once

#include <ATen/ATen.h>

namespace stream_ops {

// Throws unless values is a vector of integers and there is at least one bin.
void check_histogram_inputs(const at::Tensor& values, int64_t bins);

// Throws unless values is a vector of int32, int64, float32 or float64.
void check_scan_input(const at::Tensor& values);

// Throws unless values and mask are vectors of one length on one device, and mask is bool.
void check_compact_inputs(const at::Tensor& values, const at::Tensor& mask);

}  // namespace stream_ops
