// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/fork_join.h>

#include "obs/trace.h"
#include "sched/thread_data.h"

namespace ashlar::sched {

namespace {

fork_base& fork_of(wait_target const& target) noexcept {
  return *static_cast<fork_base*>(const_cast<void*>(target.object));
}

void wait_for_thief(slot& s, fork_base& f) noexcept {
  wait_target target{};
  target.address = &f.state;
  target.object = &f;
  target.thief = &f.thief;
  target.done = [](wait_target const& t) noexcept {
    return fork_of(t).state.load(mo::acquire) == fork_base::finished;  // [F2]
  };
  target.announce = [](wait_target const& t) noexcept {
    std::uint32_t expected = fork_base::pending;
    fork_base& waited = fork_of(t);
    // A sleeper that was woken for work finds its own announcement.
    return waited.state.compare_exchange(expected, fork_base::owner_sleeps, mo::acq_rel, mo::acquire) ||  // [F2]
           expected == fork_base::owner_sleeps;
  };
  s.wait(target);
}

// Takes the fork back, or returns false once a thief has finished it.
bool recover(slot& s, fork_base& f, job* popped) {
  while (popped != &f && popped != nullptr) {
    if (s.bottom() < f.at) {
      // A nested wait took the fork, and this job belongs to an enclosing frame: it goes back to its place.
      s.spawn(*popped, s.key());
      break;
    }
    // The first half left jobs of its own behind: they are newer and come first.
    s.run(popped, s.child_key());
    popped = s.pop();
  }
  if (popped == &f) return true;
  if (f.state.load(mo::acquire) != fork_base::finished) wait_for_thief(s, f);  // [F2]
  return false;
}

}  // namespace

void finish_fork(fork_base& f) noexcept {
  atomic<std::uint32_t>* const state = &f.state;
  if (state->exchange(fork_base::finished, mo::acq_rel) == fork_base::owner_sleeps) wake_waiters(state);  // [F1]
}

bool join_fork(slot& s, fork_base& f, job* popped) {
  if (recover(s, f, popped)) {
    if (s.cancelled(*f.group)) return false;
    if (!obs::tracing()) {
      if (s.attention_bits() & attention_observe) s.thread().counters.add(obs::counter::executed);
      return true;
    }
    s.run(&f, s.child_key());  // so that the trace has its beginning and end
  }
  obs::trace(obs::trace_event::join, &f);
  // If it failed, its exception is there, or a former one: this thread must not go on.
  f.group->rethrow();
  return false;
}

void fail_fork(slot& s, fork_base& f) {
  f.group->record_exception();
  recover(s, f, s.pop());
}

}  // namespace ashlar::sched
