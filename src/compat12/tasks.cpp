// SPDX-License-Identifier: Apache-2.0
// Spawning and running the tasks of foreign programs, and waiting for them.
//
// A task belongs to the program again once its execute or cancel has been called: nothing of it is touched afterwards.
// Its group's context and the count that somebody waits for may be gone once the task has counted down, and are touched
// only while something else is known to keep them: a task of the group that has not begun, or the wait itself.
//
// Model      tests/model/compat12_tasks_model.cpp
#include "tasks.h"
#include "class_region.h"
#include "contexts.h"
#include "fp_words.h"
#include "isolated_tasks.h"
#include "loop_memory.h"

#include <ashlar/sched/core/words_scope.h>
#include <ashlar/sched/tasks/affinity.h>

#include <cstddef>

namespace ashlar::inline v1::compat12 {

using sched::isolation_of;
using sched::job;
using sched::slot;

loop_kind loop_kind::kinds[1 << loop_kind::bits];

// Waits that are about to sleep or sleep, of the whole process.
// [TW1] a waiter counts itself, then looks at its count <-> [TW2] the program brings the count to 0 by a locked
//       instruction, then notify_waiters looks here: one of the two sees the other
// [TW3] the program's instruction that brings the count to 0 -> [TW3] over: acquire (what the tasks did)
static atomic<std::uint32_t> sleeping_waits{0};

namespace {

d1::task& task_of(job* j) noexcept {
  return *reinterpret_cast<d1::task*>(reinterpret_cast<char*>(j) - offsetof(d1::task, link));
}

bool over(d1::wait_context const& c) noexcept { return c.count.load(mo::acquire) == 0; }  // [TW3]

// Nothing that each task must be asked about.
ASHLAR_ALWAYS_INLINE bool quiet(slot const& here) noexcept {
  constexpr std::uint32_t disturbing = sched::attention_cancel | sched::attention_observe | sched::attention_urgent;
  return ASHLAR_LIKELY((here.attention_bits() & disturbing) == 0);
}

ASHLAR_COLD d1::task* fail(d1::task& t, running& data) noexcept {
  record_exception(*data.context);
  return t.cancel(data);
}

ASHLAR_ALWAYS_INLINE d1::task* execute(d1::task& t, running& data) noexcept {
  try {
    return t.execute(data);
  } catch (...) {
    return fail(t, data);
  }
}

ASHLAR_COLD d1::task* run_disturbed(d1::task& t, running& data) noexcept {
  slot& here = *data.here;
  if (here.cancelled(here.group())) return t.cancel(data);
  constexpr int place_of_execute = 2;  // after the two destructors
  class_region const named(&t, place_of_execute);
  return execute(t, data);
}

// Executes the task or cancels it; its group has been entered.
ASHLAR_ALWAYS_INLINE d1::task* run_in_group(d1::task& t, running& data) noexcept {
  return ASHLAR_UNLIKELY(data.here->disturbed()) ? run_disturbed(t, data) : execute(t, data);
}

// What a task returns was never spawned, and may have changed the words for itself only.
ASHLAR_NOINLINE d1::task* run_returned(d1::task& t, running& data) noexcept {
  data.what = &t;
  set_placement(data, placement_at(*data.here));
  return run_in_group(t, data);
}

// A job that is no foreign task, as if there were no frame. False if the thread may not run it.
ASHLAR_NOINLINE bool run_other(slot& here, sched::job_key region, job& what, sched::job_key key, sched::context& group,
                               running& data) noexcept {
  if (put_back(here, region, what, key)) return false;
  set_innermost(data.outer);
  {
    sched::group_scope const outer(here, group);
    here.run_own(&what, key);
  }
  set_innermost(&data);
  return true;
}

// Runs foreign tasks in the caller's frame, one after the other: what slot::run_own does for a job is done once for all
// of them. Within a scope in which the thread has the words of bodies.
class task_frame {
 public:
  // `data` is on its own, lest the compiler keeps all of this in memory because the tasks know the address.
  ASHLAR_ALWAYS_INLINE task_frame(slot& here, foreign_context& group, running& data) noexcept
      : settings_(here, group.node()),
        outer_group_(here.group()),
        group_(here, group.node()),
        here_(here),
        base_(here.base()),
        key_(here.key()),
        data_(data) {
    data_.here = &here;
    data_.outer = innermost();
    set_innermost(&data_);
  }
  ASHLAR_ALWAYS_INLINE ~task_frame() {
    set_innermost(data_.outer);
    here_.keep_jobs(base_);
    here_.begin(here_.task(), key_);
  }
  task_frame(task_frame const&) = delete;
  task_frame& operator=(task_frame const&) = delete;

  // Runs the task, and those that it and its successors return, in the group. Nothing keeps the thread from its fast
  // path.
  ASHLAR_ALWAYS_INLINE void run(d1::task& first, foreign_context& group, placement placed,
                                sched::job_key key) noexcept {
    here_.keep_jobs();
    here_.take_key(key);
    here_.enter(group.node());
    data_.context = &group;
    data_.what = &first;
    set_placement(data_, placed);
    for (d1::task* t = execute(first, data_); ASHLAR_UNLIKELY(t != nullptr);) t = run_returned(*t, data_);
  }

  // Runs what the caller has spawned, the newest first, until the count is 0, or something else is to be looked after.
  // Calls `look` before each task.
  template <typename Look>
  ASHLAR_ALWAYS_INLINE void drain(d1::wait_context const& count, Look look) noexcept {
    while (!over(count) && here_.bottom() > base_ && quiet(here_)) {
      look();
      sched::job_key key;
      job* const next = here_.pop(key);
      if (ASHLAR_UNLIKELY(next == nullptr)) return;
      if (ASHLAR_UNLIKELY(next->run != &run_task)) {
        if (run_other(here_, key_, *next, key, outer_group_, data_)) continue;
        return;
      }
      d1::task& t = task_of(next);
      run(t, *t.context, placement_of(t), key);
    }
  }

 private:
  sched::captured_scope settings_;
  sched::context& outer_group_;
  sched::group_scope group_;
  slot& here_;
  slot::index const base_;
  sched::job_key const key_;
  running& data_;
};

}  // namespace

// For thieves, and for threads that something keeps from their fast path.
job* run_task(job* self, slot& here) noexcept {
  d1::task* t = &task_of(self);
  if (ASHLAR_UNLIKELY(t->spawner != here.position())) note_help(*t->context);
  running data;
  data.context = t->context;
  data.here = &here;
  data.outer = innermost();
  set_placement(data, placement_of(*t));
  set_innermost(&data);
  here.enter(data.context->node());
  data.what = t;
  t = run_in_group(*t, data);
  while (ASHLAR_UNLIKELY(t != nullptr)) t = run_returned(*t, data);
  set_innermost(data.outer);
  return nullptr;
}

namespace {

class announced_wait {
 public:
  announced_wait() = default;
  announced_wait(announced_wait const&) = delete;
  announced_wait& operator=(announced_wait const&) = delete;
  ~announced_wait() {
    if (announced_) sleeping_waits.fetch_sub(1, mo::relaxed);
  }
  bool announce(d1::wait_context const& c) noexcept {
    if (!announced_) sleeping_waits.fetch_add(1, mo::seq_cst);  // [TW1]
    announced_ = true;
    return c.count.load(mo::seq_cst) != 0;  // [TW1]
  }

 private:
  bool announced_ = false;
};

// Runs the newest job that the caller has spawned. False if there is none that it may run.
ASHLAR_ALWAYS_INLINE bool run_newest(slot& here) noexcept {
  if (ASHLAR_LIKELY(here.isolation() == 0)) return here.run_newest();
  sched::job_key key;
  job* const newest = here.take_back(here.base(), key);
  if (newest == nullptr || put_back(here, here.key(), *newest, key)) return false;
  here.run_own(newest, key);
  return true;
}

// Others run what is left, or this thread steals it.
ASHLAR_NOINLINE void wait_for_others(d1::wait_context const& count, slot& here) noexcept {
  announced_wait announced;
  here.wait(sched::wait_until(
      &count, "the tasks of a wait context", [&count] { return over(count); },
      [&] { return announced.announce(count); }));
}

// The same in an isolated region, until there are jobs that the caller can get at in another way.
ASHLAR_NOINLINE void wait_in_region(d1::wait_context const& count, slot& here) noexcept {
  std::uint32_t const tag = here.isolation();
  bool const named = in_named_region(here);
  sched::base_scope const scope(here);
  here.keep_jobs();  // those that the caller has spawned and may not run lie out of its sight
  announced_wait announced;
  isolated_sleeper sleeper(tag, &count);
  here.wait(sched::wait_until(
      &count, "the tasks of an isolated wait context",
      [&] { return over(count) || here.has_spawned() || (named && any_isolated(tag)); },
      [&] { return announced.announce(count) && (!named || sleeper.announce()); }));
}

// Takes a job of the named region that lies where this thread can't get at it.
bool run_listed(slot& here) noexcept {
  if (!in_named_region(here)) return false;
  sched::job_key key;
  job* const j = take_isolated(here.isolation(), key);
  if (j != nullptr) here.run(j, key);
  return j != nullptr;
}

// What the caller's own jobs leave to wait for.
ASHLAR_NOINLINE void wait_for_rest(d1::wait_context const& count, slot& here) noexcept {
  while (!over(count)) {
    if (run_newest(here)) continue;
    if (here.isolation() == 0) return wait_for_others(count, here);
    if (!run_listed(here)) wait_in_region(count, here);
  }
}

// Runs what the caller has spawned before it waits for the count.
template <typename Look>
ASHLAR_ALWAYS_INLINE void drain_in_frame(d1::wait_context const& count, slot& here, foreign_context& group,
                                         Look look) noexcept {
  running data;
  task_frame(here, group, data).drain(count, look);
}
template <typename Look>
ASHLAR_COLD void drain_with_other_words(d1::wait_context const& count, slot& here, foreign_context& group,
                                        Look look) noexcept {
  sched::words_scope const words(here);
  drain_in_frame(count, here, group, look);
}
template <typename Look>
ASHLAR_ALWAYS_INLINE void drain(d1::wait_context const& count, slot& here, foreign_context& group, Look look) noexcept {
  if (ASHLAR_UNLIKELY(!here.has_words_of_bodies())) return drain_with_other_words(count, here, group, look);
  drain_in_frame(count, here, group, look);
}

ASHLAR_ALWAYS_INLINE void wait_for(d1::wait_context const& count, slot& here, foreign_context& waiting) noexcept {
  if (here.has_spawned()) drain(count, here, waiting, [] {});
  if (ASHLAR_UNLIKELY(!over(count))) wait_for_rest(count, here);
}

// What the frame of an application's loop has left of the group (loop_memory.h).
ASHLAR_ALWAYS_INLINE void finish_loop(d1::wait_context const& count, slot& here, foreign_context& group) noexcept {
  if (ASHLAR_UNLIKELY(!over(count))) {
    while (stays_small(group, here) && run_newest(here) && !over(count)) {
    }
    wait_for(count, here, group);
  }
  end_loop(group, here);
}

// Application code waits, outside of all tasks, for a group that it has begun.
ASHLAR_NOINLINE void wait_for_loop(d1::wait_context const& count, slot& here, foreign_context& group) noexcept {
  if (here.has_spawned()) drain(count, here, group, [&] { stays_small(group, here); });
  finish_loop(count, here, group);
}

ASHLAR_ALWAYS_INLINE bool ends_loop(foreign_context const& waiting, slot const& here) noexcept {
  return ASHLAR_UNLIKELY(kind_of(waiting) != nullptr) && here.outside_tasks();
}

// Runs the task in the caller's frame, as a task that the caller has spawned and popped at once, and waits.
ASHLAR_ALWAYS_INLINE void run_and_wait(slot& here, d1::task& t, foreign_context& group,
                                       d1::wait_context const& count) noexcept {
  kept_fp_words const words(here);
  running data;
  {
    task_frame frame(here, group, data);
    frame.run(t, group, placement_at(here), here.child_key());
    frame.drain(count, [] {});
  }
  if (ASHLAR_UNLIKELY(!over(count))) wait_for_rest(count, here);
}

// The same where the wait ends an application's loop.
ASHLAR_NOINLINE void run_loop_and_wait(slot& here, d1::task& t, foreign_context& group, d1::wait_context const& count,
                                       foreign_context& waiting) noexcept {
  {
    kept_fp_words const words(here);
    running data;
    task_frame frame(here, group, data);
    frame.run(t, group, placement_at(here), here.child_key());
    frame.drain(count, [&] { stays_small(waiting, here); });
  }
  finish_loop(count, here, waiting);
}

// The same where each task is to be looked at.
ASHLAR_NOINLINE void run_and_wait_carefully(slot& here, d1::task& t, foreign_context& group,
                                            d1::wait_context const& count, foreign_context& waiting) noexcept {
  job& j = prepare(here, t, group);
  if (here.attention_bits() & sched::attention_observe) {
    here.run(&j, here.child_key());
  } else {
    kept_fp_words const words(here);
    here.run_own(&j, here.child_key());
  }
  ends_loop(waiting, here) ? wait_for_loop(count, here, waiting) : wait_for_rest(count, here);
}

ASHLAR_NOINLINE void spawn_from_outside(slot& here, d1::task& t, foreign_context& group, job& j) {
  if (group.care.load(mo::relaxed) == fresh) begin_loop(group, t, here);
  stays_small(group, here) ? here.offer(j, here.child_key()) : here.spawn(j);
}

// Where a plain spawn is not all: in a named region, for fresh groups and for small loops.
ASHLAR_NOINLINE void spawn_carefully(slot& here, d1::task& t, foreign_context& group, job& j) {
  if (in_named_region(here)) return spawn_isolated(here, j);
  if (looked_after(group, here)) return here.offer(j, here.child_key());
  spawn_from_outside(here, t, group, j);
}

ASHLAR_ALWAYS_INLINE bool needs_care(slot const& here, foreign_context const& group) noexcept {
  return ASHLAR_UNLIKELY(group.care.load(mo::relaxed) != plain) || ASHLAR_UNLIKELY(in_named_region(here));
}

}  // namespace

}  // namespace ashlar::inline v1::compat12

namespace tbb::detail::r1 {

using namespace ashlar::compat12;
namespace mo = ashlar::mo;

ASHLAR_EXPORT void spawn(d1::task& t, d1::task_group_context& group) {
  slot& here = ashlar::sched::this_slot();
  use(group, here);
  job& j = prepare(here, t, group);
  if (needs_care(here, group)) return spawn_carefully(here, t, group, j);
  here.spawn(j);
}

ASHLAR_EXPORT void spawn(d1::task& t, d1::task_group_context& group, d1::slot_id where) {
  if (where == d1::no_slot || where == d1::any_slot) return spawn(t, group);
  slot& here = ashlar::sched::this_slot();
  use(group, here);
  job& j = prepare(here, t, group, where);
  if (where == here.position() || in_named_region(here)) return spawn_carefully(here, t, group, j);
  ashlar::sched::spawn_to(here, j, here.child_key(), where);
}

ASHLAR_EXPORT void execute_and_wait(d1::task& t, d1::task_group_context& group, d1::wait_context& count,
                                    d1::task_group_context& waiting) {
  slot& here = ashlar::sched::this_slot();
  use(waiting, here);
  use(group, here);
  if (group.care.load(mo::relaxed) == fresh) begin_loop(group, t, here);
  if (ASHLAR_UNLIKELY(!quiet(here))) {
    run_and_wait_carefully(here, t, group, count, waiting);
  } else if (ends_loop(waiting, here)) {
    run_loop_and_wait(here, t, group, count, waiting);
  } else {
    run_and_wait(here, t, group, count);
  }
  rethrow(waiting);
}

ASHLAR_EXPORT void wait(d1::wait_context& count, d1::task_group_context& waiting) {
  slot& here = ashlar::sched::this_slot();
  use(waiting, here);
  if (ends_loop(waiting, here)) {
    wait_for_loop(count, here, waiting);
  } else {
    wait_for(count, here, waiting);
  }
  rethrow(waiting);
}

ASHLAR_EXPORT void notify_waiters(std::uintptr_t address) {
  if (ASHLAR_UNLIKELY(sleeping_waits.load(mo::seq_cst) != 0)) {  // [TW2]
    ashlar::sched::wake_waiters(reinterpret_cast<void const*>(address));
  }
}

ASHLAR_EXPORT d1::slot_id execution_slot(d1::execution_data const* ed) {
  slot const* const here =
      ed != nullptr ? static_cast<running const*>(ed)->here : static_cast<slot const*>(ashlar::sched::current_slot);
  return here != nullptr ? static_cast<d1::slot_id>(here->position()) : d1::no_slot;
}

ASHLAR_EXPORT d1::task* current_task_ptr() {
  running const* const r = innermost();
  return r != nullptr ? r->what : nullptr;
}

}  // namespace tbb::detail::r1
