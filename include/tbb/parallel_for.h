// SPDX-License-Identifier: Apache-2.0
// parallel_for: a loop whose iterations may run in parallel, over a range or over indices.
#pragma once

#include <ashlar/algo/index_loop.h>
#include <ashlar/algo/parallel_for.h>
#include <ashlar/base/interface.h>
#include <tbb/blocked_range.h>
#include <tbb/partitioner.h>

namespace tbb {

/// parallel_for(range, body [, partitioner] [, context])
///
/// Calls body(r) for parts r that together are the range. The body is called through a const reference, by several
/// threads at once; it is not copied. An exception from the body or from splitting the range cancels the loop: parts
/// that have not started are dropped, and the first exception is rethrown when the others are over. Cancelling the
/// context does the same without an exception.
///
/// Cost: without thieves auto_partitioner calls the body about seventeen times; a part on offer costs about ten
/// nanoseconds. The default partitioner is auto_partitioner.
template <typename Range, typename Body>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::is_for_body<Body, Range>)
void parallel_for(Range const& range, Body const& body) {
  ashlar::algo::check_for_arguments<Range, Body>();
  auto_partitioner const partitioner;
  ashlar::algo::for_range(range, body, partitioner);
}
template <typename Range, typename Body, typename Partitioner,
          typename = ashlar::algo::enable_if_partitioner<Partitioner>>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::is_for_body<Body, Range>)
void parallel_for(Range const& range, Body const& body, Partitioner&& partitioner) {
  ashlar::algo::check_for_arguments<Range, Body>();
  ashlar::algo::for_range(range, body, partitioner);
}
template <typename Range, typename Body>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::is_for_body<Body, Range>)
void parallel_for(Range const& range, Body const& body, task_group_context& context) {
  ashlar::algo::check_for_arguments<Range, Body>();
  auto_partitioner const partitioner;
  ashlar::algo::for_range(range, body, partitioner, context);
}
template <typename Range, typename Body, typename Partitioner,
          typename = ashlar::algo::enable_if_partitioner<Partitioner>>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::is_for_body<Body, Range>)
void parallel_for(Range const& range, Body const& body, Partitioner&& partitioner, task_group_context& context) {
  ashlar::algo::check_for_arguments<Range, Body>();
  ashlar::algo::for_range(range, body, partitioner, context);
}

/// parallel_for(first, last [, step], f [, partitioner] [, context])
///
/// Calls f(i) for i = first, first + step, … below last. Index is an integer type or behaves like one. Throws
/// std::invalid_argument if step <= 0.
template <typename Index, typename F, typename = ashlar::algo::enable_if_loop_body<F>>
ASHLAR_REQUIRES(ashlar::algo::is_loop_index<Index>&& ashlar::algo::is_index_body<F, Index>)
void parallel_for(Index first, Index last, F const& f) {
  auto_partitioner const partitioner;
  ashlar::algo::for_index(first, last, static_cast<Index>(1), f, partitioner);
}
template <typename Index, typename F, typename Partitioner, typename = ashlar::algo::enable_if_partitioner<Partitioner>>
ASHLAR_REQUIRES(ashlar::algo::is_loop_index<Index>&& ashlar::algo::is_index_body<F, Index>)
void parallel_for(Index first, Index last, F const& f, Partitioner&& partitioner) {
  ashlar::algo::for_index(first, last, static_cast<Index>(1), f, partitioner);
}
template <typename Index, typename F, typename = ashlar::algo::enable_if_loop_body<F>>
ASHLAR_REQUIRES(ashlar::algo::is_loop_index<Index>&& ashlar::algo::is_index_body<F, Index>)
void parallel_for(Index first, Index last, F const& f, task_group_context& context) {
  auto_partitioner const partitioner;
  ashlar::algo::for_index(first, last, static_cast<Index>(1), f, partitioner, context);
}
template <typename Index, typename F, typename Partitioner, typename = ashlar::algo::enable_if_partitioner<Partitioner>>
ASHLAR_REQUIRES(ashlar::algo::is_loop_index<Index>&& ashlar::algo::is_index_body<F, Index>)
void parallel_for(Index first, Index last, F const& f, Partitioner&& partitioner, task_group_context& context) {
  ashlar::algo::for_index(first, last, static_cast<Index>(1), f, partitioner, context);
}
template <typename Index, typename F, typename = ashlar::algo::enable_if_loop_body<F>>
ASHLAR_REQUIRES(ashlar::algo::is_loop_index<Index>&& ashlar::algo::is_index_body<F, Index>)
void parallel_for(Index first, Index last, Index step, F const& f) {
  auto_partitioner const partitioner;
  ashlar::algo::for_index(first, last, step, f, partitioner);
}
template <typename Index, typename F, typename Partitioner, typename = ashlar::algo::enable_if_partitioner<Partitioner>>
ASHLAR_REQUIRES(ashlar::algo::is_loop_index<Index>&& ashlar::algo::is_index_body<F, Index>)
void parallel_for(Index first, Index last, Index step, F const& f, Partitioner&& partitioner) {
  ashlar::algo::for_index(first, last, step, f, partitioner);
}
template <typename Index, typename F>
ASHLAR_REQUIRES(ashlar::algo::is_loop_index<Index>&& ashlar::algo::is_index_body<F, Index>)
void parallel_for(Index first, Index last, Index step, F const& f, task_group_context& context) {
  auto_partitioner const partitioner;
  ashlar::algo::for_index(first, last, step, f, partitioner, context);
}
template <typename Index, typename F, typename Partitioner, typename = ashlar::algo::enable_if_partitioner<Partitioner>>
ASHLAR_REQUIRES(ashlar::algo::is_loop_index<Index>&& ashlar::algo::is_index_body<F, Index>)
void parallel_for(Index first, Index last, Index step, F const& f, Partitioner&& partitioner,
                  task_group_context& context) {
  ashlar::algo::for_index(first, last, step, f, partitioner, context);
}

// clang-format off: the compiler shows a twin's line
#if ASHLAR_CONSTRAINED
template <typename Range, typename Body, typename... Nothing, ashlar::algo::enable_if_nothing<Nothing...>* = nullptr>
void parallel_for(Range const&, Body const&, Nothing...) = delete;  // needs a Range, and a copyable body: body(range), const
template <typename Range, typename Body, typename Partitioner,
          typename = ashlar::algo::enable_if_partitioner<Partitioner>, typename... Nothing,
          ashlar::algo::enable_if_nothing<Nothing...>* = nullptr>
void parallel_for(Range const&, Body const&, Partitioner&&, Nothing...) = delete;  // needs a Range, and a copyable body(range)
template <typename Index, typename F, typename = ashlar::algo::enable_if_loop_body<F>, typename... Nothing,
          ashlar::algo::enable_if_nothing<Nothing...>* = nullptr>
void parallel_for(Index, Index, F const&, Nothing...) = delete;  // needs integers, and a body that is called as body(index), const
template <typename Index, typename F, typename Partitioner, typename = ashlar::algo::enable_if_partitioner<Partitioner>,
          typename... Nothing, ashlar::algo::enable_if_nothing<Nothing...>* = nullptr>
void parallel_for(Index, Index, F const&, Partitioner&&, Nothing...) = delete;  // needs integers, and a body: body(index), const
#endif
template <int = 0, typename First, typename Last, typename F, typename = ashlar::algo::enable_if_loop_body<F>,
          ashlar::algo::enable_if_mixed<First, Last>* = nullptr, typename... Nothing,
          ashlar::algo::enable_if_nothing<Nothing...>* = nullptr>
void parallel_for(First, Last, F const&, Nothing...) = delete;  // needs a first and a last index of one type, as std::size_t(0)
template <typename Range, typename Body, typename Other, ashlar::algo::enable_if_foreign<Range, Other>* = nullptr,
          typename... Nothing, ashlar::algo::enable_if_nothing<Nothing...>* = nullptr>
void parallel_for(Range const&, Body const&, Other&&, Nothing...) = delete;  // takes tbb's partitioners, affinity's not const
// clang-format on

}  // namespace tbb

// The names below the public surface that programs have used.
namespace tbb {
namespace strict_ppl {
using ::tbb::parallel_for;
}  // namespace strict_ppl
}  // namespace tbb

#include <tbb/detail/closure/loops.h>
