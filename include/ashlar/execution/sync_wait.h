// SPDX-License-Identifier: Apache-2.0
// tbb::execution::sync_wait: waits for a sender and runs other tasks meanwhile. Users include <ashlar/execution.h>.
#pragma once

#include <ashlar/execution/group_stop_token.h>
#include <ashlar/execution/scheduler.h>
#include <ashlar/execution/values.h>
#include <ashlar/sched/core/words_scope.h>
#include <ashlar/sched/park/latch.h>

#include <exception>
#include <optional>

ASHLAR_EXECUTION_PARTS

/// The end that a thread waits for.
class end_of_wait {
 public:
  explicit end_of_wait(sched::slot& s) noexcept : group_(s.enclosing_group()) {}
  end_of_wait(end_of_wait const&) = delete;
  end_of_wait& operator=(end_of_wait const&) = delete;

  /// Says stop when the group is cancelled in which the thread waits. Nothing stops a thread outside of tasks.
  group_stop_token token() const noexcept { return group_stop_token(group_); }
  /// The object may be gone when this returns.
  void reach() noexcept {
    tsan::release(this);
    sched::latch::set(end_);
  }
  void wait(sched::slot& s) noexcept {
    while (!end_.done() && s.run_newest()) {
    }
    if (!end_.done()) wait_for_others(s);
    tsan::acquire(this);
  }

 private:
  ASHLAR_NOINLINE void wait_for_others(sched::slot& s) noexcept {
    auto const done = [this] { return end_.done(); };
    auto const announce = [this] { return end_.announce(); };
    s.wait(sched::wait_until<decltype(done), decltype(announce)>(&end_, "sync_wait", done, announce));
  }

  sched::latch end_;
  sched::context* const group_;
};

/// What a sender sees that a thread waits for.
class waiting_env {
 public:
  waiting_env(end_of_wait const& e, tbb::execution::arena_scheduler const& s) noexcept : end_(&e), scheduler_(s) {}

  group_stop_token query(ex::get_stop_token_t) const noexcept { return end_->token(); }
  tbb::execution::arena_scheduler query(ex::get_scheduler_t) const noexcept { return scheduler_; }
  tbb::execution::arena_scheduler query(ex::get_start_scheduler_t) const noexcept { return scheduler_; }
  tbb::execution::arena_scheduler query(ex::get_delegation_scheduler_t) const noexcept { return scheduler_; }
  static std::true_type query(starter_waits_t) noexcept { return {}; }

 private:
  end_of_wait const* end_;
  tbb::execution::arena_scheduler scheduler_;
};

template <typename Values>
struct waited_result {
  explicit waited_result(sched::slot& s) noexcept : end(s), scheduler(tbb::attach()) {}

  end_of_wait end;
  tbb::execution::arena_scheduler const scheduler;
  std::optional<Values> values;
  std::exception_ptr error;
};

template <typename Values>
class waiting_receiver {
 public:
  using receiver_concept = ex::receiver_tag;

  explicit waiting_receiver(waited_result<Values>& r) noexcept : result_(&r) {}
  template <typename... Args>
  void set_value(Args&&... args) noexcept {
    ASHLAR_TRY { result_->values.emplace(std::forward<Args>(args)...); }
    ASHLAR_CATCH_ALL { result_->error = std::current_exception(); }
    result_->end.reach();
  }
  template <typename Error>
  void set_error(Error&& e) noexcept {
    result_->error = exception_of(std::forward<Error>(e));
    result_->end.reach();
  }
  void set_stopped() noexcept { result_->end.reach(); }
  waiting_env get_env() const noexcept { return {result_->end, result_->scheduler}; }

 private:
  waited_result<Values>* result_;
};

ASHLAR_EXECUTION_PARTS_END

namespace tbb {
namespace execution {
inline namespace ASHLAR_SENDERS {

/// Starts the sender on the calling thread, which then runs other tasks of its arena until the sender completes.
/// Returns its values as an optional of a tuple, nothing if it was stopped; throws its error. In a task whose group is
/// cancelled meanwhile, the sender's stop token says so. The sender sees the thread's arena as its scheduler. The
/// implementation's sync_wait does the same for senders that complete in an arena.
template <typename Sender>
auto sync_wait(Sender&& sender) {
  namespace parts = ::ashlar::execution::ASHLAR_SENDERS;
  using values = parts::single_values<Sender, parts::waiting_env>;
  ::ashlar::sched::slot& s = ::ashlar::sched::this_slot();
  parts::waited_result<values> result(s);
  {
    ::ashlar::sched::words_scope const words(s);
    auto operation = ex::connect(std::forward<Sender>(sender), parts::waiting_receiver<values>(result));
    ex::start(operation);
    result.end.wait(::ashlar::sched::this_slot());
  }
  if (result.error) std::rethrow_exception(std::move(result.error));
  return std::move(result.values);
}

template <typename Sender>
auto arena_domain::apply_sender(::ashlar::execution::ASHLAR_SENDERS::ex::sync_wait_t, Sender&& s) {
  return execution::sync_wait(std::forward<Sender>(s));
}

}  // namespace ASHLAR_SENDERS
}  // namespace execution
}  // namespace tbb
