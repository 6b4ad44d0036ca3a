// SPDX-License-Identifier: Apache-2.0
// The sequential parts of the quicksort: partition, insertion sort, heap sort, choice of the pivot. Elements that
// compare cheaply are partitioned without branches on the comparisons (Edelkamp & Weiss, BlockQuicksort, 2016); sorted
// input, few distinct keys and bad pivots are recognised as in Peters, Pattern-defeating Quicksort, 2021.
//
// Elements are swapped, or held in one local during an insertion; no comparison happens while two are missing.
//
// What passes over a whole range asks `stop()` every few comparisons. Once that is true it leaves the elements in any order and
// returns any place between them. In the tightest loop it asks `stop.suspects()`, which costs no call.
#pragma once

#include <ashlar/algo/iterator.h>
#include <ashlar/base/config.h>

#include <cstddef>

namespace ashlar {
inline namespace v1 {
namespace algo {

// The default comparison.
struct ascending {
  template <typename T>
  bool operator()(T const& a, T const& b) const {
    return a < b;
  }
};

template <typename It>
inline constexpr bool moves_cheaply = std::is_trivially_copyable_v<value_of<It>> && sizeof(value_of<It>) <= 16;

template <typename It>
ASHLAR_ALWAYS_INLINE void swap_at(It a, It b) {
  using std::swap;
  swap(*a, *b);
}

// Moves the elements for which `left` holds to the front of [first, last) and returns their end.
template <typename It, typename Left, typename Stop>
It partition_plainly(It first, It last, Left const& left, Stop const& stop) {
  for (;;) {
    while (first != last && left(*first)) {
      if (stop()) return first;
      ++first;
    }
    do {
      if (first == last || stop()) return first;
      --last;
    } while (!left(*last));
    swap_at(first, last);
    ++first;
  }
}

// Offsets of elements that lie on the wrong side, within one block.
struct misplaced {
  static constexpr std::size_t block = 64;
  unsigned char at[block];
  std::size_t begin = 0;
  std::size_t count = 0;
};

// Notes which of the n elements from `first` on belong to the right. Returns their end.
template <typename It, typename Left>
ASHLAR_ALWAYS_INLINE It note_misplaced_in_front(It first, std::size_t n, misplaced& l, Left const& left) {
  l.begin = 0;
  for (std::size_t i = 0; i < n; ++i, ++first) {
    l.at[l.count] = static_cast<unsigned char>(i);
    l.count += !left(*first);
  }
  return first;
}
// Notes which of the n elements before `last` belong to the left. Returns where they begin.
template <typename It, typename Left>
ASHLAR_ALWAYS_INLINE It note_misplaced_behind(It last, std::size_t n, misplaced& r, Left const& left) {
  r.begin = 0;
  for (std::size_t i = 1; i <= n; ++i) {
    --last;
    r.at[r.count] = static_cast<unsigned char>(i);
    r.count += static_cast<bool>(left(*last));
  }
  return last;
}

template <typename It>
ASHLAR_ALWAYS_INLINE void exchange_misplaced(It front, misplaced& l, It back, misplaced& r) {
  std::size_t const n = l.count < r.count ? l.count : r.count;
  for (std::size_t i = 0; i < n; ++i) swap_at(front + l.at[l.begin + i], back - r.at[r.begin + i]);
  l.begin += n;
  l.count -= n;
  r.begin += n;
  r.count -= n;
}

template <typename It, typename Left, typename Stop>
It partition_in_blocks(It first, It last, Left const& left, Stop const& stop) {
  misplaced l;
  misplaced r;
  It front = first;  // the block of l begins here
  It back = last;    // the block of r ends here
  while (first != last && !stop()) {
    do {
      std::size_t const unknown = static_cast<std::size_t>(last - first);
      std::size_t take_l = l.count != 0 ? 0 : r.count != 0 ? unknown : unknown - unknown / 2;
      std::size_t take_r = r.count != 0 ? 0 : unknown - take_l;
      if (take_l > misplaced::block) take_l = misplaced::block;
      if (take_r > misplaced::block) take_r = misplaced::block;
      if (take_l != 0) {
        front = first;
        first = note_misplaced_in_front(front, take_l, l, left);
      }
      if (take_r != 0) {
        back = last;
        last = note_misplaced_behind(back, take_r, r, left);
      }
      exchange_misplaced(front, l, back, r);
    } while (first != last && !stop.suspects());
  }
  while (l.count != 0) swap_at(front + l.at[l.begin + --l.count], --last);
  for (; r.count != 0; ++last) swap_at(back - r.at[r.begin + --r.count], last);
  return last;
}

template <typename It, typename Left, typename Stop>
It partition_by(It first, It last, Left const& left, Stop const& stop) {
  if constexpr (moves_cheaply<It>) {
    return partition_in_blocks(first, last, left, stop);
  } else {
    return partition_plainly(first, last, left, stop);
  }
}

// Sorts by insertion; gives up after more than `limit` moves and returns false.
template <typename It, typename Compare>
bool insertion_sort(It first, It last, Compare const& less, std::size_t limit) {
  if (first == last) return true;
  std::size_t moves = 0;
  for (It at = first + 1; at != last; ++at) {
    if (!less(*at, *(at - 1))) continue;
    It hole = at;
    value_of<It> value(std::move(*at));
    ASHLAR_TRY {
      do {
        *hole = std::move(*(hole - 1));
        --hole;
        ++moves;
      } while (hole != first && less(value, *(hole - 1)));
    }
    ASHLAR_CATCH_ALL {
      *hole = std::move(value);
      ASHLAR_RETHROW;
    }
    *hole = std::move(value);
    if (moves > limit) return at + 1 == last;
  }
  return true;
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

// For input that defeats the choice of pivots: O(n log n) whatever it is.
template <typename It, typename Compare, typename Stop>
void heap_sort(It first, It last, Compare const& less, Stop const& stop) {
  using difference = typename std::iterator_traits<It>::difference_type;
  auto const size = static_cast<std::size_t>(last - first);
  for (std::size_t i = size / 2; i != 0 && !stop(); --i) sift_down(first, i - 1, size, less);
  for (std::size_t i = size; i > 1 && !stop(); --i) {
    swap_at(first, first + static_cast<difference>(i - 1));
    sift_down(first, 0, i - 1, less);
  }
}

// Orders three elements.
template <typename It, typename Compare>
void sort_three(It a, It b, It c, Compare const& less) {
  if (less(*b, *a)) swap_at(a, b);
  if (less(*c, *b)) {
    swap_at(b, c);
    if (less(*b, *a)) swap_at(a, b);
  }
}

// Brings a pivot to the front: the median of three, or of three medians.
template <typename It, typename Compare>
void choose_pivot(It first, It last, Compare const& less) {
  auto const size = last - first;
  It const middle = first + size / 2;
  if (size > 128) {
    sort_three(first, middle, last - 1, less);
    sort_three(first + 1, middle - 1, last - 2, less);
    sort_three(first + 2, middle + 1, last - 3, less);
    sort_three(middle - 1, middle, middle + 1, less);
    swap_at(first, middle);
  } else {
    sort_three(middle, first, last - 1, less);
  }
}

// Breaks the pattern that made a partition bad.
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

// Whether [first, last) is in order; true if it has to stop. Cheap elements are compared by blocks without branches.
template <typename It, typename Compare, typename Stop>
bool is_in_order(It first, It last, Compare const& less, Stop const& stop) {
  if (last - first < 2) return true;
  It at = first + 1;
  if constexpr (moves_cheaply<It>) {
    constexpr int block = 512;
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
