#include <ATen/ATen.h>
#include <torch/library.h>

#include "stream_ops.h"

namespace stream_ops {

void check_histogram_inputs(const at::Tensor& values, int64_t bins) {
  TORCH_CHECK(values.dim() == 1, "histogram: expected a vector, got shape ", values.sizes());
  TORCH_CHECK(at::isIntegralType(values.scalar_type(), /*includeBool=*/false),
              "histogram: expected integers, got ", values.scalar_type());
  TORCH_CHECK(bins > 0 && bins < (1LL << 31), "histogram: bins out of range, ", bins);
}

void check_scan_input(const at::Tensor& values) {
  TORCH_CHECK(values.dim() == 1, "inclusive_scan: expected a vector, got shape ", values.sizes());
  const auto type = values.scalar_type();
  TORCH_CHECK(type == at::kInt || type == at::kLong || type == at::kFloat || type == at::kDouble,
              "inclusive_scan: expected int32, int64, float32 or float64, got ", type);
}

void check_compact_inputs(const at::Tensor& values, const at::Tensor& mask) {
  TORCH_CHECK(values.dim() == 1 && mask.dim() == 1 && values.size(0) == mask.size(0),
              "compact: expected vectors of one length, got shapes ", values.sizes(), " and ",
              mask.sizes());
  TORCH_CHECK(mask.scalar_type() == at::kBool, "compact: expected a bool mask, got ",
              mask.scalar_type());
  TORCH_CHECK(values.device() == mask.device(), "compact: values are on ", values.device(),
              ", mask on ", mask.device());
  TORCH_CHECK(values.numel() < (1LL << 31), "compact: too many elements, ", values.numel());
}

at::Tensor histogram_cpu(const at::Tensor& values, int64_t bins) {
  check_histogram_inputs(values, bins);
  const at::Tensor wide = values.to(at::kLong);
  return at::bincount(wide.masked_select(wide.ge(0).logical_and(wide.lt(bins))), {}, bins);
}

at::Tensor inclusive_scan_cpu(const at::Tensor& values) {
  check_scan_input(values);
  return at::cumsum(values.contiguous(), 0, values.scalar_type());
}

at::Tensor compact_cpu(const at::Tensor& values, const at::Tensor& mask) {
  check_compact_inputs(values, mask);
  return values.masked_select(mask);
}

}  // namespace stream_ops

TORCH_LIBRARY(stream_ops, m) {
  m.def("histogram(Tensor values, int bins) -> Tensor");
  m.def("inclusive_scan(Tensor values) -> Tensor");
  m.def("compact(Tensor values, Tensor mask) -> Tensor");
}

TORCH_LIBRARY_IMPL(stream_ops, CPU, m) {
  m.impl("histogram", &stream_ops::histogram_cpu);
  m.impl("inclusive_scan", &stream_ops::inclusive_scan_cpu);
  m.impl("compact", &stream_ops::compact_cpu);
}
