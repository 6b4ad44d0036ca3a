// SPDX-License-Identifier: Apache-2.0
// A slot's attention word, one look at which tells its owner that nothing keeps it from its fast path.
#pragma once

#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

// Why the owner has to leave its fast path.
enum attention : std::uint32_t {
  attention_wake = 1,     // somebody sleeps and wants to hear of new jobs
  attention_cancel = 2,   // some context of the process is cancelled
  attention_observe = 4,  // statistics or tracing are on
  attention_recall = 32,  // the market wants workers back: they leave the rest of their work to others
  attention_calls = 64,   // the owner has to call others before a body runs (slot::call_others)
  attention_fence = 16,   // the light fence needs the owner's help, always: there is no heavy one
  attention_urgent = 8    // the arena has enqueued jobs of high priority: they come before own ones
};

// Raised and lowered by anyone. The strong ends are the second or first half of a protocol, which the caller names.
class attention_word {
 public:
  explicit constexpr attention_word(std::uint32_t bits = 0) noexcept : bits_(bits) {}

  ASHLAR_ALWAYS_INLINE std::uint32_t attention_bits() const noexcept { return bits_.load(mo::relaxed); }
  // True if one of them was down.
  bool raise(std::uint32_t bits) noexcept {
    return (~bits_.fetch_or(bits, mo::seq_cst) & bits) != 0;  // [S2] [A11] [M1]
  }
  // The same for bits that are likely to be up, which costs a load then.
  bool raise_where_down(std::uint32_t bits) noexcept {
    if ((attention_bits() & bits) == bits) return false;
    raise(bits);
    return true;
  }
  void drop(std::uint32_t bits) noexcept { bits_.fetch_and(~bits, mo::seq_cst); }  // [A12] [C7]
  // Without an order.
  void hint(std::uint32_t bits) noexcept { bits_.fetch_or(bits, mo::relaxed); }
  void drop_hint(std::uint32_t bits) noexcept { bits_.fetch_and(~bits, mo::relaxed); }

 private:
  atomic<std::uint32_t> bits_;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
