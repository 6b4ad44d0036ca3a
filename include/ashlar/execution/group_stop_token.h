// SPDX-License-Identifier: Apache-2.0
// The cancellation of a context as a stop token.
#pragma once

#include <ashlar/execution/implementation.h>
#include <ashlar/sched/tasks/cancel_callback.h>

#include <optional>
#include <utility>

ASHLAR_EXECUTION_PARTS

/// Says stop when the context, or an ancestor, is cancelled. Nothing is registered for it, and asking is O(1), until
/// somebody wants to be called. Null: nothing stops it. The context outlives it.
class group_stop_token {
 public:
  template <typename F>
  class callback {
   public:
    template <typename G>
    callback(group_stop_token const& t, G&& f) {
      if (t.group_ != nullptr) called_.emplace(*t.group_, std::forward<G>(f));
    }
    callback(callback const&) = delete;
    callback& operator=(callback const&) = delete;

   private:
    std::optional<tbb::cancel_callback<F>> called_;
  };
  template <typename F>
  using callback_type = callback<F>;

  group_stop_token() noexcept = default;
  explicit group_stop_token(sched::context* c) noexcept : group_(c) {}

  bool stop_requested() const noexcept { return group_ != nullptr && group_->is_cancelled(); }
  bool stop_possible() const noexcept { return group_ != nullptr; }
  friend bool operator==(group_stop_token const&, group_stop_token const&) noexcept = default;

 private:
  sched::context* group_ = nullptr;
};

ASHLAR_EXECUTION_PARTS_END
