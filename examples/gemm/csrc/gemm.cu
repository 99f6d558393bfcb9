#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include "gemm.h"
#include "gemm_kernel.cuh"

namespace my_ops {

at::Tensor custom_gemm_cuda(const at::Tensor& a, const at::Tensor& b) {
  check_gemm_inputs(a, b);
  const c10::cuda::CUDAGuard guard(a.device());
  const auto m = static_cast<int>(a.size(0));
  const auto k = static_cast<int>(a.size(1));
  const auto n = static_cast<int>(b.size(1));
  if (m == 0 || n == 0 || k == 0) {
    return at::zeros({m, n}, a.options());
  }
  const at::Tensor a_rows = a.contiguous();
  const at::Tensor b_rows = b.contiguous();
  at::Tensor c = at::empty({m, n}, a.options());
  const auto* a_data = reinterpret_cast<const half*>(a_rows.const_data_ptr<at::Half>());
  const auto* b_data = reinterpret_cast<const half*>(b_rows.const_data_ptr<at::Half>());
  auto* c_data = reinterpret_cast<half*>(c.mutable_data_ptr<at::Half>());
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();

  if (n == 1) {
    const auto address =
        reinterpret_cast<uintptr_t>(a_data) | reinterpret_cast<uintptr_t>(b_data);
    const bool pairs = k % 2 == 0 && address % sizeof(half2) == 0;
    gemv_kernel<4><<<(m + 3) / 4, 128, 0, stream>>>(a_data, b_data, c_data, m, k, pairs);
  } else {
    const dim3 grid((m + kBlockM - 1) / kBlockM, (n + kBlockN - 1) / kBlockN);
    gemm_kernel<<<grid, kThreads, 0, stream>>>(a_data, b_data, c_data, m, n, k);
  }
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return c;
}

}  // namespace my_ops

TORCH_LIBRARY_IMPL(my_ops, CUDA, m) {
  m.impl("custom_gemm", &my_ops::custom_gemm_cuda);
}
