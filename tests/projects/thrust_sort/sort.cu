#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/transform.h>

struct Square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};

float by_key(float* keys, int* values, int n, cudaStream_t stream) {
  thrust::device_vector<float> copy(keys, keys + n);
  thrust::sequence(thrust::device, values, values + n);
  thrust::sort_by_key(thrust::cuda::par.on(stream), copy.begin(), copy.end(),
                      thrust::device_ptr<int>(values));
  auto policy = thrust::cuda::par.on(stream);
  thrust::exclusive_scan(policy, values, values + n, values);
  float* raw = thrust::raw_pointer_cast(copy.data());
  thrust::transform(thrust::cuda::par, raw, raw + n, raw, Square());
  thrust::for_each(policy, thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n),
                   [=] __device__(int i) { raw[i] += i; });
  return thrust::reduce(copy.begin(), copy.end(), 0.0f, thrust::plus<float>());
}
