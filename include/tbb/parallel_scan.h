// SPDX-License-Identifier: Apache-2.0
// parallel_scan: prefix sums of any associative operation.
#pragma once

#include <ashlar/algo/parallel_scan.h>
#include <ashlar/base/interface.h>
#include <tbb/blocked_range.h>
#include <tbb/partitioner.h>

namespace tbb {

/// parallel_scan(range, body [, partitioner])
///
/// body(r, final_scan_tag()) is called once for each part r, from left to right in effect: the body then holds the sum
/// of everything left of r. Parts that another thread works on may get body(r, pre_scan_tag()) first, on a body made by
/// Body(body, split()) that holds nothing. right.reverse_join(left) adds what lies left; body.assign(other) takes the
/// sum over at the end. Exceptions and cancellation as for parallel_for. simple_partitioner cuts down to the grain.
template <typename Range, typename Body>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::is_scan_body<Body, Range>)
void parallel_scan(Range const& range, Body& body) {
  ashlar::algo::scan(range, body, false);
}
template <typename Range, typename Body>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::is_scan_body<Body, Range>)
void parallel_scan(Range const& range, Body& body, simple_partitioner const&) {
  ashlar::algo::scan(range, body, true);
}
template <typename Range, typename Body>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::is_scan_body<Body, Range>)
void parallel_scan(Range const& range, Body& body, auto_partitioner const&) {
  ashlar::algo::scan(range, body, false);
}

/// parallel_scan(range, identity, scan, combine [, partitioner])
///
/// scan(r, sum, is_final) returns sum grown by the part r; combine(left, right) joins two sums. Returns the sum of all.
template <typename Range, typename Value, typename Scan, typename Combine>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::is_scan_function<Scan, Range, Value>&&
                    ashlar::algo::is_scan_combine<Combine, Value>)
Value parallel_scan(Range const& range, Value const& identity, Scan const& scan, Combine const& combine) {
  return ashlar::algo::scan_values(range, identity, scan, combine, false);
}
template <typename Range, typename Value, typename Scan, typename Combine>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::is_scan_function<Scan, Range, Value>&&
                    ashlar::algo::is_scan_combine<Combine, Value>)
Value parallel_scan(Range const& range, Value const& identity, Scan const& scan, Combine const& combine,
                    simple_partitioner const&) {
  return ashlar::algo::scan_values(range, identity, scan, combine, true);
}
template <typename Range, typename Value, typename Scan, typename Combine>
ASHLAR_REQUIRES(ashlar::algo::is_range<Range>&& ashlar::algo::is_scan_function<Scan, Range, Value>&&
                    ashlar::algo::is_scan_combine<Combine, Value>)
Value parallel_scan(Range const& range, Value const& identity, Scan const& scan, Combine const& combine,
                    auto_partitioner const&) {
  return ashlar::algo::scan_values(range, identity, scan, combine, false);
}

// clang-format off: the compiler shows a twin's line
#if ASHLAR_CONSTRAINED
template <typename Range, typename Body, typename... Nothing, ashlar::algo::enable_if_nothing<Nothing...>* = nullptr>
void parallel_scan(Range const&, Body&, Nothing...) = delete;  // needs body(range, tag), reverse_join, assign and split
template <typename Range, typename T, typename S, typename C, typename... Nothing,
          ashlar::algo::enable_if_nothing<Nothing...>* = nullptr>
T parallel_scan(Range const&, T const&, S const&, C const&, Nothing...) = delete;  // needs T s(Range, T, bool), T c(T, T)
#endif
// clang-format on

}  // namespace tbb

#include <tbb/detail/closure/loops.h>
