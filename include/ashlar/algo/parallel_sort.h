// SPDX-License-Identifier: Apache-2.0
// parallel_sort: a quicksort whose halves are fork-joins and whose large partitions are made by all threads that are
// free (sort_partition.h). A cancelled sort stops after some hundred comparisons of each thread.
#pragma once

#include <ashlar/algo/index_loop.h>
#include <ashlar/algo/sort_partition.h>
#include <ashlar/base/invoke.h>
#include <ashlar/sched/arena/arena_handle.h>
#include <ashlar/sched/core/fork_join.h>
#include <ashlar/sched/core/words_scope.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace algo {

/// Whether a sort is cancelled; for one thread.
struct sort_stop {
  bool operator()() const noexcept { return s.cancelled(group); }
  bool suspects() const noexcept { return (s.attention_bits() & sched::attention_cancel) != 0; }

  sched::slot& s;
  sched::context& group;
};

template <typename It, typename Compare>
class quicksort {
 public:
  using difference = typename std::iterator_traits<It>::difference_type;

  quicksort(Compare const& less, sched::context& group, unsigned threads) noexcept
      : less_(less), group_(group), threads_(threads) {}

  /// Sorts [first, last). Unless `leftmost`, the element before it is not greater than any in it. `bad`: how many more
  /// unbalanced partitions may happen.
  void sort(sched::slot& s, It first, It last, unsigned bad, bool leftmost) const {
    while (last - first > leaf) {
      if (s.cancelled(group_) || algo::is_in_order(first, last, less_, stopper(s))) return;
      bool const often = choose_pivot(first, last, less_);
      if (!leftmost && !less_(*(first - 1), *first)) {  // everything equal to the pivot is in place already
        first = split_equal(s, first, last);
        continue;
      }
      // What occurs often gets a part of its own.
      It const not_greater = often ? split_equal(s, first, last) : last;
      It const border = often && algo::is_in_order(first, not_greater, less_, stopper(s))
                            ? first + 1
                            : split(s, first + 1, not_greater);
      It const pivot = border - 1;
      swap_at(first, pivot);
      It const greater = often ? not_greater : border;
      difference const left = pivot - first;
      difference const right = last - greater;
      difference const most = (last - first) - (last - first) / 8;
      if (left > most || right > most) {
        if (bad == 0) return algo::heap_sort(first, last, less_, stopper(s));
        --bad;
        scatter(first, pivot);
        scatter(greater, last);
      }
      if (threads_ > 1 && left + right > fork_size) {
        sched::fork_join(
            s, group_, [&] { sort(s, first, pivot, bad, leftmost); },
            [&] { sort(sched::this_slot(), greater, last, bad, false); });
        return;
      }
      sort(s, first, pivot, bad, leftmost);
      first = greater;
      leftmost = false;
    }
    sort_leaf(first, last, less_);
  }

 private:
  static constexpr difference leaf = fits_register<It> ? 32 : 20;
  // What one thread sorts at last is the longest wait of all others at the end.
  static constexpr difference fork_size = 250;
  // From here on the second thread is worth its share of the overhead. With more threads a partition by one of them is
  // a greater part of the whole time: T = 64, 50,000 elements, one comparison of 3000 sleeps: 15 times the ideal
  // before, 5.6 now.
  static constexpr difference parallel_size = difference{1} << (sizeof(difference) > 2 ? 17 : 14);
  static constexpr unsigned most_threads = 64;  // of one partition
  static constexpr difference each_at_least = 8 * difference{misplaced::block};

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
    if (threads_ == 1 || last - first < 2 * each_at_least ||
        last - first < parallel_size / static_cast<difference>(threads_ - 1)) {
      return algo::partition_by(first, last, left, stopper(s));
    }
    return partition_in_parallel(first, last, left);
  }

  template <typename Left>
  It partition_in_parallel(It first, It last, Left const& left) const {
    constexpr difference unit = misplaced::block;
    difference const useful = (last - first) / each_at_least;
    unsigned n = threads_ < most_threads ? threads_ : most_threads;
    if (useful < static_cast<difference>(n)) n = static_cast<unsigned>(useful);
    difference size = (last - first) / static_cast<difference>(32 * n);
    size = size < unit ? unit : size > 32 * unit ? 32 * unit : size / unit * unit;
    partition_blocks<It> blocks(first, last, size);
    partition_hold<It> holds[most_threads];
    for (unsigned i = 0; i < n; ++i) holds[i] = {first, first, last, last};
    {
      // A thread that waits for the others' parts takes nothing else meanwhile: a part of another range would let all
      // wait who need this partition. T = 32 and 64, bodies that sleep: 0.75 and 0.65 of the time.
      sched::isolation_scope const scope;
      call_between(0, n, [&](unsigned i) {
        holds[i] = algo::partition_ends(blocks, holds[i], left, stopper(sched::this_slot()));
      });
    }
    It const begin = gather_fronts(holds, n, blocks.front_end());
    It const end = gather_backs(holds, n, blocks.back_begin());
    return algo::partition_by(begin, end, left, stopper(sched::this_slot()));
  }

  // Calls f(from) … f(to - 1) in the group.
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
void sort_by(It first, It last, Compare const& less) {
  sched::slot& s = sched::this_slot();
  sched::words_scope const words(s);
  sched::context group(&s.group());
  sched::group_scope const scope(s, group);
  unsigned bad = 4;
  for (auto n = last - first; n > 1; n /= 2) ++bad;
  quicksort<It, Compare>(less, group, s.can_share() ? s.parallelism() : 1).sort(s, first, last, bad, true);
}

/// Not inlined, because g++ warns of the calls of virtual functions that it sees in it.
template <typename Member>
struct member_comparison {
  template <typename T>
  ASHLAR_NOINLINE bool operator()(T const& a, T const& b) const {
    return invoke(less, a, b);
  }
  Member less;
};

template <typename It, typename Compare>
void sort_all(It first, It last, Compare const& less) {
  if constexpr (std::is_member_pointer_v<Compare>) {
    sort_by(first, last, member_comparison<Compare>{less});
  } else {
    sort_by(first, last, less);
  }
}

template <typename It, typename Compare>
inline constexpr bool is_comparison =
    std::is_invocable_r_v<bool, Compare const&, reference_of<It>, reference_of<It>> &&
    (!std::is_member_pointer_v<Compare> ||
     std::is_invocable_r_v<bool, Compare const&, value_of<It> const&, value_of<It> const&>);

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

/// Tells in one sentence what a sort needs.
template <bool fits>
constexpr void check_sort() {
  static_assert(fits,
                "parallel_sort: needs random-access iterators, elements that can be moved and swapped, and a "
                "comparison less(a, b) "
                "through a const reference (a < b without one)");
}

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
