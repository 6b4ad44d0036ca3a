// SPDX-License-Identifier: Apache-2.0
// How many messages make a round of a continue_node, and how many are missing in this one: one word, so that the last
// message of a round begins the next one in the same step, and edges may be made and removed between messages.
//
//   expected * 2^32 + missing
//
// Threads    any.
// Invariants RO1 1 <= missing <= expected, unless nothing is expected.
//            RO2 a round is held while bit 63 differs from bit 62: then only arrive_exactly() counts, whose callers
//                share a lock, and which belongs to a node that knows more of the round than its number.
// Ordering   [RO1] a message: release -> [RO2] the last one of the round: acquire (what the senders did)
//            [RO3] the round is held: release -> [RO4] a message finds it so: acquire (why the node holds it)
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

  int expected() const noexcept { return expected_in(counts_of(word_.load(mo::relaxed))); }
  int missing() const noexcept { return missing_in(counts_of(word_.load(mo::relaxed))); }

  /// What a message was: one of its round; the last one, and its sender is to fire; or the only one, because one
  /// message or none is expected, which costs no locked instruction, unless the round is held: then it was not counted.
  enum class turn { counted, last, alone };
  /// A message has come. A caller that asks at once for each answer pays nothing for their number.
  ASHLAR_ALWAYS_INLINE turn arrive() noexcept {
    word w = word_.load(mo::acquire);  // [RO4]
    while (w >= 2 * one_expected) {
      if (missing_in(w) == 1) {
        if (ASHLAR_LIKELY(
                word_.compare_exchange(w, w + (w >> 32) - 1, mo::acq_rel, mo::acquire))) {  // [RO1] [RO2] [RO4]
          return turn::last;
        }
      } else if (ASHLAR_LIKELY(word_.compare_exchange(w, w - 1, mo::acq_rel, mo::acquire))) {  // [RO1] [RO2] [RO4]
        return turn::counted;
      }
    }
    return turn::alone;
  }

  // ---- the caller has the node's lock
  // The round is held until it is complete. There is none where one message or none is expected.
  void hold() noexcept {
    word w = word_.load(mo::relaxed);
    while (w >= 2 * one_expected) {
      if (word_.compare_exchange(w, w ^ held, mo::release, mo::relaxed)) return;  // [RO3]
    }
  }
  /// A message has come, whether the round is held or not. True: its sender is to fire.
  bool arrive_exactly() noexcept {
    word w = word_.load(mo::relaxed);
    while (is_held(w)) {
      word const counts = w ^ held;
      bool const last = missing_in(counts) == 1;
      word const after = last ? counts + (counts >> 32) - 1 : w - 1;
      if (word_.compare_exchange(w, after, mo::acq_rel, mo::relaxed)) return last;  // [RO1] [RO2]
    }
    return arrive() != turn::counted;
  }

  void expect_one_more() noexcept { word_.fetch_add(one_of_each, mo::relaxed); }
  /// A round that is complete without it isn't made up for: the next message completes it.
  void expect_one_less() noexcept {
    word before = word_.load(mo::relaxed);
    word after;
    do {
      word const counts = counts_of(before);
      int const left = expected_in(counts) - 1;
      after = missing_in(counts) == 1 ? word_of(left, left > 1 ? 1 : left) : counts - one_of_each;
      after ^= counts ^ before;
    } while (!word_.compare_exchange(before, after, mo::relaxed, mo::relaxed));
  }
  /// Tells a picture what is missing. Throws std::bad_alloc.
  template <typename Picture>
  void describe(Picture& to) const {
    int const all = expected();
    int const left = missing();
    if (all > 1 && left != all) to.say("%d of %d predecessors have sent: it fires when all have", all - left, all);
  }
  /// The round begins again. No message comes meanwhile.
  void restart() noexcept { restart(expected()); }
  void restart(int expected) noexcept { word_.store(word_of(expected, expected), mo::relaxed); }

 private:
  using word = std::int64_t;
  static constexpr word one_expected = word{1} << 32;
  static constexpr word one_of_each = one_expected + 1;
  static constexpr word held = static_cast<word>(std::uint64_t{1} << 63);
  static bool is_held(word w) noexcept { return w < held / 2; }
  static word counts_of(word w) noexcept { return is_held(w) ? w ^ held : w; }
  static constexpr word word_of(int expected, int missing) noexcept { return expected * one_expected + missing; }
  // A program may begin with a negative number, to which its edges add.
  static int expected_in(word w) noexcept { return static_cast<int>((w - missing_in(w)) >> 32); }
  static int missing_in(word w) noexcept { return static_cast<int>(w); }

  atomic<word> word_;
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
