// SPDX-License-Identifier: Apache-2.0
//
// Runs the kernels in tests/cpp/field, unedited, on wavefronts of the size given as the argument
// and prints what they wrote: a name and its numbers on each line. The inputs are simple formulas
// that the test repeats. FIELD_MAPS is a header that maps CUDA's warp names.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "cuda_on_model.h"
#include "warp32.h"

#include FIELD_MAPS

#include "field/broadcast_without_width.cu"
#include "field/f01_shuffle_reduction.cu"
#include "field/f02_mask_forms.cu"
#include "field/f03_warp_size_macro.cu"
#include "field/f04_block_reduction.cu"
#include "field/f07_syncwarp.cu"
#include "field/f08_f26_f27_constants.cu"
#include "field/f22_rows_per_block.cu"
#include "field/f23_f31_ballots.cu"
#include "field/f24_match_and_reduce.cu"
#include "field/f28_f30_rows.cu"

namespace {

template <typename T>
void print(const std::string& name, const std::vector<T>& values) {
  std::cout << name;
  for (const T& value : values) std::cout << ' ' << value;
  std::cout << '\n';
}

// Input element i: (i * 37 + 11) modulo `modulus`.
template <typename T>
std::vector<T> numbers(unsigned count, unsigned modulus) {
  std::vector<T> values;
  for (unsigned i = 0; i < count; ++i) values.push_back(static_cast<T>((i * 37 + 11) % modulus));
  return values;
}

}  // namespace

int main(int, char** arguments) {
  const unsigned wave = static_cast<unsigned>(std::atoi(arguments[1]));
  const auto launch = [&](unsigned blocks, cuda_on_model::Index threads, auto kernel) {
    cuda_on_model::launch(blocks, threads, wave, kernel);
  };
  const std::vector<float> f = numbers<float>(4096, 101);
  const std::vector<int> n = numbers<int>(4096, 101);
  const std::vector<int> bits = numbers<int>(4096, 2);
  std::vector<float> out(1024, -1.0f);
  std::vector<int> ints(1024, -1);

  launch(1, {128, 1, 1}, [&] { f01_warp_sum(f.data(), out.data()); });
  print("f01", std::vector<float>(out.begin(), out.begin() + 4));

  launch(1, {64, 1, 1}, [&] { f02_masks(n.data(), ints.data(), 20); });
  print("f02", std::vector<int>(ints.begin(), ints.begin() + 64));

  launch(1, {96, 1, 1}, [&] { f03_tiles(f.data(), out.data()); });
  print("f03", std::vector<float>(out.begin(), out.begin() + f03_warps(96)));

  launch(1, {256, 1, 1}, [&] { f04_block_sum(f.data(), out.data()); });
  print("f04", std::vector<float>(out.begin(), out.begin() + 1));

  launch(1, {64, 1, 1}, [&] { f07_rotate(n.data(), ints.data()); });
  print("f07", std::vector<int>(ints.begin(), ints.begin() + 64));

  launch(1, {128, 1, 1}, [&] { f27_shared(f.data(), out.data()); });
  print("f27", std::vector<float>(out.begin(), out.begin() + 128));
  launch(1, {64, 1, 1}, [&] { f26_width<w2w_warp_size>(ints.data()); });
  print("f26", std::vector<int>(ints.begin(), ints.begin() + 1));

  std::fill(out.begin(), out.end(), -1.0f);
  launch(static_cast<unsigned>(f22_blocks(10)), {128, 1, 1},
         [&] { f22_row_sums(f.data(), out.data(), 10, 50); });
  print("f22", std::vector<float>(out.begin(), out.begin() + 10));

  launch(1, {64, 1, 1}, [&] { f23_ballots(bits.data(), ints.data()); });
  print("f23", std::vector<int>(ints.begin(), ints.begin() + 64));
  launch(1, {64, 1, 1}, [&] { f31_scan(bits.data(), ints.data()); });
  print("f31", std::vector<int>(ints.begin(), ints.begin() + 64));

  const std::vector<int> keys = numbers<int>(128, 7);
  std::vector<int> sums(7, 0), greatest(7, 0);
  launch(1, {128, 1, 1},
         [&] { f24_histogram(keys.data(), n.data(), sums.data(), greatest.data()); });
  print("f24_sums", sums);
  print("f24_greatest", greatest);

  launch(1, {32, 32, 1}, [&] { f30_row_sums(f.data(), out.data()); });
  print("f30", std::vector<float>(out.begin(), out.begin() + 32));

  const std::vector<int> columns = numbers<int>(64, 20);
  launch(1, {64, 1, 1},
         [&] { broadcast_sum(columns.data(), f.data(), f.data() + 64, out.data(), 16); });
  print("broadcast", std::vector<float>(out.begin(), out.begin() + 64));
  return 0;
}
