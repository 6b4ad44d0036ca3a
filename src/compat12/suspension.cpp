// SPDX-License-Identifier: Apache-2.0
// task::suspend and resume for foreign programs: their suspend points are the scheduler's left stacks.
#include "running.h"

#include <ashlar/base/stack_identity.h>
#include <ashlar/sched/arena/suspended_stack.h>

namespace tbb::detail::r1 {

using namespace ashlar::compat12;

namespace {

struct callback {
  void (*call)(void*, suspend_point_type*);
  void* user;
};

void call_on_other_stack(void* what, ashlar::sched::stack& left) {
  // The frame that `what` lies in goes on as soon as the user resumes it.
  callback const copy = *static_cast<callback*>(what);
  running* const of_this_stack = innermost();
  set_innermost(nullptr);
  copy.call(copy.user, reinterpret_cast<suspend_point_type*>(&left));
  set_innermost(of_this_stack);
}

}  // namespace

ASHLAR_EXPORT void suspend(void (*call)(void*, suspend_point_type*), void* user) {
  callback what{call, user};
  ashlar::sched::suspend_stack(&call_on_other_stack, &what);
}

ASHLAR_EXPORT void resume(suspend_point_type* point) {
  ashlar::sched::resume_stack(*reinterpret_cast<ashlar::sched::stack*>(point));
}

// Programs compare it only, to tell stacks apart.
ASHLAR_EXPORT suspend_point_type* current_suspend_point() {
  std::uintptr_t const stack = ashlar::stack_identity();
  return reinterpret_cast<suspend_point_type*>(
      stack != 0 ? stack : reinterpret_cast<std::uintptr_t>(&ashlar::sched::running_above));
}

}  // namespace tbb::detail::r1
