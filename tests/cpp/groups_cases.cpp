// SPDX-License-Identifier: Apache-2.0
//
// F32 on the wave model: reduce() and partitions over wavefronts of the size given as the
// argument. Prints one line a case: a name, then a number for each of 64 threads.
#define W2W_COOPERATIVE_GROUPS_MODEL "groups_model.h"

#include <cstdlib>
#include <iostream>
#include <vector>

#include "cooperative_groups_partition.h"
#include "cooperative_groups_reduce.h"
#include "wave_model.h"

namespace cg = cooperative_groups;

int main(int, char** arguments) {
  const unsigned wave = static_cast<unsigned>(std::atoi(arguments[1]));
  const auto value = [](unsigned i) { return static_cast<int>((i * 37 + 11) % 101); };
  const auto show = [&](const char* name, auto body) {
    std::vector<int> out(64, -1);
    wave_model::run(64, wave, [&](unsigned i) { out[i] = body(i); });
    std::cout << name;
    for (int number : out) std::cout << ' ' << number;
    std::cout << '\n';
  };
  show("tile32_add", [&](unsigned i) {
    const auto tile = cg::w2w_tiled_partition<32>(cg::this_thread_block());
    return cg::reduce(tile, value(i), cg::plus<int>());
  });
  show("tile8_max", [&](unsigned i) {
    const auto tile = cg::w2w_tiled_partition<8>(cg::this_thread_block());
    return cg::reduce(tile, value(i), cg::greater<int>());
  });
  show("tile8_rank", [&](unsigned) {
    const auto tile = cg::w2w_tiled_partition<32>(cg::this_thread_block());
    return static_cast<int>(cg::w2w_tiled_partition<8>(tile).meta_group_rank());
  });
  show("label_size", [&](unsigned i) {
    const auto tile = cg::w2w_tiled_partition<16>(cg::this_thread_block());
    return static_cast<int>(cg::w2w_labeled_partition(tile, value(i) % 3).size());
  });
  show("label_add", [&](unsigned i) {
    const auto tile = cg::w2w_tiled_partition<32>(cg::this_thread_block());
    return cg::reduce(cg::w2w_labeled_partition(tile, value(i) % 3), value(i), cg::plus<int>());
  });
  show("coalesced_min", [&](unsigned i) {
    if (value(i) % 2 == 0) return -1;
    const auto group = cg::w2w_coalesced_threads();
    return cg::reduce(group, value(i), cg::less<int>());
  });
  show("coalesced_rank", [&](unsigned i) {
    if (value(i) % 2 == 0) return -1;
    return static_cast<int>(cg::w2w_coalesced_threads().thread_rank());
  });
  show("binary_size", [&](unsigned i) {
    const auto group = cg::w2w_coalesced_threads();
    return static_cast<int>(cg::w2w_binary_partition(group, value(i) > 50).size());
  });
  show("tile8_ballot", [&](unsigned i) {
    const auto tile = cg::w2w_tiled_partition<8>(cg::this_thread_block());
    return static_cast<int>(tile.ballot(value(i) % 2));
  });
  show("tile16_votes", [&](unsigned i) {
    const cg::w2w_thread_block_tile<16> tile = cg::w2w_tiled_partition<16>(cg::this_thread_block());
    return 2 * (tile.any(value(i) > 95) != 0) + (tile.all(value(i) > 5) != 0);
  });
  show("tile8_match", [&](unsigned i) {
    const auto tile = cg::w2w_tiled_partition<8>(cg::this_thread_block());
    return static_cast<int>(tile.match_any(value(i) % 3));
  });
  show("tile8_shuffles", [&](unsigned i) {
    const auto tile = cg::w2w_tiled_partition<8>(cg::this_thread_block());
    const int moved = tile.shfl(value(i), 3) + 2 * tile.shfl_xor(value(i), 5);
    return moved + 3 * tile.shfl_up(value(i), 1) + 5 * tile.shfl_down(value(i), 2);
  });
  show("coalesced_ballot", [&](unsigned i) {
    if (value(i) % 2 == 0) return -1;
    return static_cast<int>(cg::w2w_coalesced_threads().ballot(value(i) > 50));
  });
  show("coalesced_match", [&](unsigned i) {
    if (value(i) % 2 == 0) return -1;
    return static_cast<int>(cg::w2w_coalesced_threads().match_any(value(i) % 3));
  });
  show("coalesced_shuffles", [&](unsigned i) {
    if (value(i) % 2 == 0) return -1;
    const auto group = cg::w2w_coalesced_threads();
    const int moved = group.shfl(value(i), 1) + 2 * group.shfl_up(value(i), 1);
    return moved + 3 * group.shfl_down(value(i), 2);
  });
  return 0;
}
