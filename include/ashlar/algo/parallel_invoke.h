// SPDX-License-Identifier: Apache-2.0
// parallel_invoke: a right-leaning chain of fork-joins in one group. With n functors n-1 jobs are offered; what nobody
// steals runs in the caller, in order.
#pragma once

#include <ashlar/sched/core/fork_join.h>
#include <ashlar/sched/core/words_scope.h>
#include <ashlar/sched/tasks/task_group_context.h>

namespace ashlar {
inline namespace v1 {
namespace algo {

template <typename F>
ASHLAR_ALWAYS_INLINE void invoke_all(sched::slot&, sched::context&, F const& f) {
  f();
}

template <typename F, typename... Rest>
ASHLAR_ALWAYS_INLINE void invoke_all(sched::slot& s, sched::context& group, F const& f, Rest const&... rest) {
  sched::fork_join(s, group, f, [&] { invoke_all(sched::this_slot(), group, rest...); });
}

template <typename F, typename G>
ASHLAR_ALWAYS_INLINE void invoke_all(sched::slot& s, sched::context& group, F const& f, G const& g) {
  sched::fork_join(s, group, f, g);
}

template <typename... F>
ASHLAR_ALWAYS_INLINE void invoke_in(sched::slot& s, sched::context& group, F const&... f) {
  sched::group_scope scope(s, group);
  if (ASHLAR_UNLIKELY(s.cancelled(group))) return;
  ASHLAR_TRY { invoke_all(s, group, f...); }
  ASHLAR_CATCH_ALL {
    group.record_exception();
    group.rethrow();  // the first one
    ASHLAR_RETHROW;   // a thread that shares the context is recording the first one
  }
}

// The functions run with other floating-point words than the caller's.
template <typename... F>
ASHLAR_COLD void invoke_with_other_words(sched::slot& s, F const&... f) {
  sched::words_scope const words(s);
  sched::context group(&s.group());
  invoke_in(s, group, f...);
}

template <typename... F>
ASHLAR_ALWAYS_INLINE void parallel_invoke(F const&... f) {
  sched::slot& s = sched::this_slot();
  if (s.may_have_other_words()) return invoke_with_other_words(s, f...);
  sched::context group(&s.group());
  invoke_in(s, group, f...);
}

template <typename... F>
void parallel_invoke(tbb::task_group_context& context, F const&... f) {
  sched::slot& s = sched::this_slot();
  sched::settings_scope const settings(s, context.use(s));
  invoke_in(s, context.use(s), f...);
}

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
