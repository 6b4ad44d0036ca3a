// SPDX-License-Identifier: Apache-2.0
// Protocol: README.md, 'Tasks that wait for tasks'.
#include <ashlar/sched/tasks/completion.h>
#include <ashlar/sched/tasks/continuation.h>

#include <ashlar/base/assert.h>

#include <utility>

namespace ashlar::inline v1::sched {

// One dependant of a node: a task, a node whose task gave its completion away, or what goes on after it.
struct completion::successor {
  successor* next = nullptr;
  deferred_job* task = nullptr;
  completion* carried = nullptr;
  continuation* waiting = nullptr;
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
  auto* const s = new successor;
  s->task = &task;
  task.holds.fetch_add(deferred_job::one_hold, mo::relaxed);
  if (hang_in(*s)) return;
  task.holds.fetch_sub(deferred_job::one_hold, mo::relaxed);  // the handle keeps it from zero
  delete s;
}

bool completion::precede(continuation& waiting) {
  auto* const s = new successor;
  s->waiting = &waiting;
  if (hang_in(*s)) return true;
  delete s;
  return false;
}

void completion::carry(completion& other) {
  auto* const s = new successor;
  s->carried = &other;
  bool const open = hang_in(*s);
  ASHLAR_ASSERT(open, "the task that takes over a completion has not been run");
  static_cast<void>(open);
}

completion::successor* completion::finish(std::uint32_t status) noexcept {
  // Whoever sees a successor start finds the status set.
  latch::set(end_, status);
  successor* const list = successors_.exchange(closed(), mo::acq_rel);  // [Y4]
  release();
  return list;
}

deferred_job* completion::complete(completion* first, slot& here, std::uint32_t status) noexcept {
  deferred_job* next = nullptr;
  bool awaited = first->awaited_.load(mo::relaxed);
  successor* todo = first->finish(status);
  while (todo != nullptr) {
    successor* const s = todo;
    todo = s->next;
    if (s->carried != nullptr) {
      // The dependants of the carried node join the list.
      awaited = s->carried->awaited_.load(mo::relaxed) || awaited;
      successor* more = s->carried->finish(status);
      while (more != nullptr) {
        successor* const after = more->next;
        more->next = todo;
        todo = more;
        more = after;
      }
    } else if (s->waiting != nullptr) {
      s->waiting->resume();
    } else {
      deferred_job& task = *s->task;
      std::uint32_t const left =
          task.holds.fetch_sub(deferred_job::one_hold, mo::acq_rel) - deferred_job::one_hold;  // [Y1]
      if (left == 1) {
        task.destroy();
      } else if (left == 0) {
        if (task.into != nullptr) {
          start_deferred(here, task);
        } else {
          if (next != nullptr) start_deferred(here, *next);
          next = &task;
        }
      }
    }
    delete s;
  }
  if (awaited && next != nullptr) start_deferred(here, *std::exchange(next, nullptr));
  return next;
}

void completion::wait(slot& s) noexcept {
  // Read by this thread, if it runs the task within the wait; others need not know.
  awaited_.store(true, mo::relaxed);
  s.wait(wait_until(&end_, "a deferred task", [this] { return end_.done(); }, [this] { return end_.announce(); }));
}

void deferred_job::abandon() noexcept {
  // As long as a predecessor will look at the task, that predecessor destroys it.
  bool const alone = holds.load(mo::acquire) == one_hold;            // [Y2]
  if (alone || holds.fetch_sub(1, mo::acq_rel) - 1 == 1) destroy();  // [Y1]: a hold goes, the mark comes
}

void deferred_job::give_completion(deferred_job& to) {
  completion* const mine = node.load(mo::relaxed);
  if (mine == nullptr) return;
  completion* theirs = nullptr;
  if (!to.node.compare_exchange(theirs, mine, mo::acq_rel, mo::acquire)) theirs->carry(*mine);  // [Y3]
  node.store(nullptr, mo::relaxed);
}

completion& deferred_job::shared_node() {
  completion* known = node.load(mo::acquire);  // [Y3]
  if (known != nullptr) return *known;
  auto* const made = new completion;
  if (node.compare_exchange(known, made, mo::acq_rel, mo::acquire)) return *made;  // [Y3]
  made->release();
  return *known;
}

}  // namespace ashlar::inline v1::sched
