// SPDX-License-Identifier: Apache-2.0
// tbb::execution::arena_scheduler: an arena as a scheduler of std::execution. Users include <ashlar/execution.h>.
//
// The operation state is the job that the arena runs: nothing is allocated.
#pragma once

#include <ashlar/execution/domain.h>
#include <ashlar/execution/start_job.h>
#include <ashlar/sched/api/task_arena.h>

#include <concepts>
#include <utility>

ASHLAR_EXECUTION_PARTS

/// Completes the receiver in the arena: with set_stopped if the receiver's token, or the context, says so by then.
template <typename Receiver>
class schedule_operation : sched::job {
 public:
  using operation_state_concept = ex::operation_state_tag;

  schedule_operation(sched::arena& where, sched::context* group,
                     Receiver&& r) noexcept(std::is_nothrow_move_constructible_v<Receiver>)
      : job{&run_it}, where_(where), group_(group), receiver_(std::move(r)) {}
  schedule_operation(schedule_operation const&) = delete;
  schedule_operation& operator=(schedule_operation const&) = delete;

  void start() & noexcept {
    int const priority = group_ != nullptr ? group_->priority() - 1 : 1;
    start_job(where_, *this, priority, starter_waits<ex::env_of_t<Receiver>>);
  }

 private:
  static sched::job* run_it(sched::job* self, sched::slot& here) noexcept {
    auto& op = *static_cast<schedule_operation*>(self);
    void* const outer = here.task();
    here.enter_apart(op.group_);
    op.complete(here);  // the operation may be gone
    here.return_to(outer);
    return nullptr;
  }
  void complete(sched::slot& here) noexcept {
    if (ASHLAR_UNLIKELY(group_ != nullptr && here.cancelled(*group_))) return ex::set_stopped(std::move(receiver_));
    if constexpr (!ex::unstoppable_token<ex::stop_token_of_t<ex::env_of_t<Receiver>>>) {
      if (ex::get_stop_token(ex::get_env(receiver_)).stop_requested()) return ex::set_stopped(std::move(receiver_));
    }
    ex::set_value(std::move(receiver_));
  }

  sched::arena& where_;
  sched::context* const group_;
  Receiver receiver_;
};

ASHLAR_EXECUTION_PARTS_END

namespace tbb {
namespace execution {
inline namespace ASHLAR_SENDERS {

namespace ex = ::ashlar::execution::ASHLAR_SENDERS::ex;

/// A scheduler whose work runs on the threads of an arena. It refers to the arena: a task_arena, and the thread whose
/// own arena it is, outlive what is scheduled. Copies are equal.
///
/// schedule() completes with set_value() on a thread of the arena. It completes with set_stopped() if the receiver's
/// stop token says so before that, or if the scheduler is of a context that is cancelled. It has no errors. bulk,
/// bulk_chunked and bulk_unchunked that come after it are parallel loops of the library; sync_wait runs other tasks
/// while it waits. Progress is parallel. Started by a task in the arena it is spawned, as by task_group::run; by other
/// threads it is enqueued, as by task_arena::enqueue. Thread safety: all members. Cost: about 10 ns spawned, 30 ns
/// enqueued, and no allocation.
class arena_scheduler {
 public:
  using scheduler_concept = ex::scheduler_tag;

  class sender;

  /// The arena is made if it has not been yet. Throws std::bad_alloc.
  explicit arena_scheduler(task_arena& a)
      // What the scheduler knows of an arena is its first member, see task_arena.
      : arena_(&reinterpret_cast<::ashlar::sched::arena_holder&>(a).get()) {}
  /// The arena that the calling thread is in.
  explicit arena_scheduler(attach) : arena_(&::ashlar::sched::this_slot().home()) {}

  /// The same arena; the work belongs to the context, which outlives it.
  arena_scheduler in(task_group_context& c) const {
    arena_scheduler result(*this);
    result.group_ = &c.use(::ashlar::sched::this_slot());
    return result;
  }
  sender schedule() const noexcept;

  friend bool operator==(arena_scheduler const&, arena_scheduler const&) noexcept = default;

  static constexpr ex::forward_progress_guarantee query(ex::get_forward_progress_guarantee_t) noexcept {
    return ex::forward_progress_guarantee::parallel;
  }
  template <typename Tag>
    requires(std::same_as<Tag, ex::set_value_t> || std::same_as<Tag, ex::set_stopped_t>)
  arena_scheduler query(ex::get_completion_scheduler_t<Tag>) const noexcept {
    return *this;
  }
  template <typename Tag>
    requires(std::same_as<Tag, ex::set_value_t> || std::same_as<Tag, ex::set_stopped_t>)
  static constexpr arena_domain query(ex::get_completion_domain_t<Tag>) noexcept {
    return {};
  }

 private:
  ::ashlar::sched::arena* arena_;
  ::ashlar::sched::context* group_ = nullptr;
};

/// What arena_scheduler::schedule returns.
class arena_scheduler::sender {
 public:
  using sender_concept = ex::sender_tag;

  template <typename Self, typename... Env>
  static consteval auto get_completion_signatures() noexcept {
    return ex::completion_signatures<ex::set_value_t(), ex::set_stopped_t()>();
  }
  template <typename Receiver>
  auto connect(Receiver r) const noexcept(std::is_nothrow_move_constructible_v<Receiver>) {
    return ::ashlar::execution::schedule_operation<Receiver>(*where_.arena_, where_.group_, std::move(r));
  }
  arena_scheduler const& get_env() const noexcept { return where_; }

 private:
  friend class arena_scheduler;
  explicit sender(arena_scheduler const& s) noexcept : where_(s) {}
  arena_scheduler where_;
};

inline arena_scheduler::sender arena_scheduler::schedule() const noexcept { return sender(*this); }

}  // namespace ASHLAR_SENDERS
}  // namespace execution
}  // namespace tbb
