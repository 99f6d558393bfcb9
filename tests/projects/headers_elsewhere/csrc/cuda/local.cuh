static __device__ float local_twice(float x) { return __fmul_rn(x, 2.0f) + __ldg(&x) * 0; }
