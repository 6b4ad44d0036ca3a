// SPDX-License-Identifier: Apache-2.0
// parallel_sort: a quicksort whose halves are fork-joins and whose large partitions are made in parallel: each thread
// partitions pieces of its own, then the pieces' halves that lie on the wrong side of the border change places. A cancelled
// sort stops after some two hundred comparisons of each thread.
#pragma once

#include <ashlar/algo/index_loop.h>
#include <ashlar/algo/sort_parts.h>
#include <ashlar/sched/fork_join.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace algo {

// Whether a sort is cancelled; for one thread.
struct sort_stop {
  bool operator()() const noexcept { return s.cancelled(group); }
  bool suspects() const noexcept { return (s.attention_.load(mo::relaxed) & sched::attention_cancel) != 0; }

  sched::slot& s;
  sched::context& group;
};

template <typename It, typename Compare>
class quicksort {
 public:
  using difference = typename std::iterator_traits<It>::difference_type;

  quicksort(Compare const& less, sched::context& group, unsigned threads) noexcept
      : less_(less), group_(group), threads_(threads) {}

  // Sorts [first, last). Unless `leftmost`, the element before it is not greater than any in it. `bad`: how many more
  // unbalanced partitions may happen.
  void sort(sched::slot& s, It first, It last, unsigned bad, bool leftmost) const {
    while (last - first > leaf) {
      if (s.cancelled(group_)) return;
      choose_pivot(first, last, less_);
      if (!leftmost && !less_(*(first - 1), *first)) {  // everything equal to the pivot is in place already
        first = split_equal(s, first, last);
        continue;
      }
      It const rest = first + 1;
      It const border = split(s, rest, last);
      It const pivot = border - 1;
      swap_at(first, pivot);
      difference const left = pivot - first;
      difference const right = last - border;
      difference const eighth = (last - first) / 8;
      if (left < eighth || right < eighth) {
        if (bad == 0) return heap_sort(first, last, less_, stopper(s));
        --bad;
        scatter(first, pivot);
        scatter(border, last);
      }
      if (threads_ > 1 && left + right > fork_size) {
        sched::fork_join(
            s, group_, [&] { sort(s, first, pivot, bad, leftmost); },
            [&] { sort(sched::this_slot(), border, last, bad, false); });
        return;
      }
      sort(s, first, pivot, bad, leftmost);
      first = border;
      leftmost = false;
    }
    insertion_sort(first, last, less_, ~std::size_t{0});
  }

 private:
  static constexpr difference leaf = 20;
  static constexpr difference fork_size = 2000;
  static constexpr difference parallel_size = difference{1} << (sizeof(difference) > 2 ? 17 : 14);
  static constexpr unsigned most_pieces = 32;

  sort_stop stopper(sched::slot& s) const { return {s, group_}; }

  // What is less than the pivot, which lies before `first`, to the front.
  It split(sched::slot& s, It first, It last) const {
    if constexpr (moves_cheaply<It>) {
      auto const pivot = *(first - 1);
      return partition(s, first, last, [pivot, less = less_](auto const& x) { return less(x, pivot); });
    } else {
      auto const& pivot = *(first - 1);
      return partition(s, first, last, [&](auto const& x) { return less_(x, pivot); });
    }
  }
  // The end of what equals the pivot, which is *first.
  It split_equal(sched::slot& s, It first, It last) const {
    if constexpr (moves_cheaply<It>) {
      auto const pivot = *first;
      return partition(s, first + 1, last, [pivot, less = less_](auto const& x) { return !less(pivot, x); });
    } else {
      auto const& pivot = *first;
      return partition(s, first + 1, last, [&](auto const& x) { return !less_(pivot, x); });
    }
  }

  template <typename Left>
  It partition(sched::slot& s, It first, It last, Left const& left) const {
    if (threads_ == 1 || last - first < parallel_size) return partition_by(first, last, left, stopper(s));
    return partition_in_parallel(first, last, left);
  }

  // A range in equal pieces, each with the border between its left and its right part.
  struct cut_range {
    It first;
    It last;
    unsigned pieces;
    It borders[most_pieces];

    It begin_of(unsigned i) const {
      return first + (last - first) / static_cast<difference>(pieces) * static_cast<difference>(i);
    }
    It end_of(unsigned i) const { return i + 1 == pieces ? last : begin_of(i + 1); }
  };
  struct swapped {
    It a;
    It b;
    difference n;
  };

  // What has to change places: right parts before the border from the left with left parts behind it from the right.
  static unsigned list_swaps(swapped* swaps, cut_range const& cut, It border) {
    unsigned count = 0;
    unsigned i = 0;
    unsigned j = cut.pieces;
    It a = cut.first, a_end = cut.first, b = cut.last, b_end = cut.last;
    for (;;) {
      while (a == a_end && i < cut.pieces) {
        a = cut.borders[i];
        a_end = cut.end_of(i++);
        if (border < a_end) a_end = border;
        if (a_end < a) a = a_end;
      }
      while (b == b_end && j > 0) {
        b = cut.begin_of(--j);
        b_end = cut.borders[j];
        if (b < border) b = border;
        if (b_end < b) b_end = b;
      }
      difference n = a_end - a;
      if (b_end - b < n) n = b_end - b;
      if (n == 0) return count;
      swaps[count++] = {a, b, n};
      a = a + n;
      b = b + n;
    }
  }

  template <typename Left>
  It partition_in_parallel(It first, It last, Left const& left) const {
    // A piece that a cancellation leaves undone has nothing on its left.
    cut_range cut{first, last, 2 * threads_ < most_pieces ? 2 * threads_ : most_pieces, {}};
    for (unsigned i = 0; i < cut.pieces; ++i) cut.borders[i] = cut.begin_of(i);
    in_parallel(cut.pieces, [&](unsigned i) {
      cut.borders[i] = partition_by(cut.begin_of(i), cut.end_of(i), left, stopper(sched::this_slot()));
    });
    difference on_left = 0;
    for (unsigned i = 0; i < cut.pieces; ++i) on_left += cut.borders[i] - cut.begin_of(i);
    It const border = first + on_left;
    swapped swaps[2 * most_pieces];
    unsigned const count = list_swaps(swaps, cut, border);
    in_parallel(count, [&](unsigned k) {
      for (difference n = 0; n < swaps[k].n; ++n) swap_at(swaps[k].a + n, swaps[k].b + n);
    });
    return border;
  }

  // Calls f(0) … f(n - 1) in the group.
  template <typename F>
  void in_parallel(unsigned n, F const& f) const {
    if (n != 0) call_between(0, n, f);
  }
  template <typename F>
  void call_between(unsigned from, unsigned to, F const& f) const {
    if (to - from == 1) return f(from);
    unsigned const middle = from + (to - from) / 2;
    sched::fork_join(
        sched::this_slot(), group_, [&] { call_between(from, middle, f); }, [&] { call_between(middle, to, f); });
  }

  Compare const& less_;
  sched::context& group_;
  unsigned const threads_;
};

template <typename It, typename Compare>
void sort_all(It first, It last, Compare const& less) {
  sched::slot& s = sched::this_slot();
  sched::context group(s.context_);
  sched::group_scope const scope(s, group);
  if (is_in_order(first, last, less, sort_stop{s, group})) return;
  unsigned bad = 4;
  for (auto n = last - first; n > 1; n /= 2) ++bad;
  quicksort<It, Compare>(less, group, s.can_share() ? s.parallelism() : 1).sort(s, first, last, bad, true);
}

template <typename It, typename Compare>
inline constexpr bool is_comparison = std::is_invocable_r_v<bool, Compare const&, reference_of<It>, reference_of<It>>;

template <typename It, typename Compare, bool = is_random_access_iterator<It>>
inline constexpr bool can_sort = false;
template <typename It, typename Compare>
inline constexpr bool can_sort<It, Compare, true> =
    std::is_move_constructible_v<value_of<It>> && std::is_move_assignable_v<value_of<It>> && is_comparison<It, Compare>;

template <typename T, typename = void>
inline constexpr bool has_less = false;
template <typename T>
inline constexpr bool has_less<T, std::void_t<decltype(std::declval<T const&>() < std::declval<T const&>())>> = true;

template <typename It, bool = is_iterator<It>>
inline constexpr bool can_sort_ascending = false;
template <typename It>
inline constexpr bool can_sort_ascending<It, true> = has_less<value_of<It>> && can_sort<It, ascending>;

template <typename C, typename Compare, bool = is_sequence<C>>
inline constexpr bool can_sort_all = false;
template <typename C, typename Compare>
inline constexpr bool can_sort_all<C, Compare, true> = can_sort<begin_of<C>, Compare>;

template <typename C, bool = is_sequence<C>>
inline constexpr bool can_sort_all_ascending = false;
template <typename C>
inline constexpr bool can_sort_all_ascending<C, true> = can_sort_ascending<begin_of<C>>;

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
