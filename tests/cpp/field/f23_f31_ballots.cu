// F23, F31: what is done with a ballot.
__global__ void f23_ballots(const int* in, int* out) {
  const int lane = threadIdx.x & 31;
  const int p = in[threadIdx.x];
  const unsigned b = __ballot_sync(0xffffffffu, p);
  const int before = __popc(b & ((1u << lane) - 1));
  const int leader = __ffs(b) - 1;
  out[threadIdx.x] = __popc(b) * 10000 + before * 100 + leader;
}
__global__ void f31_scan(const int* in, int* out) {
  const int lane = threadIdx.x & 31;
  int b = __ballot(in[threadIdx.x]);
  const int below = __popc(b & ~(-1 << lane));
  int v = in[threadIdx.x];
  for (int d = 1; d < 32; d *= 2) {
    const int n = __shfl_up(v, d);
    if (lane >= d) v += n;
  }
  const int total = __shfl(v, 31);  // wrong in the lower warp when the width is 64
  out[threadIdx.x] = total * 10000 + below * 100 + __ffs(b);
}
