// SPDX-License-Identifier: Apache-2.0
//
// A block of GPU threads on the CPU, in wavefronts of 32 or 64 lanes that run in lockstep.
//
// Each lane is a ucontext fiber. A lane runs until it reaches a collective; when every lane of the
// wavefront waits, the lanes at one place in the program are the active ones and the collective is
// carried out for them alone. Of several places the earliest goes first, as hardware reconverges
// structured code: a place is the stack of return addresses, outermost first. So compile with
// -O0 -fno-omit-frame-pointer: nothing may be inlined.
//
// A lane that is not active reads as 0, as ds_bpermute does.
#ifndef W2W_WAVE_MODEL_H
#define W2W_WAVE_MODEL_H

#include <ucontext.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

namespace wave_model {

enum class Wait { none, read, first, ballot, barrier, block };

struct Lane {
  ucontext_t context{};
  std::unique_ptr<char[]> stack;
  void** entry_frame = nullptr;
  bool finished = false;
  Wait wait = Wait::none;
  std::vector<void*> place;
  unsigned word = 0;            // what the lane brings to the collective
  unsigned source = 0;          // the lane it reads
  unsigned long long result = 0;
};

struct Block {
  unsigned wave_size = 64;
  std::vector<Lane> lanes;
  unsigned current = 0;
  ucontext_t scheduler{};
  const std::function<void(unsigned)>* body = nullptr;
};

inline Block*& running() {
  static Block* block = nullptr;
  return block;
}

inline Lane& lane_now() { return running()->lanes[running()->current]; }
inline unsigned thread_now() { return running()->current; }
inline unsigned block_size() { return static_cast<unsigned>(running()->lanes.size()); }

// Waits for the collective that `wait` names; returns what it gave this lane.
__attribute__((noinline)) inline unsigned long long meet(Wait wait, unsigned word = 0,
                                                         unsigned source = 0) {
  Lane& lane = lane_now();
  lane.wait = wait;
  lane.word = word;
  lane.source = source;
  lane.place.clear();
  for (void** frame = static_cast<void**>(__builtin_frame_address(0)); frame != lane.entry_frame;
       frame = static_cast<void**>(frame[0])) {
    lane.place.insert(lane.place.begin(), frame[1]);
  }
  swapcontext(&lane.context, &running()->scheduler);
  return lane_now().result;
}

__attribute__((noinline)) inline void enter_lane() {
  lane_now().entry_frame = static_cast<void**>(__builtin_frame_address(0));
  (*running()->body)(thread_now());
  lane_now().finished = true;
  swapcontext(&lane_now().context, &running()->scheduler);
}

inline void resume(Block& block, unsigned index) {
  block.current = index;
  block.lanes[index].wait = Wait::none;
  swapcontext(&block.scheduler, &block.lanes[index].context);
}

// Carries out one collective of the wavefront that starts at lane `begin`; false when its lanes
// have all finished or wait for the block.
inline bool step_wave(Block& block, unsigned begin) {
  const unsigned end = std::min<unsigned>(begin + block.wave_size, block_size());
  const std::vector<void*>* place = nullptr;
  for (unsigned i = begin; i < end; ++i) {
    const Lane& lane = block.lanes[i];
    if (lane.finished || lane.wait == Wait::block) continue;
    if (place == nullptr || lane.place < *place) place = &lane.place;
  }
  if (place == nullptr) return false;
  const std::vector<void*> chosen = *place;
  std::vector<unsigned> active;
  unsigned long long ballot = 0;
  for (unsigned i = begin; i < end; ++i) {
    const Lane& lane = block.lanes[i];
    if (lane.finished || lane.wait == Wait::block || lane.place != chosen) continue;
    active.push_back(i);
    if (lane.word != 0) ballot |= 1ull << (i - begin);
  }
  const auto is_active = [&](unsigned index) {
    for (unsigned i : active) {
      if (i == index) return true;
    }
    return false;
  };
  for (unsigned i : active) {
    Lane& lane = block.lanes[i];
    const unsigned source = begin + lane.source % block.wave_size;
    switch (lane.wait) {
      case Wait::read: lane.result = is_active(source) ? block.lanes[source].word : 0; break;
      case Wait::first: lane.result = block.lanes[active.front()].word; break;
      case Wait::ballot: lane.result = ballot; break;
      default: break;
    }
  }
  for (unsigned i : active) resume(block, i);
  return true;
}

// Runs `body(thread)` for each thread of a block.
inline void run(unsigned threads, unsigned wave_size, const std::function<void(unsigned)>& body) {
  constexpr std::size_t stack_size = 256 * 1024;
  Block block;
  block.wave_size = wave_size;
  block.lanes.resize(threads);
  block.body = &body;
  running() = &block;
  for (unsigned i = 0; i < threads; ++i) {
    Lane& lane = block.lanes[i];
    lane.stack.reset(new char[stack_size]);
    getcontext(&lane.context);
    lane.context.uc_stack.ss_sp = lane.stack.get();
    lane.context.uc_stack.ss_size = stack_size;
    lane.context.uc_link = nullptr;
    makecontext(&lane.context, enter_lane, 0);
    resume(block, i);
  }
  for (;;) {
    bool moved = false;
    for (unsigned begin = 0; begin < threads; begin += wave_size) {
      while (step_wave(block, begin)) moved = true;
    }
    bool waiting = false;
    for (unsigned i = 0; i < threads; ++i) {
      if (!block.lanes[i].finished) {
        waiting = true;
        resume(block, i);  // all that live have reached the block's barrier
      }
    }
    if (!moved && !waiting) break;
  }
  running() = nullptr;
}

__attribute__((noinline)) inline void sync_block() { meet(Wait::block); }

}  // namespace wave_model

inline unsigned w2w_wave_lane() {
  return wave_model::thread_now() % wave_model::running()->wave_size;
}
__attribute__((noinline)) inline unsigned w2w_wave_read(unsigned word, unsigned lane) {
  return static_cast<unsigned>(wave_model::meet(wave_model::Wait::read, word, lane));
}
__attribute__((noinline)) inline unsigned w2w_wave_first(unsigned word) {
  return static_cast<unsigned>(wave_model::meet(wave_model::Wait::first, word));
}
__attribute__((noinline)) inline unsigned long long w2w_wave_ballot(bool predicate) {
  return wave_model::meet(wave_model::Wait::ballot, predicate);
}
__attribute__((noinline)) inline void w2w_wave_barrier() {
  wave_model::meet(wave_model::Wait::barrier);
}

#endif  // W2W_WAVE_MODEL_H
