// SPDX-License-Identifier: Apache-2.0
// task_arena and this_task_arena for foreign programs. The address that the program keeps is that of our arena.
#include "contexts.h"
#include "isolated_tasks.h"
#include "places.h"
#include "tasks.h"

#include <ashlar/sched/tasks/affinity.h>

#include <algorithm>

namespace ashlar::inline v1::compat12 {

sched::arena* made_arena(d1::task_arena_base const& a) noexcept {
  return reinterpret_cast<sched::arena*>(a.made.load(mo::acquire));  // [FA2]
}

sched::constraints constraints_of(d1::task_arena_base const& a) noexcept {
  sched::constraints c(a.numa_id, a.max_concurrency);
  // Programs built with the first headers have no such members.
  if ((a.flags & d1::task_arena_base::has_core_type) != 0) {
    c.core_type = a.core_type;
    c.max_threads_per_core = a.max_threads_per_core;
  }
  return c;
}

}  // namespace ashlar::inline v1::compat12

namespace tbb::detail::r1 {

using namespace ashlar::compat12;
using ashlar::sched::job;
using ashlar::sched::slot;
namespace mo = ashlar::mo;
namespace sched = ashlar::sched;

// [FA1] initialize, attach: the arena's address, release -> [FA2] use: acquire
static void keep(d1::task_arena_base& a, sched::arena& made) noexcept {
  a.max_concurrency = sched::arena_concurrency(made);
  a.made.store(reinterpret_cast<arena*>(&made), mo::release);  // [FA1]
}

ASHLAR_EXPORT void initialize(d1::task_arena_base& a) {
  sched::arena_settings settings;
  settings.where = constraints_of(a);
  settings.reserved = a.reserved_slots;
  settings.priority = std::clamp(a.priority / d1::task_arena_base::priority_step - 1, 0, 2);
  settings.fast_leave = (a.flags & d1::task_arena_base::fast_leave) != 0;
  keep(a, sched::make_arena(settings));
}

ASHLAR_EXPORT void terminate(d1::task_arena_base& a) {
  if (arena* const made = a.made.exchange(nullptr, mo::acq_rel)) {  // [FA2]
    sched::drop_arena(*reinterpret_cast<sched::arena*>(made));
  }
}

ASHLAR_EXPORT bool attach(d1::task_arena_base& a) {
  sched::arena* const made = sched::share_current_arena();
  if (made == nullptr) return false;
  sched::arena_settings const settings = sched::settings_of_arena(*made);
  a.reserved_slots = settings.reserved;
  a.priority = (settings.priority + 1) * d1::task_arena_base::priority_step;
  a.numa_id = settings.where.numa_id;
  if ((a.flags & d1::task_arena_base::has_core_type) != 0) {
    a.core_type = settings.where.core_type;
    a.max_threads_per_core = settings.where.max_threads_per_core;
  }
  if (settings.fast_leave) a.flags |= d1::task_arena_base::fast_leave;
  keep(a, *made);
  return true;
}

ASHLAR_EXPORT void execute(d1::task_arena_base& a, d1::delegate_base& function) {
  sched::call_in_arena(*made_arena(a), [&function] { function(); });
}

ASHLAR_EXPORT void wait(d1::task_arena_base& a) { sched::wait_until_empty(*made_arena(a)); }

// Null: of the calling thread's arena, or what an arena of its own would have.
ASHLAR_EXPORT int max_concurrency(d1::task_arena_base const* a) {
  if (a == nullptr) return sched::this_arena_concurrency();
  sched::arena* const made = made_arena(*a);
  if (made == nullptr) return sched::constrained_concurrency(constraints_of(*a));
  // The worker that has come for enqueued tasks counts itself.
  bool const inside = sched::current_slot != nullptr && &sched::current_slot->home() == made;
  return inside ? sched::this_arena_concurrency() : sched::arena_concurrency(*made);
}

// Regions with one name belong together; without a name each call is a region of its own.
ASHLAR_EXPORT void isolate_within_arena(d1::delegate_base& function, std::intptr_t name) {
  if (name == 0) {
    sched::isolation_scope const scope;
    function();
  } else {
    named_region_scope const scope(name);
    function();
  }
}

ASHLAR_EXPORT d1::slot_id execution_slot(d1::task_arena_base const& a) {
  slot const* const here = sched::current_slot;
  return here != nullptr && &here->home() == made_arena(a) ? static_cast<d1::slot_id>(here->position()) : d1::no_slot;
}

static sched::arena& arena_or_own(d1::task_arena_base const* a) {
  return a != nullptr ? *made_arena(*a) : sched::this_slot().home();
}
ASHLAR_EXPORT void enter_parallel_phase(d1::task_arena_base* a, std::uintptr_t) { sched::begin_phase(arena_or_own(a)); }
ASHLAR_EXPORT void exit_parallel_phase(d1::task_arena_base* a, std::uintptr_t) { sched::end_phase(arena_or_own(a)); }

ASHLAR_EXPORT void enqueue(d1::task& t, d1::task_group_context& group, d1::task_arena_base* a) {
  slot& here = sched::this_slot();
  use(group, here);
  sched::enqueue_job(arena_or_own(a), prepare(here, t, group), 1);
}
ASHLAR_EXPORT void enqueue(d1::task& t, d1::task_arena_base* a) { enqueue(t, no_group(), a); }

// A task from inside or outside of the arena, which runs before others' if it is critical.
ASHLAR_EXPORT void submit(d1::task& t, d1::task_group_context& group, arena* where, std::uintptr_t critical) {
  slot& here = sched::this_slot();
  use(group, here);
  job& j = prepare(here, t, group);
  auto& a = *reinterpret_cast<sched::arena*>(where);
  if (&here.home() != &a) return sched::enqueue_job(a, j, critical != 0 ? 2 : 1);
  if (critical != 0) return sched::spawn_urgent(here, j, here.child_key());
  here.spawn(j);
}

}  // namespace tbb::detail::r1
