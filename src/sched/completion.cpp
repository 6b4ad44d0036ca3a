// SPDX-License-Identifier: Apache-2.0
// Protocol: README.md, 'Tasks that wait for tasks'.
#include <ashlar/sched/completion.h>

#include "sched/running_task.h"

#include <ashlar/base/assert.h>

#include <new>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace sched {

// It is the innermost task of all if the running key is marked: every task that begins on top of it runs with a key of
// its own.
__thread deferred_job* running_deferred = nullptr;

// One dependant of a node: a task, or a node whose task gave its completion away.
struct completion::successor {
  successor* next;
  deferred_job* task;
  completion* carried;
};

completion::successor* completion::closed() noexcept {
  static successor mark{};
  return &mark;
}

bool completion::hang_in(successor& s) noexcept {
  successor* head = successors_.load(mo::acquire);  // [Y3]
  do {
    if (head == closed()) return false;
    s.next = head;
  } while (!successors_.compare_exchange(head, &s, mo::release, mo::acquire));  // [Y3]
  return true;
}

void completion::precede(deferred_job& task) {
  auto* const s = new successor{nullptr, &task, nullptr};
  task.holds.fetch_add(deferred_job::one_hold, mo::relaxed);
  if (hang_in(*s)) return;
  task.holds.fetch_sub(deferred_job::one_hold, mo::relaxed);  // the handle keeps it from zero
  delete s;
}

void completion::carry(completion& other) {
  auto* const s = new successor{nullptr, nullptr, &other};
  bool const open = hang_in(*s);
  ASHLAR_ASSERT(open, "the task that takes over a completion has not been run");
  static_cast<void>(open);
}

completion::successor* completion::finish(std::uint32_t status) noexcept {
  // Whoever sees a successor start finds the status set.
  bool const sleeper = state_.exchange(status, mo::acq_rel) & waiter_sleeps;  // [Y5]
  successor* const list = successors_.exchange(closed(), mo::acq_rel);        // [Y4]
  if (sleeper) wake_waiters(this);
  release();
  return list;
}

deferred_job* completion::complete(completion* first, slot& here, std::uint32_t status) noexcept {
  deferred_job* next = nullptr;
  successor* todo = first->finish(status);
  while (todo != nullptr) {
    successor* const s = todo;
    todo = s->next;
    if (s->carried != nullptr) {
      // Its dependants join the list.
      successor* more = s->carried->finish(status);
      while (more != nullptr) {
        successor* const after = more->next;
        more->next = todo;
        todo = more;
        more = after;
      }
    } else {
      deferred_job& task = *s->task;
      std::uint32_t const left =
          task.holds.fetch_sub(deferred_job::one_hold, mo::acq_rel) - deferred_job::one_hold;  // [Y1]
      if (left == 1) {
        task.destroy();
      } else if (left == 0) {
        if (next != nullptr) start_deferred(here, *next);
        next = &task;
      }
    }
    delete s;
  }
  return next;
}

bool completion::announce() noexcept {
  std::uint32_t expected = pending;
  return state_.compare_exchange(expected, waiter_sleeps, mo::acq_rel, mo::acquire) ||  // [Y5] [Y6]
         expected == waiter_sleeps;
}

void completion::wait(slot& s) noexcept {
  wait_target target{};
  target.address = this;
  target.object = this;
  target.done = [](wait_target const& t) noexcept {
    return static_cast<completion const*>(t.object)->status() != pending;
  };
  target.announce = [](wait_target const& t) noexcept {
    return static_cast<completion*>(const_cast<void*>(t.object))->announce();
  };
  s.wait(target);
}

namespace {

// Calls the task's function as the thread's innermost task. False if it threw.
bool call_marked(deferred_job& j, slot& here, deferred_job*& next) noexcept {
  deferred_job* const outer = std::exchange(running_deferred, &j);
  here.key_ |= key_marked;
  bool returned = true;
  try {
    next = j.call(j);
  } catch (...) {
    j.group->record_exception();
    returned = false;
  }
  here.key_ = running_key(here.key_);
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
  bool const done = !here.cancelled(*j.group) && call_marked(j, here, asked);
  deferred_job* const ready = end(j, here, done ? completion::completed : completion::canceled);
  if (asked == nullptr) return ready;
  if (ready != nullptr) start_deferred(here, *ready);
  return asked;
}

void deferred_job::abandon() noexcept {
  // As long as a predecessor will look at the task, that one destroys it.
  bool const alone = holds.load(mo::acquire) == one_hold;            // [Y2]
  if (alone || holds.fetch_sub(1, mo::acq_rel) - 1 == 1) destroy();  // [Y1]: a hold goes, the mark comes
}

void deferred_job::destroy() noexcept {
  slot& here = this_slot();
  if (deferred_job* const ready = end(*this, here, completion::canceled)) start_deferred(here, *ready);
}

completion& deferred_job::shared_node() {
  completion* known = node.load(mo::acquire);  // [Y3]
  if (known != nullptr) return *known;
  auto* const made = new completion;
  if (node.compare_exchange(known, made, mo::acq_rel, mo::acquire)) return *made;  // [Y3]
  made->release();
  return *known;
}

void transfer_completion(deferred_job& to) {
  slot& s = this_slot();
  if ((s.key_ & key_marked) == 0) return;  // nobody can have asked for the completion of any other kind of task
  completion* const mine = running_deferred->node.load(mo::relaxed);
  if (mine == nullptr) return;
  completion* theirs = nullptr;
  if (!to.node.compare_exchange(theirs, mine, mo::acq_rel, mo::acquire)) theirs->carry(*mine);  // [Y3]
  running_deferred->node.store(nullptr, mo::relaxed);
}

void start_deferred(slot& here, deferred_job& j) noexcept {
  try {
    here.spawn(j);
  } catch (...) {
    here.run(&j, here.key_ + 1);
  }
}

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
