// SPDX-License-Identifier: Apache-2.0
// The sequential parts of the quicksort: sorting few elements, heap sort, choice of the pivot. Sorted input and bad
// pivots are recognised as in Peters, Pattern-defeating Quicksort, 2021.
//
// Elements are swapped, or held in one local during an insertion; no comparison happens while two are missing.
//
// What passes over a whole range asks `stop()` every few comparisons. Once that is true it leaves the elements in any
// order and returns any place between them. In the tightest loop it asks `stop.suspects()`, which costs no call.
#pragma once

#include <ashlar/algo/iterator.h>
#include <ashlar/base/config.h>

#include <cstddef>

namespace ashlar {
inline namespace v1 {
namespace algo {

/// The default comparison.
struct ascending {
  template <typename T>
  bool operator()(T const& a, T const& b) const {
    return a < b;
  }
};

/// Pivots are copied. A type is trivially copyable also if it can only be moved.
template <typename It>
inline constexpr bool moves_cheaply =
    std::is_trivially_copyable_v<value_of<It>> && std::is_convertible_v<value_of<It> const&, value_of<It>> &&
    sizeof(value_of<It>) <= 16;

/// Two such elements are put in order faster without a branch.
template <typename It>
inline constexpr bool fits_register = moves_cheaply<It> && sizeof(value_of<It>) <= 8;

template <typename It>
ASHLAR_ALWAYS_INLINE void swap_at(It a, It b) {
  using std::swap;
  swap(*a, *b);
}

/// Puts two elements in order.
template <typename It, typename Compare>
ASHLAR_ALWAYS_INLINE void sort_two(It a, It b, Compare const& less) {
  if constexpr (fits_register<It>) {
    value_of<It> const x = *a;
    value_of<It> const y = *b;
    bool const wrong = less(y, x);
    if constexpr (std::is_scalar_v<value_of<It>>) {  // in registers
      *a = wrong ? y : x;
      *b = wrong ? x : y;
    } else {
      value_of<It> const* const both[] = {std::addressof(x), std::addressof(y)};
      *a = *both[wrong];
      *b = *both[!wrong];
    }
  } else {
    if (less(*b, *a)) swap_at(a, b);
  }
}

/// Calls sort_places(i, j) with 0 <= i < j < n so that afterwards all n places are in order, whatever was in them:
/// Batcher's merge exchange (Knuth, The Art of Computer Programming, volume 3, 5.2.2, algorithm M).
template <typename F>
ASHLAR_ALWAYS_INLINE void sorting_network(int n, F const& sort_places) {
  int top = 1;
  while (2 * top < n) top *= 2;
  for (int p = top; p != 0; p /= 2) {
    int from = 0;
    int distance = p;
    for (int q = top;; q /= 2) {
      for (int i = from; i + distance < n; i += 2 * p) {
        int const end = i + p < n - distance ? i + p : n - distance;
        for (int j = i; j < end; ++j) sort_places(j, j + distance);
      }
      if (q == p) break;
      distance = q - p;
      from = p;
    }
  }
}

/// For the last few elements: as many comparisons as an insertion sort's, but nothing to mispredict.
template <typename It, typename Compare>
void sort_by_network(It first, int n, Compare const& less) {
  sorting_network(n, [&](int i, int j) { sort_two(first + i, first + j, less); });
}

template <typename It, typename Compare>
void insertion_sort(It first, It last, Compare const& less) {
  if (first == last) return;
  for (It at = first + 1; at != last; ++at) {
    if (!less(*at, *(at - 1))) continue;
    It hole = at;
    value_of<It> value(std::move(*at));
    ASHLAR_TRY {
      do {
        *hole = std::move(*(hole - 1));
        --hole;
      } while (hole != first && less(value, *(hole - 1)));
    }
    ASHLAR_CATCH_ALL {
      *hole = std::move(value);
      ASHLAR_RETHROW;
    }
    *hole = std::move(value);
  }
}

/// Sorts few elements.
template <typename It, typename Compare>
void sort_leaf(It first, It last, Compare const& less) {
  if constexpr (fits_register<It>) {
    sort_by_network(first, static_cast<int>(last - first), less);
  } else {
    insertion_sort(first, last, less);
  }
}

template <typename It, typename Compare>
void sift_down(It first, std::size_t at, std::size_t size, Compare const& less) {
  using difference = typename std::iterator_traits<It>::difference_type;
  auto const element = [&](std::size_t i) { return first + static_cast<difference>(i); };
  for (;;) {
    std::size_t child = 2 * at + 1;
    if (child >= size) return;
    if (child + 1 < size && less(*element(child), *element(child + 1))) ++child;
    if (!less(*element(at), *element(child))) return;
    swap_at(element(at), element(child));
    at = child;
  }
}

/// For input that defeats the choice of pivots: O(n log n) whatever it is.
template <typename It, typename Compare, typename Stop>
void heap_sort(It first, It last, Compare const& less, Stop const& stop) {
  using difference = typename std::iterator_traits<It>::difference_type;
  auto const size = static_cast<std::size_t>(last - first);
  for (std::size_t i = size / 2; i != 0 && !stop(); --i) sift_down(first, i - 1, size, less);
  for (std::size_t i = size; i > 1 && !stop(); --i) {
    swap_at(first, first + static_cast<difference>(i - 1));
    algo::sift_down(first, 0, i - 1, less);
  }
}

template <typename It, typename Compare>
void sort_three(It a, It b, It c, Compare const& less) {
  sort_two(a, b, less);
  if constexpr (fits_register<It>) {
    sort_two(b, c, less);
    sort_two(a, b, less);
  } else {
    if (!less(*c, *b)) return;
    swap_at(b, c);
    sort_two(a, b, less);
  }
}

/// Brings a pivot to the front: the median of three, of three medians, or of 31. Returns whether it probably occurs
/// often: a smaller one of these equals it.
template <typename It, typename Compare>
bool choose_pivot(It first, It last, Compare const& less) {
  using difference = typename std::iterator_traits<It>::difference_type;
  difference const size = last - first;
  It middle = first + size / 2;
  It below = middle;
  if (size > 8192) {
    constexpr int samples = 31;
    auto const sample = [=](int i) { return first + size / samples * static_cast<difference>(i); };
    sorting_network(samples, [&](int i, int j) { sort_two(sample(i), sample(j), less); });
    middle = sample(samples / 2);
    below = sample(samples / 4);
  } else if (size > 128) {
    sort_three(first, middle, last - 1, less);
    sort_three(first + 1, middle - 1, last - 2, less);
    sort_three(first + 2, middle + 1, last - 3, less);
    below = middle - 1;
    sort_three(below, middle, middle + 1, less);
  } else {
    sort_three(middle, first, last - 1, less);
    return !less(*middle, *first);
  }
  swap_at(first, middle);
  return !less(*below, *first);
}

/// Breaks the pattern that made a partition bad.
template <typename It>
void scatter(It first, It last) {
  auto const size = last - first;
  if (size < 24) return;
  auto const quarter = size / 4;
  for (int i = 0; i < 3; ++i) {
    swap_at(first + i, first + (quarter + i));
    swap_at(last - (1 + i), last - (quarter + i));
  }
}

/// Whether [first, last) is in order; true if it has to stop. Cheap elements are compared by blocks without branches.
template <typename It, typename Compare, typename Stop>
bool is_in_order(It first, It last, Compare const& less, Stop const& stop) {
  if (last - first < 2) return true;
  It at = first + 1;
  if constexpr (moves_cheaply<It>) {
    constexpr int block = 512;
    It const near_end = last - first < 8 ? last : first + 8;  // most ranges show it at once
    for (; at != near_end; ++at) {
      if (less(*at, *(at - 1))) return false;
    }
    for (; last - at >= block; at = at + block) {
      int wrong = 0;
      for (int i = 0; i < block; ++i) wrong |= static_cast<int>(static_cast<bool>(less(*(at + i), *(at + (i - 1)))));
      if (wrong != 0) return false;
      if (stop()) return true;
    }
  }
  for (; at != last && !stop(); ++at) {
    if (less(*at, *(at - 1))) return false;
  }
  return true;
}

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
