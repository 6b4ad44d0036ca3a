// SPDX-License-Identifier: Apache-2.0
// Running deferred tasks, and handing completions on. What holds them back: completion.cpp.
#include <ashlar/sched/arena/arena_handle.h>
#include <ashlar/sched/tasks/completion.h>

#include "sched/arena/arena.h"
#include "sched/core/running_task.h"
#include "sched/policy/job_kind.h"

#include <cstring>
#include <utility>

namespace ashlar::inline v1::sched {

// The thread's innermost deferred task. It is the innermost task of all if the running key is marked: every task that
// begins on top of it runs with a key of its own.
__thread deferred_job* running_deferred = nullptr;

namespace {

// The function tells what kind of task it is.
job_kind const deferred_jobs(&deferred_job::run_it, false, [](job& j) noexcept {
  void const* code;
  std::memcpy(&code, &static_cast<deferred_job&>(j).call, sizeof code);
  return code;
});

// Calls the task's function as the thread's innermost task. False if it threw.
bool call_marked(deferred_job& j, slot& here, deferred_job*& next) noexcept {
  deferred_job* const outer = std::exchange(running_deferred, &j);
  here.mark();
  bool returned = true;
  try {
    next = j.call(j);
  } catch (...) {
    j.group->record_exception();
    returned = false;
  }
  here.take_key(here.key());
  running_deferred = outer;
  return returned;
}

// The task is over: ends it and tells everybody. Returns what is ready because of that.
deferred_job* end(deferred_job& j, slot& here, std::uint32_t status) noexcept {
  completion* const node = j.node.load(mo::relaxed);
  group_counter& counter = *j.counter;
  slot* const by = j.by;
  j.drop(here, &j);
  deferred_job* const next = node != nullptr ? completion::complete(node, here, status) : nullptr;
  counter.finish(by, here);
  return next;
}

}  // namespace

job* deferred_job::run_it(job* self, slot& here) noexcept {
  auto& j = *static_cast<deferred_job*>(self);
  here.enter(*j.group);
  deferred_job* asked = nullptr;
  bool const done = !here.cancelled(j.group) && call_marked(j, here, asked);
  deferred_job* const ready = end(j, here, done ? completion::completed : completion::canceled);
  if (asked == nullptr) return ready;
  if (ready != nullptr) start_deferred(here, *ready);
  return asked;
}

void deferred_job::destroy() noexcept {
  slot& here = this_slot();
  if (deferred_job* const ready = end(*this, here, completion::canceled)) start_deferred(here, *ready);
}

void transfer_completion(deferred_job& to) {
  slot& s = this_slot();
  if (!s.marked()) return;  // nobody can have asked for the completion of any other kind of task
  running_deferred->give_completion(to);
}

void start_deferred(slot& here, deferred_job& j) noexcept {
  arena* const into = std::exchange(j.into, nullptr);
  try {
    if (into != nullptr) {
      enqueue_job(*into, j, 1);
    } else {
      here.spawn(j);
    }
  } catch (...) {
    here.run(&j, here.child_key());
  }
  if (into != nullptr) into->release();
}

void enqueue_deferred(arena& a, deferred_job& j) noexcept {
  a.retain();
  j.into = &a;
  if (j.release_handle()) start_deferred(this_slot(), j);
}

}  // namespace ashlar::inline v1::sched
