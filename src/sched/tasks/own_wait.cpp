// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/tasks/own_wait.h>

#include "base/raise.h"

#include <ashlar/base/exceptions.h>

namespace ashlar::inline v1::sched {

namespace {

// From an algorithm's node to the group in which the algorithm was called: the algorithm waits for whoever asks.
context const* out_of_algorithms(context const* c) noexcept {
  while (c != nullptr && c->is_of_algorithm()) c = c->parent();
  return c;
}

bool waits_for_itself(slot const& s, context const& own) noexcept {
  if (!own.is_of_group()) return false;
  if (out_of_algorithms(&s.group()) == &own) return true;
  if (s.stacks() != nullptr) return false;  // the calls may be those of another stack
  for (arena_call const* c = s.call(); c != nullptr; c = c->outer) {
    if (out_of_algorithms(c->caller) == &own) return true;
  }
  return false;
}

}  // namespace

void refuse_own_wait(slot const& s, context const& own) {
  if (!waits_for_itself(s, own)) return;
  raise(tbb::unsafe_wait("tbb::task_group::wait: called by a task of the same group, which it would wait for"));
}

}  // namespace ashlar::inline v1::sched
