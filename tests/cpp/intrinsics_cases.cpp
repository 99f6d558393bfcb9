// SPDX-License-Identifier: Apache-2.0
//
// Calls the functions of simd_intrinsics.h, device_intrinsics.h and bfloat16_rounding.h for lines
// "NAME A B C" (hexadecimal words; B and C are 0 where the function takes fewer) and prints each
// result in hexadecimal.
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <string>

#include "bfloat16_rounding.h"
#include "device_intrinsics.h"
#include "simd_intrinsics.h"

namespace {

using Word = unsigned long long;
using Function = std::function<Word(Word, Word, Word)>;

unsigned low(Word word) { return static_cast<unsigned>(word); }
int number(Word word) { return static_cast<int>(low(word)); }
Word bits(int value) { return static_cast<unsigned>(value); }
float real(Word word) {
  const unsigned bits = low(word);
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

std::map<std::string, Function> functions() {
  std::map<std::string, Function> all;
#define BINARY(name)                                                                       \
  all[#name "2"] = [](Word a, Word b, Word) { return Word{w2w_##name##2(low(a), low(b))}; }; \
  all[#name "4"] = [](Word a, Word b, Word) { return Word{w2w_##name##4(low(a), low(b))}; };
#define UNARY(name)                                                               \
  all[#name "2"] = [](Word a, Word, Word) { return Word{w2w_##name##2(low(a))}; }; \
  all[#name "4"] = [](Word a, Word, Word) { return Word{w2w_##name##4(low(a))}; };
  BINARY(vadd) BINARY(vaddss) BINARY(vaddus) BINARY(vsub) BINARY(vsubss) BINARY(vsubus)
  BINARY(vmins) BINARY(vminu) BINARY(vmaxs) BINARY(vmaxu) BINARY(vavgs) BINARY(vavgu)
  BINARY(vhaddu) BINARY(vabsdiffs) BINARY(vabsdiffu) BINARY(vcmpeq) BINARY(vcmpne)
  BINARY(vcmplts) BINARY(vcmpltu) BINARY(vcmples) BINARY(vcmpleu) BINARY(vcmpgts)
  BINARY(vcmpgtu) BINARY(vcmpges) BINARY(vcmpgeu) BINARY(vseteq) BINARY(vsetne)
  BINARY(vsetlts) BINARY(vsetltu) BINARY(vsetles) BINARY(vsetleu) BINARY(vsetgts)
  BINARY(vsetgtu) BINARY(vsetges) BINARY(vsetgeu) BINARY(vsads) BINARY(vsadu)
  UNARY(vneg) UNARY(vnegss) UNARY(vabs) UNARY(vabsss)
#define DOT(name)                                                              \
  all[#name "_s32"] = [](Word a, Word b, Word c) {                             \
    return bits(w2w_##name(number(a), number(b), number(c)));                  \
  };                                                                           \
  all[#name "_u32"] = [](Word a, Word b, Word c) {                             \
    return Word{w2w_##name(low(a), low(b), low(c))};                           \
  };
  DOT(dp4a) DOT(dp2a_lo) DOT(dp2a_hi)
  all["fns"] = [](Word a, Word b, Word c) { return Word{w2w_fns(low(a), low(b), number(c))}; };
#define ROUND(name) \
  all[#name] = [](Word a, Word, Word) { return Word{w2w_bfloat16_##name(real(a))}; };
  ROUND(rn) ROUND(rz) ROUND(rd) ROUND(ru)
  all["of_int"] = [](Word a, Word, Word) { return Word{w2w_bfloat16_of_integer(number(a))}; };
  all["of_ll"] = [](Word a, Word, Word) {
    return Word{w2w_bfloat16_of_integer(static_cast<long long>(a))};
  };
  all["of_ull"] = [](Word a, Word, Word) { return Word{w2w_bfloat16_of_integer(a)}; };
  return all;
}

}  // namespace

int main() {
  const std::map<std::string, Function> all = functions();
  std::string name;
  Word a, b, c;
  while (std::cin >> name >> std::hex >> a >> b >> c) {
    std::cout << std::hex << all.at(name)(a, b, c) << '\n';
  }
  return 0;
}
