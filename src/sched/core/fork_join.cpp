// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/core/fork_join.h>

#include "obs/trace.h"
#include "sched/core/observed.h"
#include "sched/core/thread_data.h"

namespace ashlar::inline v1::sched {

namespace {

void wait_for_thief(slot& s, fork_base& f) noexcept {
  s.wait(wait_until(
      &f.end, "work that another thread took", [&f] { return f.end.done(); }, [&f] { return f.end.announce(); },
      &f.thief, &f));
}

// Takes the fork back, or returns false once a thief has finished it.
bool recover(slot& s, fork_base& f, job* popped) {
  while (popped != &f && popped != nullptr) {
    job_key key;
    if (s.popped_from(*popped, key) < f.at) {
      // A nested wait took the fork, and this job belongs to an enclosing frame: it goes back to its place. To run it
      // here would bring it into an isolated region of this frame, where it might wait for what the region is to do.
      spawn_again(s, *popped, respawned_key(key));
      break;
    }
    // The first half left jobs of its own behind: they are newer and come first.
    s.run(popped, s.child_key());
    popped = s.pop();
  }
  if (popped == &f) return true;
  if (!f.end.done()) wait_for_thief(s, f);
  return false;
}

}  // namespace

void finish_fork(fork_base& f) noexcept { latch::set(f.end); }

bool join_fork(slot& s, fork_base& f, job* popped) {
  if (recover(s, f, popped)) {
    if (s.cancelled(f.group)) return false;
    if (!obs::tracing()) {
      if (s.attention_bits() & attention_observe) s.thread().counters.add(obs::counter::executed);
      return true;
    }
    s.run(&f, s.child_key());  // so that the trace has its beginning and end
  }
  obs::trace(obs::trace_event::join, &f);
  // If the fork failed, the group has its exception or an earlier one: this thread must not go on.
  f.group->rethrow();
  return false;
}

void fail_fork(slot& s, fork_base& f) {
  f.group->record_exception();
  recover(s, f, s.pop());
}

}  // namespace ashlar::inline v1::sched
