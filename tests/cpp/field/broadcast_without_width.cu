// What sparse matrix products do: each lane loads one column index and the warp takes turns, by the
// old shuffle without a mask and without a width, as HIP branches of such code are written.
#define SHFL_SYNC(mask, var, lane) __shfl(var, lane)
__global__ void broadcast_sum(const int* column, const float* value, const float* dense,
                              float* out, int count) {
  const int lane = threadIdx.x & 31;
  const int row = threadIdx.x >> 5;
  const int my_column = lane < count ? column[row * count + lane] : 0;
  const float my_value = lane < count ? value[row * count + lane] : 0.0f;
  float sum = 0.0f;
  for (int i = 0; i < count; ++i) {
    const int c = SHFL_SYNC(0xffffffff, my_column, i);
    const float v = SHFL_SYNC(0xffffffff, my_value, i);
    sum += v * dense[c * 32 + lane];
  }
  out[row * 32 + lane] = sum;
}
