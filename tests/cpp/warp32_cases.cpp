// SPDX-License-Identifier: Apache-2.0
//
// Runs warp32.h on the wave model for cases read from standard input.
//
// A case:   FUNCTION TYPE MASKTYPE LANES WIDTH      (WIDTH 0: the default; MASKTYPE other than
//           u32 only with TYPE u32)
//           then for each lane: ACTIVE MASK VALUE ARGUMENT   (MASK and VALUE in hexadecimal bytes,
//           least significant digit last; ARGUMENT a signed number)
// Printed:  for each lane the result in hexadecimal, "-" where the lane took no part; for
//           match_all_sync also the predicate after a colon.
#include <algorithm>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "warp32.h"

namespace {

template <std::size_t Bytes, std::size_t Align>
struct alignas(Align) Blob {  // a half, bfloat16 or vector type
  unsigned char bytes[Bytes];
};

struct LaneCase {
  bool active = false;
  unsigned long long mask = 0;
  std::string value;
  long long argument = 0;
};

struct Case {
  std::string function, type, mask_type;
  unsigned lanes = 0;
  int width = 0;
  std::vector<LaneCase> lane;
};

template <typename T>
T from_hex(const std::string& text) {
  unsigned char bytes[sizeof(T)] = {};
  for (std::size_t i = 0; i < sizeof(T) && 2 * i < text.size(); ++i) {
    const std::string pair = text.substr(text.size() - 2 * i - 2, 2);
    bytes[i] = static_cast<unsigned char>(std::stoul(pair, nullptr, 16));
  }
  T value;
  std::memcpy(static_cast<void*>(&value), bytes, sizeof(T));
  return value;
}

template <typename T>
std::string to_hex(const T& value) {
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  std::string text;
  for (std::size_t i = sizeof(T); i-- > 0;) {
    char pair[3];
    std::snprintf(pair, sizeof(pair), "%02x", bytes[i]);
    text += pair;
  }
  return text;
}

template <typename Mask, typename T>
std::string shuffle(const Case& test, const LaneCase& lane) {
  const T value = from_hex<T>(lane.value);
  const Mask mask = static_cast<Mask>(lane.mask);
  const int source = static_cast<int>(lane.argument);
  const unsigned delta = static_cast<unsigned>(lane.argument);
  const int width = test.width;
#define SHUFFLE(name, argument)                                                              \
  if (test.function == #name) {                                                              \
    return to_hex(width == 0 ? w2w_##name(value, argument) : w2w_##name(value, argument, width)); \
  }                                                                                          \
  if (test.function == #name "_sync") {                                                      \
    return to_hex(width == 0 ? w2w_##name##_sync(mask, value, argument)                      \
                             : w2w_##name##_sync(mask, value, argument, width));             \
  }
  SHUFFLE(shfl, source)
  SHUFFLE(shfl_up, delta)
  SHUFFLE(shfl_down, delta)
  SHUFFLE(shfl_xor, source)
#undef SHUFFLE
  return "unknown";
}

template <typename Mask, typename T>
std::string match(const Case& test, const LaneCase& lane) {
  const T value = from_hex<T>(lane.value);
  const Mask mask = static_cast<Mask>(lane.mask);
  if (test.function == "match_any_sync") return to_hex(w2w_match_any_sync(mask, value));
  int predicate = -1;
  const unsigned all = w2w_match_all_sync(mask, value, &predicate);
  return to_hex(all) + ":" + std::to_string(predicate);
}

template <typename Mask, typename T>
std::string reduce(const Case& test, const LaneCase& lane) {
  const T value = from_hex<T>(lane.value);
  const Mask mask = static_cast<Mask>(lane.mask);
  if (test.function == "reduce_add_sync") return to_hex(w2w_reduce_add_sync(mask, value));
  if (test.function == "reduce_min_sync") return to_hex(w2w_reduce_min_sync(mask, value));
  if (test.function == "reduce_max_sync") return to_hex(w2w_reduce_max_sync(mask, value));
  if (test.function == "reduce_and_sync") return to_hex(w2w_reduce_and_sync(mask, value));
  if (test.function == "reduce_or_sync") return to_hex(w2w_reduce_or_sync(mask, value));
  if (test.function == "reduce_xor_sync") return to_hex(w2w_reduce_xor_sync(mask, value));
  return "unknown";
}

template <typename Mask>
std::string vote(const Case& test, const LaneCase& lane) {
  const Mask mask = static_cast<Mask>(lane.mask);
  const int predicate = static_cast<int>(lane.argument);
  if (test.function == "ballot_sync") return to_hex(w2w_ballot_sync(mask, predicate));
  if (test.function == "any_sync") return to_hex(w2w_any_sync(mask, predicate));
  if (test.function == "all_sync") return to_hex(w2w_all_sync(mask, predicate));
  if (test.function == "uni_sync") return to_hex(w2w_uni_sync(mask, predicate));
  if (test.function == "ballot") return to_hex(w2w_ballot(predicate));
  if (test.function == "any") return to_hex(w2w_any(predicate));
  if (test.function == "all") return to_hex(w2w_all(predicate));
  if (test.function == "activemask") return to_hex(w2w_activemask());
  if (test.function == "lane_id") return to_hex(w2w_lane_id());
  if (test.function == "lanemask_eq") return to_hex(w2w_lanemask_eq());
  if (test.function == "lanemask_lt") return to_hex(w2w_lanemask_lt());
  if (test.function == "lanemask_le") return to_hex(w2w_lanemask_le());
  if (test.function == "lanemask_gt") return to_hex(w2w_lanemask_gt());
  if (test.function == "lanemask_ge") return to_hex(w2w_lanemask_ge());
  return "unknown";
}

// TYPE to a C++ type.
std::string run_lane(const Case& test, const LaneCase& lane) {
  const std::string& type = test.type;
  if (test.function.rfind("match", 0) == 0) {
    if (type == "i32") return match<unsigned, int>(test, lane);
    if (type == "u64") return match<unsigned, unsigned long long>(test, lane);
    if (type == "f32") return match<unsigned, float>(test, lane);
    if (type == "f64") return match<unsigned, double>(test, lane);
  } else if (test.function.rfind("reduce", 0) == 0) {
    if (type == "i32") return reduce<unsigned, int>(test, lane);
  } else if (test.function.rfind("shfl", 0) == 0) {
    if (type == "bool") return shuffle<unsigned, bool>(test, lane);
    if (type == "i8") return shuffle<unsigned, signed char>(test, lane);
    if (type == "u8") return shuffle<unsigned, unsigned char>(test, lane);
    if (type == "i16") return shuffle<unsigned, short>(test, lane);
    if (type == "u16") return shuffle<unsigned, unsigned short>(test, lane);
    if (type == "i32") return shuffle<unsigned, int>(test, lane);
    if (type == "i64") return shuffle<unsigned, long long>(test, lane);
    if (type == "u64") return shuffle<unsigned, unsigned long>(test, lane);
    if (type == "f32") return shuffle<unsigned, float>(test, lane);
    if (type == "f64") return shuffle<unsigned, double>(test, lane);
    if (type == "b2") return shuffle<unsigned, Blob<2, 2>>(test, lane);
    if (type == "b4") return shuffle<unsigned, Blob<4, 4>>(test, lane);
    if (type == "b8") return shuffle<unsigned, Blob<8, 8>>(test, lane);
    if (type == "b12") return shuffle<unsigned, Blob<12, 4>>(test, lane);
    if (type == "b16") return shuffle<unsigned, Blob<16, 16>>(test, lane);
  }
  return "unknown";
}

// TYPE u32, with each type of mask.
template <typename Mask>
std::string run_u32_lane(const Case& test, const LaneCase& lane) {
  if (test.function.rfind("match", 0) == 0) return match<Mask, unsigned>(test, lane);
  if (test.function.rfind("reduce", 0) == 0) return reduce<Mask, unsigned>(test, lane);
  if (test.function.rfind("shfl", 0) == 0) return shuffle<Mask, unsigned>(test, lane);
  return vote<Mask>(test, lane);
}

void run_case(const Case& test) {
  std::vector<std::string> results(test.lanes, "-");
  wave_model::run(test.lanes, test.lanes, [&](unsigned index) {
    const LaneCase& lane = test.lane[index];
    if (!lane.active) return;
    if (test.type != "u32") {
      results[index] = run_lane(test, lane);
    } else if (test.mask_type == "i32") {
      results[index] = run_u32_lane<int>(test, lane);
    } else if (test.mask_type == "u64") {
      results[index] = run_u32_lane<unsigned long long>(test, lane);
    } else {
      results[index] = run_u32_lane<unsigned>(test, lane);
    }
  });
  for (const std::string& result : results) std::cout << result << ' ';
  std::cout << '\n';
}

}  // namespace

int main() {
  Case test;
  while (std::cin >> test.function >> test.type >> test.mask_type >> test.lanes >> test.width) {
    test.lane.assign(test.lanes, LaneCase());
    for (LaneCase& lane : test.lane) {
      std::cin >> lane.active >> std::hex >> lane.mask >> std::dec >> lane.value >> lane.argument;
    }
    run_case(test);
  }
  return 0;
}
