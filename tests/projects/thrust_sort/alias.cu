#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

namespace th = thrust;
using thrust::cuda::par;

void ascending(float* keys, int n, cudaStream_t stream) {
  th::sort(th::cuda::par.on(stream), keys, keys + n);
  th::sort(par, th::device_pointer_cast(keys), th::device_pointer_cast(keys) + n);
}
