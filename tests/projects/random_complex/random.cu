#include <cuComplex.h>
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <nvToolsExt.h>

struct Range {
  explicit Range(const char* name) { nvtxRangePushA(name); }
  ~Range() { nvtxRangePop(); }
};

__global__ void seed(curandState* states, unsigned long long seed_value) {
  curand_init(seed_value, threadIdx.x, 0, &states[threadIdx.x]);
}

__global__ void dropout(float* data, cuFloatComplex* waves, unsigned long long seed_value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandStatePhilox4_32_10_t state;
  curand_init(seed_value, i, 0, &state);
  const float4 four = curand_uniform4(&state);
  const float2 pair = curand_normal2(&state);
  if (i < n) data[i] = four.x < 0.5f ? 0.0f : data[i] * pair.x + curand_normal(&state);
  cuFloatComplex z = make_cuFloatComplex(four.y, four.z);
  z = cuCaddf(cuCmulf(z, waves[0]), cuConjf(z));
  waves[i] = cuCdivf(z, make_cuComplex(1.0f, cuCrealf(z)));
  cuDoubleComplex d = make_cuDoubleComplex(four.x, cuCabsf(z));
  d = cuCmul(d, d);
  data[i] += static_cast<float>(cuCreal(d)) + cuCimagf(waves[i]);
}

__global__ void walk(curandStateXORWOW_t* states, unsigned* out) {
  curandState_t local = states[threadIdx.x];
  out[threadIdx.x] = curand(&local) + static_cast<unsigned>(curand_uniform_double(&local));
  states[threadIdx.x] = local;
}

void run(float* data, cuComplex* waves, curandState* states, unsigned* out) {
  const Range range("dropout");
  seed<<<1, 64>>>(states, 1234ULL);
  dropout<<<1, 64>>>(data, waves, 1234ULL, 64);
  walk<<<1, 64>>>(states, out);
  nvtxMarkA("done");
}
