// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/tasks/d1_task.h>

#include "sched/core/observed.h"
#include "sched/core/running_task.h"

#include <ashlar/sched/tasks/affinity.h>

namespace ashlar::inline v1::sched {

namespace d1 = tbb::detail::d1;

__thread d1::task* running_d1 = nullptr;

// What the scheduler does with a task's private part.
struct d1_dispatch {
  static job& prepare(slot& s, d1::task& t, tbb::task_group_context& group, d1::slot_id affinity) noexcept {
    auto& l = t.link_;
    l.run = &run_it;
    l.context = &group;
    l.spawner = static_cast<d1::slot_id>(s.position());
    l.affinity = affinity;
    return l;
  }

  // The task, and those that it and its successors return: they run in its group.
  static job* run_it(job* self, slot& here) noexcept {
    auto const& first = *static_cast<d1::task::link*>(self);
    d1::execution_data data{first.context, first.spawner, first.affinity};
    context& group = data.context->use(here);
    here.enter(group);
    d1::task* const outer = running_d1;
    d1::task* t = first.self;
    do {
      running_d1 = t;
      t = step(here, *t, group, data);
      data.original_slot = static_cast<d1::slot_id>(here.position());
      data.affinity_slot = d1::no_slot;
    } while (t != nullptr);
    running_d1 = outer;
    return nullptr;
  }

  static d1::task* step(slot& here, d1::task& t, context& group, d1::execution_data& data) noexcept {
    if (!here.cancelled(group)) {
      try {
        return t.execute(data);
      } catch (...) {
        group.record_exception();
      }
    }
    return t.cancel(data);
  }

  // The virtual table tells what kind of task it is.
  static void const* table_of(job& j) noexcept {
    void const* table;
    __builtin_memcpy(&table, static_cast<void const*>(static_cast<d1::task::link&>(j).self), sizeof table);
    return table;
  }

  static void wait(d1::wait_context& count, slot& s) noexcept { count.count_.wait(s); }
};

static job_kind const d1_tasks(&d1_dispatch::run_it, false, &d1_dispatch::table_of);

void spawn_d1(d1::task& t, tbb::task_group_context& group, d1::slot_id affinity) {
  slot& s = this_slot();
  group.use(s);
  job& j = d1_dispatch::prepare(s, t, group, affinity);
  if (affinity == d1::no_slot || affinity == d1::any_slot) return s.spawn(j);
  spawn_to(s, j, s.child_key(), affinity);
}

void wait_d1(d1::task* first, tbb::task_group_context* group, d1::wait_context& count,
             tbb::task_group_context& waiting) {
  slot& s = this_slot();
  context& node = waiting.use(s);
  if (first != nullptr) {
    group->use(s);
    job& j = d1_dispatch::prepare(s, *first, *group, d1::no_slot);
    trace_spawn(j);
    s.run(&j, s.child_key());
  }
  d1_dispatch::wait(count, s);
  node.rethrow();
}

d1::slot_id current_slot_index() noexcept {
  return current_slot != nullptr ? static_cast<d1::slot_id>(current_slot->position()) : d1::no_slot;
}

d1::task* current_d1_task() noexcept { return running_d1; }

}  // namespace ashlar::inline v1::sched
