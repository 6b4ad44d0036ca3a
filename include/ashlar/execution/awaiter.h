// SPDX-License-Identifier: Apache-2.0
// co_await on a sender: tbb::execution::value_of. Users include <ashlar/execution.h>.
//
// Ordering   [EA1] the completion, or the awaiting thread that leaves the coroutine: exchange, acq_rel
//            -> [EA1] the other one, which goes on with the coroutine, or leaves that to the completion
#pragma once

#include <ashlar/execution/group_stop_token.h>
#include <ashlar/execution/scheduler.h>
#include <ashlar/execution/values.h>
#include <ashlar/sched/tasks/coroutine.h>

#include <coroutine>
#include <exception>
#include <optional>
#include <tuple>
#include <utility>

namespace tbb {
namespace execution {
inline namespace ASHLAR_SENDERS {

/// What co_await throws for a sender that was stopped: a coroutine has no third way to end.
class sender_stopped : public std::exception {
 public:
  char const* what() const noexcept override { return "a sender that a coroutine awaits was stopped"; }
};

}  // namespace ASHLAR_SENDERS
}  // namespace execution
}  // namespace tbb

ASHLAR_EXECUTION_PARTS

/// What a sender sees that a coroutine awaits.
class awaiting_env {
 public:
  awaiting_env(group_stop_token t, tbb::execution::arena_scheduler const& s) noexcept : token_(t), scheduler_(s) {}

  group_stop_token query(ex::get_stop_token_t) const noexcept { return token_; }
  tbb::execution::arena_scheduler query(ex::get_scheduler_t) const noexcept { return scheduler_; }
  tbb::execution::arena_scheduler query(ex::get_start_scheduler_t) const noexcept { return scheduler_; }

 private:
  group_stop_token token_;
  tbb::execution::arena_scheduler scheduler_;
};

template <typename Values>
class awaited_state {
 public:
  /// The sender has completed, or the coroutine has been left. True for the second of the two.
  bool arrive() noexcept { return one_came_.exchange(true, mo::acq_rel); }  // [EA1]
  void complete() noexcept {
    sched::continuation& c = *waiting;
    if (arrive()) c.resume();
  }

  std::optional<Values> values;
  std::exception_ptr error;
  sched::continuation* waiting = nullptr;
  group_stop_token stop;
  tbb::execution::arena_scheduler const scheduler{tbb::attach()};

 private:
  atomic<bool> one_came_{false};
};

template <typename Values>
class awaiting_receiver {
 public:
  using receiver_concept = ex::receiver_tag;

  explicit awaiting_receiver(awaited_state<Values>& s) noexcept : state_(&s) {}
  template <typename... Args>
  void set_value(Args&&... args) noexcept {
    ASHLAR_TRY { state_->values.emplace(std::forward<Args>(args)...); }
    ASHLAR_CATCH_ALL { state_->error = std::current_exception(); }
    state_->complete();
  }
  template <typename Error>
  void set_error(Error&& e) noexcept {
    state_->error = exception_of(std::forward<Error>(e));
    state_->complete();
  }
  void set_stopped() noexcept { state_->complete(); }
  awaiting_env get_env() const noexcept { return {state_->stop, state_->scheduler}; }

 private:
  awaited_state<Values>* state_;
};

template <typename Sender>
class sender_awaiter {
  using values = single_values<Sender, awaiting_env>;
  using receiver = awaiting_receiver<values>;

 public:
  explicit sender_awaiter(Sender&& s) : operation_(ex::connect(std::forward<Sender>(s), receiver(state_))) {}
  sender_awaiter(sender_awaiter const&) = delete;
  sender_awaiter& operator=(sender_awaiter const&) = delete;

  static bool await_ready() noexcept { return false; }
  template <typename Promise>
  bool await_suspend(std::coroutine_handle<Promise> h) {
    sched::slot& s = sched::this_slot();
    state_.waiting = &place_.make(h, s);
    sched::context* const group = sched::group_of_coroutine(h.promise(), s);
    if (group != &s.root()) state_.stop = group_stop_token(group);
    ex::start(operation_);
    return !state_.arrive();  // after this the coroutine may be gone
  }
  /// Nothing, the value, or a tuple of several values.
  auto await_resume() {
    if (state_.error) std::rethrow_exception(std::move(state_.error));
    if (!state_.values) std::rethrow_exception(std::make_exception_ptr(tbb::execution::sender_stopped()));
    constexpr std::size_t count = std::tuple_size_v<values>;
    if constexpr (count == 1) {
      return std::get<0>(*std::move(state_.values));
    } else if constexpr (count > 1) {
      return *std::move(state_.values);
    }
  }

 private:
  awaited_state<values> state_;
  sched::co_place place_;
  ex::connect_result_t<Sender, receiver> operation_;
};

ASHLAR_EXECUTION_PARTS_END

namespace tbb {
namespace execution {
inline namespace ASHLAR_SENDERS {

/// For co_await in a coroutine: the values of a sender that has one set of them. The coroutine goes on as a task of the
/// arena in which it stopped. The sender's error is thrown; sender_stopped if it was stopped. The sender sees the arena
/// as its scheduler, and a stop if the group in which the coroutine runs is cancelled. The other way round, a co_task
/// is a sender: implementations take what can be awaited for one.
template <typename Sender>
auto value_of(Sender&& s) {
  return ::ashlar::execution::sender_awaiter<Sender>(std::forward<Sender>(s));
}

}  // namespace ASHLAR_SENDERS
}  // namespace execution
}  // namespace tbb
