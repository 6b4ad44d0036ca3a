// SPDX-License-Identifier: Apache-2.0
// parallel_reduce and parallel_deterministic_reduce.
#pragma once

#include <ashlar/algo/deterministic_reduce.h>
#include <ashlar/algo/parallel_reduce.h>
#include <ashlar/base/interface.h>
#include <tbb/blocked_range.h>
#include <tbb/partitioner.h>

namespace tbb {

/// parallel_reduce(range, body [, partitioner] [, context])
///
/// Calls body(r) for parts r of the range from left to right; a part that another thread works on gets a body of its
/// own by Body(body, split()), which body.join(other) adds when both are done. So the operation need be associative
/// only, not commutative; how the parts are cut varies from run to run. Splitting a body runs beside operator() of the
/// original. Exceptions and cancellation as for parallel_for; the body then holds a part of the result.
template <typename Range, typename Body>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::is_reduce_body<Body, Range>)
void parallel_reduce(Range const& range, Body& body) {
  auto_partitioner const partitioner;
  ashlar::algo::reduce(range, body, partitioner);
}
template <typename Range, typename Body, typename Partitioner,
          typename = ashlar::algo::enable_if_partitioner<Partitioner>>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::is_reduce_body<Body, Range>)
void parallel_reduce(Range const& range, Body& body, Partitioner&& partitioner) {
  ashlar::algo::reduce(range, body, partitioner);
}
template <typename Range, typename Body>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::is_reduce_body<Body, Range>)
void parallel_reduce(Range const& range, Body& body, task_group_context& context) {
  auto_partitioner const partitioner;
  ashlar::algo::reduce(range, body, partitioner, context);
}
template <typename Range, typename Body, typename Partitioner,
          typename = ashlar::algo::enable_if_partitioner<Partitioner>>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::is_reduce_body<Body, Range>)
void parallel_reduce(Range const& range, Body& body, Partitioner&& partitioner, task_group_context& context) {
  ashlar::algo::reduce(range, body, partitioner, context);
}

/// parallel_reduce(range, identity, accumulate, combine [, partitioner] [, context])
///
/// accumulate(r, value) returns value grown by the part r; combine(left, right) joins two values. Values are moved from
/// call to call. Returns the result.
template <typename Range, typename Value, typename Accumulate, typename Combine,
          typename = ashlar::algo::enable_if_loop_body<Combine>>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::reduces_values<Accumulate, Combine, Range, Value>)
Value parallel_reduce(Range const& range, Value const& identity, Accumulate const& accumulate, Combine const& combine) {
  auto_partitioner const partitioner;
  return ashlar::algo::reduce_values(range, identity, accumulate, combine, partitioner);
}
template <typename Range, typename Value, typename Accumulate, typename Combine, typename Partitioner,
          typename = ashlar::algo::enable_if_partitioner<Partitioner>>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::reduces_values<Accumulate, Combine, Range, Value>)
Value parallel_reduce(Range const& range, Value const& identity, Accumulate const& accumulate, Combine const& combine,
                      Partitioner&& partitioner) {
  return ashlar::algo::reduce_values(range, identity, accumulate, combine, partitioner);
}
template <typename Range, typename Value, typename Accumulate, typename Combine>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::reduces_values<Accumulate, Combine, Range, Value>)
Value parallel_reduce(Range const& range, Value const& identity, Accumulate const& accumulate, Combine const& combine,
                      task_group_context& context) {
  auto_partitioner const partitioner;
  return ashlar::algo::reduce_values(range, identity, accumulate, combine, partitioner, context);
}
template <typename Range, typename Value, typename Accumulate, typename Combine, typename Partitioner,
          typename = ashlar::algo::enable_if_partitioner<Partitioner>>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::reduces_values<Accumulate, Combine, Range, Value>)
Value parallel_reduce(Range const& range, Value const& identity, Accumulate const& accumulate, Combine const& combine,
                      Partitioner&& partitioner, task_group_context& context) {
  return ashlar::algo::reduce_values(range, identity, accumulate, combine, partitioner, context);
}

/// parallel_deterministic_reduce: as parallel_reduce, but splits and joins are the same in every run, whatever the
/// number of threads and whoever works on what (with simple_partitioner, the default; with static_partitioner for a
/// given number of threads). Each part gets a body of its own, so it costs a split and a join for each.
template <typename Range, typename Body>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::is_reduce_body<Body, Range>)
void parallel_deterministic_reduce(Range const& range, Body& body) {
  ashlar::algo::deterministic_reduce(range, body, simple_partitioner());
}
template <typename Range, typename Body>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::is_reduce_body<Body, Range>)
void parallel_deterministic_reduce(Range const& range, Body& body, simple_partitioner const& p) {
  ashlar::algo::deterministic_reduce(range, body, p);
}
template <typename Range, typename Body>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::is_reduce_body<Body, Range>)
void parallel_deterministic_reduce(Range const& range, Body& body, static_partitioner const& p) {
  ashlar::algo::deterministic_reduce(range, body, p);
}
template <typename Range, typename Body>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::is_reduce_body<Body, Range>)
void parallel_deterministic_reduce(Range const& range, Body& body, task_group_context& context) {
  ashlar::algo::deterministic_reduce(range, body, simple_partitioner(), context);
}
template <typename Range, typename Body>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::is_reduce_body<Body, Range>)
void parallel_deterministic_reduce(Range const& range, Body& body, simple_partitioner const& p,
                                   task_group_context& context) {
  ashlar::algo::deterministic_reduce(range, body, p, context);
}
template <typename Range, typename Body>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::is_reduce_body<Body, Range>)
void parallel_deterministic_reduce(Range const& range, Body& body, static_partitioner const& p,
                                   task_group_context& context) {
  ashlar::algo::deterministic_reduce(range, body, p, context);
}
template <typename Range, typename Value, typename Accumulate, typename Combine>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::reduces_values<Accumulate, Combine, Range, Value>)
Value parallel_deterministic_reduce(Range const& range, Value const& identity, Accumulate const& accumulate,
                                    Combine const& combine) {
  return ashlar::algo::deterministic_values(range, identity, accumulate, combine, simple_partitioner());
}
template <typename Range, typename Value, typename Accumulate, typename Combine>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::reduces_values<Accumulate, Combine, Range, Value>)
Value parallel_deterministic_reduce(Range const& range, Value const& identity, Accumulate const& accumulate,
                                    Combine const& combine, simple_partitioner const& p) {
  return ashlar::algo::deterministic_values(range, identity, accumulate, combine, p);
}
template <typename Range, typename Value, typename Accumulate, typename Combine>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::reduces_values<Accumulate, Combine, Range, Value>)
Value parallel_deterministic_reduce(Range const& range, Value const& identity, Accumulate const& accumulate,
                                    Combine const& combine, static_partitioner const& p) {
  return ashlar::algo::deterministic_values(range, identity, accumulate, combine, p);
}
template <typename Range, typename Value, typename Accumulate, typename Combine>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::reduces_values<Accumulate, Combine, Range, Value>)
Value parallel_deterministic_reduce(Range const& range, Value const& identity, Accumulate const& accumulate,
                                    Combine const& combine, task_group_context& context) {
  return ashlar::algo::deterministic_values(range, identity, accumulate, combine, simple_partitioner(), context);
}
template <typename Range, typename Value, typename Accumulate, typename Combine>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::reduces_values<Accumulate, Combine, Range, Value>)
Value parallel_deterministic_reduce(Range const& range, Value const& identity, Accumulate const& accumulate,
                                    Combine const& combine, simple_partitioner const& p, task_group_context& context) {
  return ashlar::algo::deterministic_values(range, identity, accumulate, combine, p, context);
}
template <typename Range, typename Value, typename Accumulate, typename Combine>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::reduces_values<Accumulate, Combine, Range, Value>)
Value parallel_deterministic_reduce(Range const& range, Value const& identity, Accumulate const& accumulate,
                                    Combine const& combine, static_partitioner const& p, task_group_context& context) {
  return ashlar::algo::deterministic_values(range, identity, accumulate, combine, p, context);
}

// clang-format off: the compiler shows a twin's line
#if ASHLAR_CONSTRAINED
template <typename Range, typename Body, typename... Nothing, ashlar::algo::enable_if_nothing<Nothing...>* = nullptr>
void parallel_reduce(Range const&, Body&, Nothing...) = delete;  // needs a Range, and a body with body(range), join and split
template <typename Range, typename T, typename A, typename C, typename = ashlar::algo::enable_if_loop_body<C>,
          typename... Nothing, ashlar::algo::enable_if_nothing<Nothing...>* = nullptr>
T parallel_reduce(Range const&, T const&, A const&, C const&, Nothing...) = delete;  // needs T a(Range, T), T c(T, T), both const
template <typename Range, typename Body, typename... Nothing, ashlar::algo::enable_if_nothing<Nothing...>* = nullptr>
void parallel_deterministic_reduce(Range const&, Body&, Nothing...) = delete;  // needs a Range, and body(range), join and split
template <typename Range, typename T, typename A, typename C, typename... Nothing,
          ashlar::algo::enable_if_nothing<Nothing...>* = nullptr>
T parallel_deterministic_reduce(Range const&, T const&, A const&, C const&, Nothing...) = delete;  // needs T a(Range, T), T c(T, T)
#endif
template <typename Range, typename A, typename C, ashlar::algo::enable_if_foreign<Range, C&>* = nullptr,
          typename... Nothing, ashlar::algo::enable_if_nothing<Nothing...>* = nullptr>
void parallel_reduce(Range const&, A const&, C const&, Nothing...) = delete;  // needs an identity: (range, identity, a, c)
// clang-format on

}  // namespace tbb

#include <tbb/detail/closure/loops.h>
