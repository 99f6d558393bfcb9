// SPDX-License-Identifier: Apache-2.0
//
// CUDA's __launch_bounds__(threads, blocks, cluster) for AMD GPUs.
//
// The second argument counts blocks per multiprocessor in CUDA, wavefronts per SIMD in HIP. A
// compute unit has 4 SIMDs, so `blocks` blocks of `threads` threads make
// blocks * ceil(threads / wavefront size) / 4 wavefronts per SIMD, rounded up, and no more than
// the hardware holds. As in CUDA it bounds the registers a thread may use; the kernel still runs
// when fewer blocks fit. AMD GPUs have no clusters: a third argument is dropped.
#ifndef W2W_LAUNCH_BOUNDS_H
#define W2W_LAUNCH_BOUNDS_H

// Lanes of a wavefront, and wavefronts a SIMD holds (LLVM AMDGPU user guide, Processors).
#if defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
constexpr unsigned w2w_wave_lanes = 32;
constexpr unsigned w2w_max_waves = 16;
#elif defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || \
    defined(__gfx942__) || defined(__gfx950__)
constexpr unsigned w2w_wave_lanes = 64;
constexpr unsigned w2w_max_waves = 8;
#elif defined(__GFX9__)
constexpr unsigned w2w_wave_lanes = 64;
constexpr unsigned w2w_max_waves = 10;
#else  // the host pass, or a target not known here: the fewest of all
constexpr unsigned w2w_wave_lanes = 64;
constexpr unsigned w2w_max_waves = 8;
#endif

constexpr unsigned w2w_waves_per_simd(unsigned threads, unsigned blocks) {
  const unsigned waves = blocks * ((threads + w2w_wave_lanes - 1) / w2w_wave_lanes);
  const unsigned per_simd = (waves + 3) / 4;
  return per_simd < 1 ? 1 : per_simd < w2w_max_waves ? per_simd : w2w_max_waves;
}

#define W2W_LAUNCH_BOUNDS_1(threads) \
  __attribute__((amdgpu_flat_work_group_size(1, (threads))))
#define W2W_LAUNCH_BOUNDS_2(threads, blocks)                  \
  __attribute__((amdgpu_flat_work_group_size(1, (threads)),   \
                 amdgpu_waves_per_eu(w2w_waves_per_simd((threads), (blocks)))))
#define W2W_LAUNCH_BOUNDS_3(threads, blocks, cluster) W2W_LAUNCH_BOUNDS_2(threads, blocks)
#define W2W_LAUNCH_BOUNDS_OF(a, b, c, name, ...) name
#define w2w_launch_bounds(...)                                                       \
  W2W_LAUNCH_BOUNDS_OF(__VA_ARGS__, W2W_LAUNCH_BOUNDS_3, W2W_LAUNCH_BOUNDS_2, \
                       W2W_LAUNCH_BOUNDS_1, )(__VA_ARGS__)

#endif  // W2W_LAUNCH_BOUNDS_H
