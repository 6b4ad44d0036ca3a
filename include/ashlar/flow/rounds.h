// SPDX-License-Identifier: Apache-2.0
// How many messages make a round of a continue_node, and how many are missing in this one: one word, so that the last
// message of a round begins the next one in the same step, and edges may be made and removed between messages.
//
//   expected * 2^32 + missing
//
// Threads    any.
// Invariants RO1 1 <= missing <= expected, unless nothing is expected.
// Ordering   [RO1] a message: release -> [RO2] the last one of the round: acquire (what the senders did)
// Model      tests/model/flow_rounds_model.cpp
#pragma once

#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace flow {

class rounds {
 public:
  explicit rounds(int expected) noexcept : word_(word_of(expected, expected)) {}
  rounds(rounds const&) = delete;
  rounds& operator=(rounds const&) = delete;

  int expected() const noexcept { return expected_in(word_.load(mo::relaxed)); }
  int missing() const noexcept { return missing_in(word_.load(mo::relaxed)); }

  // A message has come. True: it was the last one of its round, and the caller is to fire. Where one message or none is
  // expected each is the last, and costs no locked instruction.
  ASHLAR_ALWAYS_INLINE bool arrive() noexcept {
    word w = word_.load(mo::relaxed);
    while (w >= 2 * one_expected) {
      if (missing_in(w) == 1) {
        if (ASHLAR_LIKELY(word_.compare_exchange(w, w + (w >> 32) - 1, mo::acq_rel, mo::relaxed))) {  // [RO1] [RO2]
          return true;
        }
      } else if (ASHLAR_LIKELY(word_.compare_exchange(w, w - 1, mo::acq_rel, mo::relaxed))) {  // [RO1] [RO2]
        return false;
      }
    }
    return true;
  }

  void expect_one_more() noexcept { word_.fetch_add(one_of_each, mo::relaxed); }
  // A round that is complete without it isn't made up for.
  void expect_one_less() noexcept {
    word before = word_.load(mo::relaxed);
    word after;
    do {
      int const left = expected_in(before) - 1;
      after = missing_in(before) == 1 ? word_of(left, left) : before - one_of_each;
    } while (!word_.compare_exchange(before, after, mo::relaxed, mo::relaxed));
  }
  // Tells a picture what is missing. Throws std::bad_alloc.
  template <typename Picture>
  void describe(Picture& to) const {
    int const all = expected();
    int const left = missing();
    if (all > 1 && left != all) to.say("%d of %d predecessors have sent: it fires when all have", all - left, all);
  }
  // The round begins again. No message comes meanwhile.
  void restart() noexcept { restart(expected()); }
  void restart(int expected) noexcept { word_.store(word_of(expected, expected), mo::relaxed); }

 private:
  using word = std::int64_t;
  static constexpr word one_expected = word{1} << 32;
  static constexpr word one_of_each = one_expected + 1;
  static constexpr word word_of(int expected, int missing) noexcept { return expected * one_expected + missing; }
  // A program may begin with a negative number, to which its edges add.
  static int expected_in(word w) noexcept { return static_cast<int>((w - missing_in(w)) >> 32); }
  static int missing_in(word w) noexcept { return static_cast<int>(w); }

  atomic<word> word_;
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
