// SPDX-License-Identifier: Apache-2.0
// Two stop tokens as one.
//
// Ordering   none: the callbacks of both tokens ask the exchange who of them calls, and who destroys them waits for
// both
#pragma once

#include <ashlar/execution/implementation.h>

#include <ashlar/base/atomic.h>

#include <utility>

ASHLAR_EXECUTION_PARTS

/// Says stop when one of two tokens does. There is no stop source between them and those who want to be called: a
/// sender that completes in its callback may end all that the callback belongs to.
template <typename First, typename Second>
class either_stop_token {
 public:
  template <typename F>
  class callback {
   public:
    template <typename G>
    callback(either_stop_token const& t, G&& f)
        : function_(std::forward<G>(f)), by_first_(t.first_, call{this}), by_second_(t.second_, call{this}) {}
    callback(callback const&) = delete;
    callback& operator=(callback const&) = delete;

   private:
    struct call {
      void operator()() const noexcept {
        if (!of->called_.exchange(true, mo::relaxed)) std::forward<F>(of->function_)();  // the callback may be gone
      }
      callback* of;
    };

    F function_;
    atomic<bool> called_{false};
    ex::stop_callback_for_t<First, call> by_first_;
    ex::stop_callback_for_t<Second, call> by_second_;
  };
  template <typename F>
  using callback_type = callback<F>;

  either_stop_token(First a, Second b) noexcept : first_(std::move(a)), second_(std::move(b)) {}

  bool stop_requested() const noexcept { return first_.stop_requested() || second_.stop_requested(); }
  bool stop_possible() const noexcept { return first_.stop_possible() || second_.stop_possible(); }
  friend bool operator==(either_stop_token const&, either_stop_token const&) noexcept = default;

 private:
  First first_;
  Second second_;
};

ASHLAR_EXECUTION_PARTS_END
