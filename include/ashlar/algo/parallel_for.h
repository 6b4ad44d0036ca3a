// SPDX-License-Identifier: Apache-2.0
// parallel_for over ranges and over indices.
#pragma once

#include <ashlar/algo/partition.h>
#include <ashlar/algo/partitioner.h>
#include <ashlar/algo/small_loop.h>
#include <ashlar/algo/static_loop.h>
#include <ashlar/base/invoke.h>
#include <ashlar/base/throw.h>
#include <ashlar/sched/core/fork_join.h>
#include <ashlar/sched/core/words_scope.h>
#include <ashlar/sched/tasks/task_group_context.h>

namespace ashlar {
inline namespace v1 {
namespace algo {

/// A body of the range form: copyable, callable through a const reference. A pointer to a member of the range is one.
template <typename Body, typename Range>
inline constexpr bool is_for_body =
    std::is_copy_constructible_v<std::decay_t<Body>> && std::is_invocable_v<Body const&, Range&>;

/// Tells in one sentence what is wrong with the arguments of a loop over a range.
template <typename Range, typename Body>
constexpr void check_for_arguments() {
  static_assert(is_range<Range>,
                "parallel_for: a range needs a copy constructor, empty(), is_divisible() and a splitting constructor "
                "range(range& whole, tbb::split)");
  static_assert(is_for_body<Body, Range>,
                "parallel_for: the body must be copyable and callable as body(range) through a const reference");
}

/// For the bounds of a loop: numbers of two types. Which one the index would have is not said.
template <typename First, typename Last>
using enable_if_mixed =
    std::enable_if_t<std::is_integral_v<First> && std::is_integral_v<Last> && !std::is_same_v<First, Last>>;

/// For what stands in the place of a partitioner and is none.
template <typename Range, typename P>
using enable_if_foreign =
    std::enable_if_t<is_range<Range> && !std::is_convertible_v<P&&, tbb::task_group_context&> &&
                     (!is_partitioner<std::remove_cv_t<std::remove_reference_t<P>>> ||
                      (std::is_same_v<std::remove_cv_t<std::remove_reference_t<P>>, tbb::affinity_partitioner> &&
                       !std::is_same_v<P, tbb::affinity_partitioner&>))>;

struct no_share {};

template <typename Range, typename Body>
class for_work {
 public:
  using range_type = Range;
  using share = no_share;
  static constexpr bool ordered = false;
  static constexpr bool separate = false;

  for_work(Body const& body, sched::context& group) noexcept : body_(body), group_(group) {}

  sched::context& group() noexcept { return group_; }
  atomic<small_loop_history::word>& history() const noexcept { return small_loop_of<for_work>(body_); }
  ASHLAR_ALWAYS_INLINE void leaf(Range& range, share&) { invoke(body_, range); }

 private:
  Body const& body_;
  sched::context& group_;
};

/// Prepares the partition of one execution by how the last ones went, and remembers how this one went.
class small_loop_memory {
 public:
  template <typename Range>
  small_loop_memory(atomic<small_loop_history::word>& of_loop, adaptive_partition& p, Range const& range) noexcept
      : of_loop_(of_loop), before_(of_loop.load(mo::relaxed)), bits_(length_bits(range)) {
    if (before_.expects_small(bits_)) p.expect_small();
    p.watch = &watch_;
  }
  ~small_loop_memory() { before_.remember(of_loop_, bits_, watch_.is_small); }
  small_loop_memory(small_loop_memory const&) = delete;
  small_loop_memory& operator=(small_loop_memory const&) = delete;

 private:
  atomic<small_loop_history::word>& of_loop_;
  small_loop_history const before_;
  unsigned const bits_;
  small_loop_watch watch_;
};

/// Runs one call of a range algorithm: the caller's traversal, then the wait.
template <typename Work, typename Partition>
void run_root(sched::slot& s, Work& work, typename Work::range_type& range, Partition partition) {
  root_join root;
  no_share share;
  sched::group_scope const scope(s, work.group());
  range_traversal<Work, Partition> first(s, work, root, share);
  if (std::int64_t const stolen = first.run_root(range, partition)) root.wait(s, stolen);
  if (ASHLAR_UNLIKELY(work.group().has_exception())) work.group().rethrow();
}

template <typename Work>
void run_adaptive(sched::slot& s, Work& work, typename Work::range_type& range) {
  adaptive_partition partition(s.can_share());
  if (!partition.sharing) return run_root(s, work, range, partition);
  small_loop_memory memory(work.history(), partition, range);
  run_root(s, work, range, partition);
}

template <typename Work>
void dispatch(sched::slot& s, Work& work, typename Work::range_type& range, tbb::auto_partitioner const&) {
  run_adaptive(s, work, range);
}
template <typename Work>
void dispatch(sched::slot& s, Work& work, typename Work::range_type& range, tbb::simple_partitioner const&) {
  run_root(s, work, range, simple_partition());
}
template <typename Work>
void dispatch(sched::slot& s, Work& work, typename Work::range_type& range, tbb::static_partitioner const&) {
  unsigned const threads = s.arena_size();
  if (threads < static_loop<Work>::fewest) return run_root(s, work, range, static_partition(threads));
  no_share share;
  static_loop<Work>(s, work, range, share).run(threads);
  if (ASHLAR_UNLIKELY(work.group().has_exception())) work.group().rethrow();
}
template <typename Work>
void dispatch(sched::slot& s, Work& work, typename Work::range_type& range, tbb::affinity_partitioner& p) {
  run_root(s, work, range, remembered_partition(s, p));
}

template <typename Range, typename Body, typename Partitioner>
void for_range(Range const& range, Body const& body, Partitioner& partitioner) {
  if (range.empty()) return;
  sched::slot& s = sched::this_slot();
  sched::words_scope const words(s);
  sched::context group(&s.group());
  for_work<Range, Body> work(body, group);
  Range whole(range);
  algo::dispatch(s, work, whole, partitioner);
}

template <typename Range, typename Body, typename Partitioner>
void for_range(Range const& range, Body const& body, Partitioner& partitioner, tbb::task_group_context& context) {
  if (range.empty()) return;
  sched::slot& s = sched::this_slot();
  sched::settings_scope const settings(s, context.use(s));
  for_work<Range, Body> work(body, context.use(s));
  Range whole(range);
  algo::dispatch(s, work, whole, partitioner);
}

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
