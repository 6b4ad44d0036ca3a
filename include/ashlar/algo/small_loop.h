// SPDX-License-Identifier: Apache-2.0
// What a loop remembers of its last executions.
#pragma once

#include <ashlar/algo/range_traits.h>
#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace algo {

// How long a loop is, as the number of bits of its number of iterations; 0 if the range does not tell.
template <typename Range>
unsigned length_bits(Range const& range) noexcept {
  if constexpr (tells_size<Range>) {
    return 64U - static_cast<unsigned>(__builtin_clzll(static_cast<std::size_t>(range.size()) | 1));
  } else {
    return 0;
  }
}

// How long the executions of a loop are that were too small to be shared. A search by frontiers runs one loop over 10
// and over 10,000 vertices, so that the last execution alone tells nothing.
class small_loop_history {
 public:
  using word = std::uint16_t;

  explicit small_loop_history(word w) noexcept : word_(w) {}

  // Is an execution of this length expected to be small?
  bool expects_small(unsigned bits) const noexcept { return word_ > 4 * bits; }

  // A single execution that was preempted does not count: two in a row that were expected to be small and were not make
  // the loop forget.
  word after(unsigned bits, bool small) const noexcept {
    if (small) return static_cast<word>((word_ > 4 * bits ? word_ & ~3U : 4 * bits) + 2);
    if (!expects_small(bits)) return word_;
    return static_cast<word>((word_ & 3) == 2 ? word_ - 1 : 0);
  }
  // Notes the execution in the word that the history was read from.
  void note(atomic<word>& in, unsigned bits, bool small) const noexcept {
    word const now = after(bits, small);
    if (now != word_) in.store(now, mo::relaxed);
  }

 private:
  // 0, or 4 * (bits of the longest small execution) + 2, or + 1 after one that was expected to be small and was not.
  word const word_;
};

// The history of this body's loop (in practice: one place in the program). A hint only, so races don't matter.
template <typename Work>
inline atomic<small_loop_history::word> small_loop{0};

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
