// SPDX-License-Identifier: Apache-2.0
// What a loop remembers of its last executions. A loop is known by the type of its body, which in practice is one place
// in the program. Where that type hides what it calls (std::function, a pointer to a function), loops are known by what
// is called, too.
#pragma once

#include <ashlar/algo/range_traits.h>
#include <ashlar/base/atomic.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace algo {

/// How long a loop is, as the number of bits of its number of iterations; 0 if the range does not tell.
template <typename Range>
unsigned length_bits(Range const& range) noexcept {
  if constexpr (has_size<Range>) {
    return 64U - static_cast<unsigned>(__builtin_clzll(static_cast<std::size_t>(range.size()) | 1));
  } else {
    return 0;
  }
}

/// How long the executions of a loop are that were too small to be shared. A search by frontiers runs one loop over 10
/// and over 10,000 vertices, so that the last execution alone tells nothing.
class small_loop_history {
 public:
  using word = std::uint16_t;

  explicit small_loop_history(word w) noexcept : word_(w) {}

  /// Is an execution of this length expected to be small?
  bool expects_small(unsigned bits) const noexcept { return word_ > 4 * bits; }

  /// A single execution that was preempted does not count: two in a row that were expected to be small and were not
  /// make the loop forget.
  word after(unsigned bits, bool is_small) const noexcept {
    if (is_small) return static_cast<word>((word_ > 4 * bits ? word_ & ~3U : 4 * bits) + 2);
    if (!expects_small(bits)) return word_;
    return static_cast<word>((word_ & 3) == 2 ? word_ - 1 : 0);
  }
  /// Keeps the execution in the word that the history was read from.
  void remember(atomic<word>& in, unsigned bits, bool is_small) const noexcept {
    word const now = after(bits, is_small);
    if (now != word_) in.store(now, mo::relaxed);
  }

 private:
  // 0, or 4 * (bits of the longest small execution) + 2, or + 1 after one that was expected to be small and was not.
  word const word_;
};

/// What a body of a type that hides it calls.
template <typename Body, typename = void>
struct hidden_target {
  static constexpr bool exists = false;
};
template <typename Function>
struct hidden_target<Function*, std::enable_if_t<std::is_function_v<Function>>> {
  static constexpr bool exists = true;
  static std::uintptr_t of(Function* f) noexcept { return reinterpret_cast<std::uintptr_t>(f); }
};
/// std::function and its like. Without RTTI they don't tell.
template <template <typename> class Function, typename R, typename... Args>
struct hidden_target<Function<R(Args...)>,
                     std::void_t<decltype(std::declval<Function<R(Args...)> const&>().target_type())>> {
  static constexpr bool exists = true;
  static std::uintptr_t of(Function<R(Args...)> const& f) noexcept {
    R (*const* const pointer)(Args...) = f.template target<R (*)(Args...)>();
    return pointer != nullptr ? reinterpret_cast<std::uintptr_t>(*pointer)
                              : reinterpret_cast<std::uintptr_t>(&f.target_type());
  }
};
/// For bodies of ours: what the user's function() in them hides.
template <typename F>
struct target_of_function : hidden_target<F> {
  template <typename Body>
  static std::uintptr_t of(Body const& body) noexcept {
    return hidden_target<F>::of(body.function());
  }
};

/// The history of the loop that does `Work` with this body. A hint only, so races don't matter, and neither does it
/// that two targets may share a history.
template <typename Work>
inline atomic<small_loop_history::word> small_loop{0};
inline constexpr unsigned small_loops_log2 = 8;
template <typename Work>
inline atomic<small_loop_history::word> small_loops[std::size_t{1} << small_loops_log2] = {};

template <typename Work, typename Body>
atomic<small_loop_history::word>& small_loop_of(Body const& body) noexcept {
  if constexpr (hidden_target<Body>::exists) {
    std::uint64_t const spread = hidden_target<Body>::of(body) * std::uint64_t{0x9E3779B97F4A7C15u};
    return small_loops<Work>[spread >> (64 - small_loops_log2)];
  } else {
    static_cast<void>(body);
    return small_loop<Work>;
  }
}

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
