// SPDX-License-Identifier: Apache-2.0
// parallel_sort: sorts a random-access sequence. Not stable.
#pragma once

#include <ashlar/algo/parallel_sort.h>
#include <ashlar/base/interface.h>

namespace tbb {

/// parallel_sort(first, last [, less])
/// parallel_sort(container [, less])
///
/// Sorts by less(a, b), or by a < b. The comparison is called through a const reference, by several threads at once. An
/// exception from it, or from moving elements, ends the sort and is rethrown; the elements are then in any order.
///
/// Complexity: O(n log n) comparisons whatever the input; O(n) if it is sorted or has few distinct keys.
template <typename It, typename Compare, typename = std::enable_if_t<ashlar::algo::is_iterator<It>>>
ASHLAR_REQUIRES(ashlar::algo::can_sort<It, Compare>)
void parallel_sort(It first, It last, Compare const& less) {
  ashlar::algo::check_sort<ashlar::algo::can_sort<It, Compare>>();
  ashlar::algo::sort_all(first, last, less);
}
template <typename It, typename = std::enable_if_t<ashlar::algo::is_iterator<It>>>
ASHLAR_REQUIRES(ashlar::algo::can_sort_ascending<It>)
void parallel_sort(It first, It last) {
  ashlar::algo::check_sort<ashlar::algo::can_sort_ascending<It>>();
  ashlar::algo::sort_all(first, last, ashlar::algo::ascending());
}
template <typename Container, typename Compare, typename = std::enable_if_t<ashlar::algo::is_sequence<Container>>>
ASHLAR_REQUIRES(ashlar::algo::can_sort_all<Container, Compare>)
void parallel_sort(Container&& container, Compare const& less) {
  ashlar::algo::check_sort<ashlar::algo::can_sort_all<Container, Compare>>();
  ashlar::algo::sort_all(std::begin(container), std::end(container), less);
}
template <typename Container, typename = std::enable_if_t<ashlar::algo::is_sequence<Container>>>
ASHLAR_REQUIRES(ashlar::algo::can_sort_all_ascending<Container>)
void parallel_sort(Container&& container) {
  ashlar::algo::check_sort<ashlar::algo::can_sort_all_ascending<Container>>();
  ashlar::algo::sort_all(std::begin(container), std::end(container), ashlar::algo::ascending());
}

// clang-format off: the compiler shows a twin's line
#if ASHLAR_CONSTRAINED
template <typename It, typename Compare, typename = std::enable_if_t<ashlar::algo::is_iterator<It>>, typename... Nothing,
          ashlar::algo::enable_if_nothing<Nothing...>* = nullptr>
void parallel_sort(It, It, Compare const&, Nothing...) = delete;  // needs random access, movable elements and less(a, b), const
template <typename It, typename = std::enable_if_t<ashlar::algo::is_iterator<It>>, typename... Nothing,
          ashlar::algo::enable_if_nothing<Nothing...>* = nullptr>
void parallel_sort(It, It, Nothing...) = delete;  // needs random access, movable elements and a < b
template <typename Container, typename Compare, typename = std::enable_if_t<ashlar::algo::is_sequence<Container>>,
          typename... Nothing, ashlar::algo::enable_if_nothing<Nothing...>* = nullptr>
void parallel_sort(Container&&, Compare const&, Nothing...) = delete;  // needs random access, movable elements, less(a, b)
template <typename Container, typename = std::enable_if_t<ashlar::algo::is_sequence<Container>>, typename... Nothing,
          ashlar::algo::enable_if_nothing<Nothing...>* = nullptr>
void parallel_sort(Container&&, Nothing...) = delete;  // needs random access, movable elements and a < b
#endif
// clang-format on

}  // namespace tbb

#include <tbb/detail/closure/loops.h>
#if !ASHLAR_LEAN_HEADERS
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <algorithm>
#include <functional>
#if !ASHLAR_CLASSIC_DIALECT
#include <tbb/parallel_reduce.h>
#endif
#endif
