// SPDX-License-Identifier: Apache-2.0
// tbb::isolated_task_group: a task_group whose waits take only its own tasks.
#pragma once

#include <ashlar/sched/arena/arena_handle.h>
#include <ashlar/sched/core/words_scope.h>
#include <ashlar/sched/tasks/task_group.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

/// Brings the calling frame's jobs with this isolation tag to the newest end of the thread's deque. False if there are
/// none. O(jobs of the frame). Throws std::bad_alloc (then nothing has happened).
ASHLAR_EXPORT bool raise_isolated(slot& s, std::uint32_t tag);

}  // namespace sched
}  // namespace v1
}  // namespace ashlar

namespace tbb {

/// As task_group, but a thread that waits for the group runs none but the group's tasks and what they spawn: nothing
/// else starts on its stack, as in this_task_arena::isolate. Other threads run the group's tasks as any others.
///
/// A successor (set_task_order) belongs to the isolation of the thread that makes it ready: its predecessors should be
/// of this group.
class isolated_task_group : public task_group {
 public:
  isolated_task_group() = default;
  isolated_task_group(task_group_context& its_context) : task_group(its_context) {}  // NOLINT: implicit, as task_group
  ~isolated_task_group() noexcept(false) {
    scope const isolated(tag_);
    finish();
  }

  template <typename F>
  ASHLAR_REQUIRES(ashlar::sched::is_task_function<F>)
  void run(F&& f) {
    scope const isolated(tag_);
    task_group::run(std::forward<F>(f));
  }
  template <typename F>
  ASHLAR_REQUIRES(std::is_invocable_v<F const&>)
  task_group_status run_and_wait(F const& f) {
    scope const isolated(tag_);
    return task_group::run_and_wait(f);
  }
#if !ASHLAR_CLASSIC_DIALECT
  void run(task_handle&& h) {
    scope const isolated(tag_);
    task_group::run(std::move(h));
  }
  task_group_status run_and_wait(task_handle&& h) {
    run(std::move(h));
    return wait();
  }
  task_group_status wait_for_task(task_completion_handle& h) {
    scope const isolated(tag_);
    return task_group::wait_for_task(h);
  }
  task_group_status run_and_wait_for_task(task_handle&& h) {
    scope const isolated(tag_);
    return task_group::run_and_wait_for_task(std::move(h));
  }
#endif
  task_group_status wait() {
    run_newest();
    scope const isolated(tag_);
    return task_group::wait();
  }
  /// The same as without the argument.
  task_group_status wait(own_tasks_only_t) { return wait(); }
  template <typename F>
  ASHLAR_REQUIRES(std::is_invocable_v<F const&>)
  task_group_status run_and_wait(F const& f, own_tasks_only_t) {
    return run_and_wait(f);
  }

 private:
  using scope = ashlar::sched::isolation_scope;

  // Own tasks straight from the deque. An isolated wait reaches others' oldest job there, but not what lies behind it.
  void run_newest() {
    ashlar::sched::slot& s = ashlar::sched::this_slot();
    ashlar::sched::words_scope const words(s);
    while (!counter_.done() && s.has_spawned()) {
      ashlar::sched::job_key key;
      ashlar::sched::job* const j = s.pop(key);
      if (j == nullptr) return;
      if (ASHLAR_LIKELY(ashlar::sched::isolation_of(key) == tag_)) {
        s.run_own(j, key);
        continue;
      }
      s.spawn(*j, key);
      if (!ashlar::sched::raise_isolated(s, tag_)) return;
    }
  }

  std::uint32_t const tag_ = scope::new_isolation_tag();
};

}  // namespace tbb
