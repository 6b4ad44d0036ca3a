// SPDX-License-Identifier: Apache-2.0
// Running classic tasks. The loops here are the only ones that know more of a job than its entry point: a task that
// this thread spawned and takes back needs neither a new frame nor a look at its context.
#include <ashlar/sched/arena/arena_handle.h>
#include <ashlar/sched/core/words_scope.h>
#include <ashlar/sched/tasks/affinity.h>
#include <ashlar/sched/tasks/classic_task.h>

#include "base/sanitized_program.h"
#include "sched/arena/arena.h"
#include "sched/core/observed.h"
#include "sched/tasks/child_count.h"

#include <cstring>
#include <new>
#include <utility>

namespace ashlar::inline v1::sched {

namespace {

using tbb::task;

// The virtual table of a task's class tells what kind of task it is.
void const* table_of(job& j) noexcept {
  void const* table;
  std::memcpy(&table, static_cast<void const*>(static_cast<task_prefix*>(&j) + 1), sizeof table);
  return table;
}

// A task tells the trace of itself, and so do those that follow it directly. When it is over, its parent may go on: a
// continuation that nobody spawns.
job_kind const classic_tasks(&run_classic, true, table_of,
                             [](job& j) noexcept -> job const* { return static_cast<task_prefix&>(j).parent; });

// Runs the task between its beginning and its end in the trace. Returns its successor.
task* run_traced(task_prefix& t) noexcept {
  write_begin(t);
  task* successor = nullptr;
  try {
    successor = t.object().execute();
  } catch (...) {
    t.group->record_exception();
  }
  if (successor != nullptr) trace_spawn(prefix_of(successor));
  obs::trace(obs::trace_event::end, &t);
  return successor;
}

// Something is on that costs a look at each task: a cancelled context, statistics, or a trace. True if the task is not
// to be run, because it is cancelled, or was run here; then `successor` is what it returned.
ASHLAR_NOINLINE bool run_watched(slot& s, task_prefix& t, task*& successor) noexcept {
  if (s.attention_bits() & attention_observe) s.thread().counters.add(obs::counter::executed);
  tsan::acquire_there(&t);
  if (s.cancelled(t.group)) return true;
  if (!obs::tracing() && !tsan::watches_program()) return false;
  task_prefix* const parent = t.parent;
  successor = run_traced(t);
  if (parent != nullptr) tsan::release_there(parent);
  if (successor != nullptr) tsan::release_there(&prefix_of(successor));
  return true;
}

void tell_affinity(slot& s, task_prefix& t) noexcept {
  if (s.cancelled(t.group)) return;
  try {
    t.object().note_affinity(static_cast<std::uint16_t>(s.position() + 1));
  } catch (...) {
    t.group->record_exception();
  }
}

// A task with flags or an affinity is taken from the own deque or follows its predecessor directly.
ASHLAR_NOINLINE void settle(slot& s, task_prefix& t) noexcept {
  t.flags = 0;
  if (t.affinity != 0 && t.affinity != s.position() + 1) tell_affinity(s, t);
}

// Runs a task of another group, or in other floating-point settings, which slot::run undoes.
ASHLAR_NOINLINE void run_apart(slot& s, task_prefix& t) noexcept {
  t.spawner = static_cast<std::uint16_t>(s.position());
  trace_spawn(t);
  s.run(&t, t.key(s));
}

// A task whose count reached 0 is ready. Returns what runs next.
task_prefix* start_ready(slot& s, task_prefix& t, task_prefix* next) noexcept {
  if (t.flags & task_prefix::to_be_enqueued) {
    t.state = task::ready;
    enqueue_classic(t, 1);
    return next;
  }
  if (next == nullptr && (t.affinity == 0 || t.affinity == s.position() + 1)) {
    t.state = task::ready;
    return &t;
  }
  try {
    spawn_classic(s, t, task::ready);
  } catch (std::bad_alloc const&) {
    // The deque can't grow: the task runs now, before the other one.
    run_apart(s, t);
  }
  return next;
}

// The parent's count came down to 0 or a waiter sleeps on it.
ASHLAR_NOINLINE task_prefix* parent_due(slot& s, task_prefix& parent, std::int64_t left, task_prefix* next) noexcept {
  if (task_prefix::count_of(left) == 0) return start_ready(s, parent, next);
  notify_waiter(parent, left);
  return next;
}

// The task asked to be kept.
ASHLAR_NOINLINE task_prefix* keep(slot& s, task_prefix& t, task_prefix* next) noexcept {
  switch (t.state) {
    case task::recycle:
    case task::to_enqueue: {
      t.flags = t.state == task::recycle ? std::uint16_t{0} : std::uint16_t{task_prefix::to_be_enqueued};
      t.state = task::allocated;
      // A task that never set its count has nothing to wait for.
      std::int64_t const count = t.references.load(mo::acquire);  // [K4]
      if (count == 0) return start_ready(s, t, next);
      if (t.references.fetch_sub(1, mo::acq_rel) == 1) return start_ready(s, t, next);  // [K4]
      return next;
    }
    case task::reexecute:
      t.flags = 0;
      t.state = task::allocated;
      return start_ready(s, t, next);
    default:
      ASHLAR_ASSERT(t.state == task::allocated, "a task that was spawned must not be executing, nor be returned");
      return next;
  }
}

// The end of a child. Returns what follows `next` directly, or in its place.
ASHLAR_ALWAYS_INLINE task_prefix* finish_child(slot& s, task_prefix& parent, task_prefix const* waiting,
                                               task_prefix* next) noexcept {
  bool const own_wait = &parent == waiting && ASHLAR_LIKELY(!parent.group->waited_for_by_several());
  std::int64_t const left = end_of_child(parent.references, own_wait);
  if (ASHLAR_LIKELY(left > 0)) return next;
  if (left == 0 && next == nullptr && ASHLAR_LIKELY(!parent.special())) return &parent;
  return parent_due(s, parent, left, next);
}

// Runs the task and does what its end asks for. Returns the task that follows directly, or null. `waiting` is the task
// that waits in the caller's frame, or null.
ASHLAR_ALWAYS_INLINE task_prefix* execute(slot& s, task_prefix& t, task_prefix const* waiting) noexcept {
  t.state = task::executing;
  task* successor = nullptr;
  if (ASHLAR_LIKELY((s.attention_bits() & (attention_cancel | attention_observe)) == 0) ||
      !run_watched(s, t, successor)) {
    try {
      successor = t.object().execute();
    } catch (...) {
      t.group->record_exception();
      successor = nullptr;
    }
  }
  task_prefix* next = successor != nullptr ? &prefix_of(successor) : nullptr;
  if (ASHLAR_UNLIKELY(t.state != task::executing)) {
    if (t.state != task::allocated) next = keep(s, t, next);
  } else {
    task_prefix* const parent = t.parent;
    t.object().~task();
    release_task(s, t);
    if (parent != nullptr) next = finish_child(s, *parent, waiting, next);
  }
  return next;
}

// Runs a task of the current group, whose key is `key`, and its direct successors in the frame of the caller, which
// restores the slot's state. A successor of another group gets a frame of its own.
ASHLAR_ALWAYS_INLINE void execute_chain(slot& s, task_prefix* t, job_key key, task_prefix const* waiting) noexcept {
  for (;;) {
    s.begin(t, key);
    t = execute(s, *t, waiting);
    if (t == nullptr) return;
    if (ASHLAR_UNLIKELY(t->special())) settle(s, *t);
    if (ASHLAR_UNLIKELY(t->group != &s.group())) return run_apart(s, *t);
    key = t->key(s);
  }
}

// Takes back what was spawned above `base` and runs it, until `waiting` (may be null) has no children any more. True if
// it stopped for that, false if nothing is left.
ASHLAR_ALWAYS_INLINE bool drain(slot& s, slot::index base, task_prefix const* waiting) noexcept {
  for (;;) {
    if (waiting != nullptr && waiting->count() <= 1) return true;
    if (s.bottom() <= base) return false;
    if (ASHLAR_UNLIKELY(s.attention_bits() & attention_urgent)) s.run_urgent();
    job_key key;
    job* const what = s.pop(key);
    if (what == nullptr) return false;
    auto* const t = static_cast<task_prefix*>(what);
    if (ASHLAR_UNLIKELY(what->run != &run_classic) || ASHLAR_UNLIKELY(t->group != &s.group())) {
      s.run(what, key);
      continue;
    }
    s.keep_jobs();
    if (ASHLAR_UNLIKELY(t->special())) settle(s, *t);
    execute_chain(s, t, key, waiting);
  }
}

// Waits for what other threads do.
ASHLAR_NOINLINE void wait_for_others(slot& s, task_prefix& waiting) noexcept {
  // In the word that the children count down: whichever of the two comes later sees the other.
  auto const announce = [&waiting] {
    return task_prefix::count_of(waiting.references.fetch_or(task_prefix::waiter_sleeps, mo::relaxed)) > 1;
  };
  s.wait(wait_until(
      &waiting, "the children of a classic task", [&waiting] { return waiting.count() <= 1; }, announce,
      &waiting.thief));
}

// The end of a wait in a group to which something has happened.
ASHLAR_NOINLINE void finish_unusual(slot& s, task_prefix& waiting) {
  context& group = *waiting.group;
  if (!group.waited_for_by_several()) waiting.references.store(0, mo::relaxed);
  // Once the whole tree of a thread's outermost wait is over, the thread's own group starts afresh.
  struct fresh_start {
    context& c;
    bool due;
    ~fresh_start() {
      if (due) c.reset();
    }
  } at_end{group, &group == &s.root() && s.task() == nullptr};
  group.rethrow();
}

// A root's parent while it is waited for. A class of its own, lest the compiler take empty_task's execute() for the
// only one there is and test for it at each call.
struct root_parent : task {
  task* execute() override { return nullptr; }
};

struct root_frame {
  root_frame(slot& s, task_prefix& first, int n) noexcept {
    auto* const p = new (prefix) task_prefix(nullptr, first.group, depth_of(s.key()), nullptr, 0, task::allocated);
    p->references.store(n + 1, mo::relaxed);
  }
  task_prefix& get() noexcept { return *reinterpret_cast<task_prefix*>(prefix); }

  alignas(task_prefix) unsigned char prefix[sizeof(task_prefix)];
  root_parent object;
};
static_assert(sizeof(root_frame) == 2 * sizeof(task_prefix), "the object lies directly behind the prefix");

}  // namespace

job* run_classic(job* self, slot& here) noexcept {
  auto* const first = static_cast<task_prefix*>(self);
  bool const enqueued = (first->flags & task_prefix::enqueued) != 0;
  bool const stolen = !enqueued && first->spawner != here.position();
  first->flags =
      static_cast<std::uint16_t>((stolen ? task_prefix::stolen : 0) | (enqueued ? task_prefix::enqueued : 0));
  if (stolen && first->parent != nullptr) first->parent->thief.store(here.position(), mo::relaxed);
  if (stolen || (first->affinity != 0 && first->affinity != here.position() + 1)) tell_affinity(here, *first);
  // slot::run counts this call by itself.
  if (here.attention_bits() & attention_observe) here.thread().counters.add(obs::counter::executed, ~std::uint64_t{0});
  slot::index const base = here.base();
  void* const outer = here.task();
  first->group->mix();
  here.enter(*first->group);
  execute_chain(here, first, here.key(), nullptr);
  drain(here, base, nullptr);
  here.return_to(outer);
  return nullptr;
}

void wait_for_children(task_prefix& waiting, task_prefix* first) {
  slot& s = this_slot();
  slot::index const base = s.base();
  job_key const key = s.key();
  void* const outer = s.task();
  // Code outside of all tasks may have changed the thread's words.
  if (outer == nullptr && s.may_have_other_words() && !s.has_words_of_bodies()) {
    words_scope const words(s);
    return wait_for_children(waiting, first);
  }
  if (first != nullptr) {
    if (ASHLAR_UNLIKELY(first->special())) settle(s, *first);
    if (ASHLAR_LIKELY(first->group == &s.group())) {
      s.keep_jobs();
      execute_chain(s, first, first->key(s), &waiting);
    } else {
      run_apart(s, *first);
    }
  }
  bool const over = drain(s, base, &waiting);
  s.keep_jobs(base);
  s.begin(outer, key);
  if (ASHLAR_UNLIKELY(!over)) wait_for_others(s, waiting);
  if (ASHLAR_UNLIKELY(waiting.group->unusual())) return finish_unusual(s, waiting);
  waiting.references.store(0, mo::relaxed);
}

void run_root_and_wait(task_prefix& root) {
  root_frame frame(this_slot(), root, 1);
  root.parent = &frame.get();
  wait_for_children(frame.get(), &root);
}

void run_roots_and_wait(task_prefix& first, int n) {
  slot& s = this_slot();
  root_frame frame(s, first, n);
  for (task_prefix* t = &first; t != nullptr; t = t->next) t->parent = &frame.get();
  task_prefix* rest = first.next;
  if (rest != nullptr) {
    task_prefix** end = &rest;
    try {
      spawn_list(rest, end);
    } catch (std::bad_alloc const&) {
      // Memory ran out: these run here, one after the other.
      while (rest != nullptr) run_apart(s, *std::exchange(rest, rest->next));
    }
  }
  wait_for_children(frame.get(), &first);
}

void spawn_list(task_prefix*& first, task_prefix**& end) {
  slot& s = this_slot();
  task_prefix* last_first = nullptr;
  while (first != nullptr) {
    task_prefix* const t = std::exchange(first, first->next);
    t->next = last_first;
    last_first = t;
  }
  end = &first;
  while (last_first != nullptr) {
    task_prefix* const after = last_first->next;
    try {
      spawn_classic(s, *last_first, task::ready);
    } catch (...) {
      for (task_prefix* t = last_first; t != nullptr;) {
        task_prefix* const next = t->next;
        t->state = task::allocated;
        t->next = first;
        if (first == nullptr) end = &t->next;
        first = t;
        t = next;
      }
      throw;
    }
    last_first = after;
  }
}

void enqueue_classic(task_prefix& t, int priority) {
  t.flags = task_prefix::enqueued;
  this_slot().enqueue(t, priority);
}

void enqueue_classic(task_prefix& t, arena_holder& where, int priority) {
  t.flags = task_prefix::enqueued;
  enqueue_job(where.get(), t, priority);
}

void notify_waiter(task_prefix& waiting, std::int64_t left) noexcept {
  if (left < 0 && task_prefix::count_of(left) <= 1) wake_waiters(&waiting);
}

void release_foreign_task(task_prefix& t) noexcept {
  std::size_t const size = (t.size_class + std::size_t{1}) * task_pool::granule;
  this_slot().pool().release(&t, size, t.home);
}

void spawn_specially(slot& s, task_prefix& t) {
  bool const foreign = (t.flags & task_prefix::foreign) != 0;
  t.flags = 0;
  t.spawner = static_cast<std::uint16_t>(s.position());
  int const priority = foreign ? t.group->priority() : 2;
  if (foreign && priority != s.group().priority()) {
    if (priority == 3) return spawn_urgent(s, t, t.key(s));
    // In an isolated region nobody but the region's threads might take it.
    if (priority == 1 && s.isolation() == 0) return spawn_deferred(s, t);
  }
  if (t.affinity == 0) return s.spawn(t, t.key(s));
  spawn_to(s, t, t.key(s), t.affinity - 1u);
}

}  // namespace ashlar::inline v1::sched
