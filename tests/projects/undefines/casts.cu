#include <cuda_fp16.h>

// F53: the build takes PyTorch's own defines back, so that halves convert and calculate.
template <typename T>
__global__ void casts(T* data, float* out, int* whole) {
  const float x = static_cast<float>(data[0]);
  data[1] = static_cast<T>(x * 2.0f);
  const T sum = data[0] + data[1] * T(3.0f);
  out[0] = sum > data[2] ? (float)sum : float(data[3]);
  data[2] = sum;
  whole[0] = static_cast<int>(static_cast<float>(sum));
}

void run(half* h, float* out, int* whole) {
  casts<half><<<1, 1>>>(h, out, whole);
}
