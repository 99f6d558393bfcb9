// F24: one atomic for each key of a warp.
__global__ void f24_histogram(const int* keys, const int* weights, int* sums, int* greatest) {
  const int key = keys[threadIdx.x];
  const unsigned peers = __match_any_sync(0xffffffffu, key);
  const int sum = __reduce_add_sync(peers, weights[threadIdx.x]);
  const int most = __reduce_max_sync(peers, weights[threadIdx.x]);
  const unsigned lane = threadIdx.x & 31u;
  if (static_cast<unsigned>(__ffs(peers)) - 1 == lane) {
    atomicAdd(&sums[key], sum);
    atomicMax(&greatest[key], most);
  }
}
