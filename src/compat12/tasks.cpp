// SPDX-License-Identifier: Apache-2.0
// Spawning and running the tasks of foreign programs, and waiting for them.
//
// A task belongs to the program again once its execute or cancel has been called: nothing of it is touched afterwards.
// Its group's context and the count that somebody waits for may be gone once the task has counted down, and are touched
// only while something else is known to keep them: a task of the group that has not begun, or the wait itself.
#include "tasks.h"
#include "contexts.h"
#include "fp_words.h"
#include "isolated_tasks.h"
#include "loop_memory.h"

#include <ashlar/sched/tasks/affinity.h>

#include <cstddef>

namespace ashlar {
inline namespace v1 {
namespace compat12 {

using sched::isolation_of;
using sched::job;
using sched::slot;

loop_kind loop_kind::kinds[1 << loop_kind::bits];

// Waits that are about to sleep or sleep, of the whole process.
// [TW1] a waiter counts itself, then looks at its count <-> [TW2] the program brings the count to 0 by a locked
// instruction,
//       then notify_waiters looks here: one of the two sees the other
// [TW3] the program's instruction that brings the count to 0 -> [TW3] over: acquire (what the tasks did)
static atomic<std::uint32_t> sleeping_waits{0};

namespace {

d1::task& task_of(job* j) noexcept {
  return *reinterpret_cast<d1::task*>(reinterpret_cast<char*>(j) - offsetof(d1::task, link));
}

ASHLAR_COLD d1::task* fail(d1::task& t, running& data) noexcept {
  record_exception(*data.context);
  return t.cancel(data);
}

ASHLAR_ALWAYS_INLINE d1::task* step(slot& here, d1::task& t, running& data) noexcept {
  if (here.cancelled(here.group())) return t.cancel(data);
  try {
    return t.execute(data);
  } catch (...) {
    return fail(t, data);
  }
}

ASHLAR_ALWAYS_INLINE void run_in_group(d1::task& first, slot& here) noexcept {
  running data;
  data.context = first.context;
  data.original_slot = first.spawner;
  data.affinity_slot = first.affinity;
  data.here = &here;
  data.outer = innermost();
  set_innermost(&data);
  here.enter(data.context->node());
  d1::task* t = &first;
  for (;;) {
    data.what = t;
    t = step(here, *t, data);
    if (ASHLAR_LIKELY(t == nullptr)) break;
    // What a task returns was never spawned, and may have changed the words for itself only.
    data.original_slot = static_cast<d1::slot_id>(here.position());
    data.affinity_slot = d1::no_slot;
  }
  set_innermost(data.outer);
}

}  // namespace

job* run_task(job* self, slot& here) noexcept {
  d1::task& t = task_of(self);
  if (ASHLAR_UNLIKELY(t.spawner != here.position())) note_help(*t.context);
  run_in_group(t, here);
  return nullptr;
}

namespace {

// Runs the task in the caller's frame, as a task that the caller has spawned and popped at once.
ASHLAR_ALWAYS_INLINE void run_here(slot& here, d1::task& t, foreign_context& group) noexcept {
  job& j = prepare(here, t, group);
  if (ASHLAR_UNLIKELY(here.attention_bits() & sched::attention_observe)) return here.run(&j, here.child_key());
  kept_fp_words const words;
  here.run_own(&j, here.child_key());
}

bool over(d1::wait_context const& c) noexcept { return c.count.load(mo::acquire) == 0; }  // [TW3]

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

// Others run what is left, or this thread steals it.
ASHLAR_NOINLINE void wait_for_others(d1::wait_context const& count, slot& here) noexcept {
  announced_wait announced;
  here.wait(sched::wait_until(
      &count, "the tasks of a wait context", [&count] { return over(count); },
      [&] { return announced.announce(count); }));
}

// The same in a named isolated region.
ASHLAR_NOINLINE void wait_in_region(d1::wait_context const& count, slot& here) noexcept {
  std::uint32_t const tag = isolation_of(here.key());
  while (!over(count)) {
    sched::job_key key;
    if (job* const j = take_isolated(tag, key)) {
      here.run(j, key);
      continue;
    }
    announced_wait announced;
    isolated_sleeper sleeper(tag, &count);
    here.wait(sched::wait_until(
        &count, "the tasks of an isolated wait context", [&] { return over(count) || any_isolated(tag); },
        [&] { return announced.announce(count) && sleeper.announce(); }));
  }
}

ASHLAR_ALWAYS_INLINE void wait_for(d1::wait_context const& count, slot& here) noexcept {
  while (!over(count)) {
    if (ASHLAR_LIKELY(here.run_newest())) continue;
    return in_named_region(here) ? wait_in_region(count, here) : wait_for_others(count, here);
  }
}

// Application code waits, outside of all tasks, for a group that it has begun (loop_memory.h).
ASHLAR_NOINLINE void wait_for_loop(d1::wait_context const& count, slot& here, foreign_context& group) noexcept {
  while (stays_small(group, here) && !over(count) && here.run_newest()) {
  }
  wait_for(count, here);
  end_loop(group);
}

ASHLAR_ALWAYS_INLINE void wait_and_rethrow(d1::wait_context const& count, slot& here, foreign_context& waiting) {
  if (ASHLAR_UNLIKELY(kind_of(waiting) != nullptr) && here.outside_tasks()) {
    wait_for_loop(count, here, waiting);
  } else {
    wait_for(count, here);
  }
  rethrow(waiting);
}

// Where a plain spawn is not all: in a named region, for fresh groups and for small loops.
ASHLAR_NOINLINE void spawn_carefully(slot& here, d1::task& t, foreign_context& group, job& j) {
  if (in_named_region(here)) return spawn_isolated(here, j);
  if (group.care.load(mo::relaxed) == fresh) begin_loop(group, t, here);
  stays_small(group, here) ? here.offer(j, here.child_key()) : here.spawn(j);
}

ASHLAR_ALWAYS_INLINE bool needs_care(slot const& here, foreign_context const& group) noexcept {
  return group.care.load(mo::relaxed) != plain || in_named_region(here);
}

}  // namespace

}  // namespace compat12
}  // namespace v1
}  // namespace ashlar

namespace tbb::detail::r1 {

using namespace ashlar::compat12;
namespace mo = ashlar::mo;

ASHLAR_EXPORT void spawn(d1::task& t, d1::task_group_context& group) {
  slot& here = ashlar::sched::this_slot();
  use(group, here);
  job& j = prepare(here, t, group);
  if (ASHLAR_UNLIKELY(needs_care(here, group))) return spawn_carefully(here, t, group, j);
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
  run_here(here, t, group);
  wait_and_rethrow(count, here, waiting);
}

ASHLAR_EXPORT void wait(d1::wait_context& count, d1::task_group_context& waiting) {
  slot& here = ashlar::sched::this_slot();
  use(waiting, here);
  wait_and_rethrow(count, here, waiting);
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
