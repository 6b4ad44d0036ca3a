// SPDX-License-Identifier: Apache-2.0
// parallel_deterministic_reduce: every part has a body of its own, taken back or stolen, so the tree of splits and
// joins depends on the range and the partitioner only.
#pragma once

#include <ashlar/algo/parallel_reduce.h>
#include <ashlar/sched/core/words_scope.h>

namespace ashlar {
inline namespace v1 {
namespace algo {

template <typename Range, typename Body>
class deterministic_work : public reduce_work<Range, Body> {
 public:
  static constexpr bool separate = true;
  using reduce_work<Range, Body>::reduce_work;
};

template <typename Range, typename Body, typename Partitioner>
void deterministic_in(sched::slot& s, sched::context& group, Range const& range, Body& body, Partitioner const&) {
  deterministic_work<Range, Body> work(group);
  body_share<Body> share(body);
  Range whole(range);
  if constexpr (std::is_same_v<Partitioner, tbb::static_partitioner>) {
    reduce_parts(s, work, whole, share);
  } else {
    reduce_root(s, work, whole, share, simple_partition());
  }
}

template <typename Range, typename Body, typename Partitioner>
void deterministic_reduce(Range const& range, Body& body, Partitioner const& partitioner) {
  check_reduce_body<Range, Body>();
  if (range.empty()) return;
  sched::slot& s = sched::this_slot();
  sched::words_scope const words(s);
  sched::context group(&s.group());
  deterministic_in(s, group, range, body, partitioner);
}
template <typename Range, typename Body, typename Partitioner>
void deterministic_reduce(Range const& range, Body& body, Partitioner const& partitioner,
                          tbb::task_group_context& context) {
  check_reduce_body<Range, Body>();
  if (range.empty()) return;
  sched::slot& s = sched::this_slot();
  sched::settings_scope const settings(s, context.use(s));
  deterministic_in(s, context.use(s), range, body, partitioner);
}

template <typename Range, typename Value, typename Accumulate, typename Combine, typename... Rest>
Value deterministic_values(Range const& range, Value const& identity, Accumulate const& accumulate,
                           Combine const& combine, Rest&&... partitioner_and_context) {
  check_reduce_functions<Range, Value, Accumulate, Combine>();
  value_body<Range, Value, Accumulate, Combine> body(identity, accumulate, combine);
  algo::deterministic_reduce(range, body, partitioner_and_context...);
  return std::move(body).result();
}

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
