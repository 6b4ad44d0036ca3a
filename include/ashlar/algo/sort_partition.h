// SPDX-License-Identifier: Apache-2.0
// The quicksort's partition, by one thread or by several. Elements that compare cheaply are partitioned without
// branches on the comparisons (Edelkamp & Weiss, BlockQuicksort, 2016). Several threads each take a block from the
// front and one from the back and exchange what is misplaced in them, until one of the two is used up, and take the
// next (Tsigas & Zhang, A Simple, Fast Parallel Implementation of Quicksort, 2003). What is left of their last blocks
// is brought to the middle and partitioned by one.
//
// Elements are only ever swapped. `stop`: see sort_parts.h.
//
// Threads    partition_ends: any number. The others: one.
// Ordering   all relaxed: a block is one thread's, and what the threads leave is read after they have been joined
#pragma once

#include <ashlar/algo/sort_parts.h>
#include <ashlar/base/atomic.h>
#include <ashlar/base/cache_line.h>

#include <cstddef>

namespace ashlar {
inline namespace v1 {
namespace algo {

/// Moves the elements for which `left` holds to the front of [first, last) and returns their end.
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

/// Offsets of elements that lie on the wrong side, within one block.
struct misplaced {
  static constexpr std::size_t block = 128;
  unsigned char at[block];
  std::size_t begin = 0;
  std::size_t count = 0;
};

/// Notes which of the n elements from `first` on belong to the right. Returns their end.
template <typename It, typename Left>
ASHLAR_ALWAYS_INLINE It find_misplaced_in_front(It first, std::size_t n, misplaced& l, Left const& left) {
  std::size_t count = 0;
  std::size_t i = 0;
  auto const look = [&] {
    l.at[count] = static_cast<unsigned char>(i);
    count += !left(*first);
    ++i;
    ++first;
  };
  while (i + 8 <= n) look(), look(), look(), look(), look(), look(), look(), look();
  while (i < n) look();
  l.begin = 0;
  l.count = count;
  return first;
}
/// Notes which of the n elements before `last` belong to the left. Returns where they begin.
template <typename It, typename Left>
ASHLAR_ALWAYS_INLINE It find_misplaced_behind(It last, std::size_t n, misplaced& r, Left const& left) {
  std::size_t count = 0;
  std::size_t i = 0;
  auto const look = [&] {
    ++i;
    --last;
    r.at[count] = static_cast<unsigned char>(i);
    count += static_cast<bool>(left(*last));
  };
  while (i + 8 <= n) look(), look(), look(), look(), look(), look(), look(), look();
  while (i < n) look();
  r.begin = 0;
  r.count = count;
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
        first = find_misplaced_in_front(front, take_l, l, left);
      }
      if (take_r != 0) {
        back = last;
        last = find_misplaced_behind(back, take_r, r, left);
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

/// What a thread has of a range: [front, front_end) and [back_begin, back) are not partitioned.
template <typename It>
struct partition_hold {
  It front;
  It front_end;
  It back_begin;
  It back;
};

/// Hands out the blocks of a range from both ends.
template <typename It>
class partition_blocks {
 public:
  using difference = typename std::iterator_traits<It>::difference_type;
  using hold = partition_hold<It>;

  partition_blocks(It first, It last, difference size) noexcept
      : first_(first), last_(last), size_(size), unclaimed_((last - first) / size) {}

  bool take_front(hold& h) noexcept {
    if (!claim()) return false;
    h.front = first_ + static_cast<difference>(fronts_.fetch_add(1, mo::relaxed)) * size_;
    h.front_end = h.front + size_;
    return true;
  }
  bool take_back(hold& h) noexcept {
    if (!claim()) return false;
    h.back = last_ - static_cast<difference>(backs_.fetch_add(1, mo::relaxed)) * size_;
    h.back_begin = h.back - size_;
    return true;
  }
  /// The ends of what was handed out.
  It front_end() const noexcept { return first_ + static_cast<difference>(fronts_.load(mo::relaxed)) * size_; }
  It back_begin() const noexcept { return last_ - static_cast<difference>(backs_.load(mo::relaxed)) * size_; }

 private:
  bool claim() noexcept { return unclaimed_.load(mo::relaxed) > 0 && unclaimed_.fetch_sub(1, mo::relaxed) > 0; }

  It const first_;
  It const last_;
  difference const size_;
  alignas(no_sharing) atomic<std::ptrdiff_t> unclaimed_;
  atomic<std::ptrdiff_t> fronts_{0};
  atomic<std::ptrdiff_t> backs_{0};
};

/// Steps back to an element that belongs to the left.
template <typename It, typename Left, typename Stop>
bool find_left_behind(partition_blocks<It>& blocks, partition_hold<It>& h, Left const& left, Stop const& stop) {
  do {
    if (stop() || (h.back == h.back_begin && !blocks.take_back(h))) return false;
    --h.back;
  } while (!left(*h.back));
  return true;
}

template <typename It, typename Left, typename Stop>
partition_hold<It> partition_ends_plainly(partition_blocks<It>& blocks, partition_hold<It> h, Left const& left,
                                          Stop const& stop) {
  while (!stop() && (h.front != h.front_end || blocks.take_front(h))) {
    if (!left(*h.front)) {
      if (!find_left_behind(blocks, h, left, stop)) break;
      swap_at(h.front, h.back);
    }
    ++h.front;
  }
  return h;
}

template <typename It, typename Left, typename Stop>
partition_hold<It> partition_ends_in_blocks(partition_blocks<It>& blocks, partition_hold<It> h, Left const& left,
                                            Stop const& stop) {
  misplaced l;
  misplaced r;
  It front = h.front;
  It back = h.back;
  while (!stop()) {
    if (l.count == 0) {
      if (h.front == h.front_end && !blocks.take_front(h)) break;
      front = h.front;
      h.front = find_misplaced_in_front(front, misplaced::block, l, left);
    }
    if (r.count == 0) {
      if (h.back == h.back_begin && !blocks.take_back(h)) break;
      back = h.back;
      h.back = find_misplaced_behind(back, misplaced::block, r, left);
    }
    exchange_misplaced(front, l, back, r);
  }
  if (l.count != 0) h.front = front;
  if (r.count != 0) h.back = back;
  return h;
}

/// One thread's part; returns what it leaves. The size of a block is a multiple of misplaced::block.
template <typename It, typename Left, typename Stop>
partition_hold<It> partition_ends(partition_blocks<It>& blocks, partition_hold<It> const& h, Left const& left,
                                  Stop const& stop) {
  if constexpr (moves_cheaply<It>) {
    return partition_ends_in_blocks(blocks, h, left, stop);
  } else {
    return partition_ends_plainly(blocks, h, left, stop);
  }
}

/// Brings what the threads have left in front to the end of the front. Returns where it begins.
template <typename It>
It gather_fronts(partition_hold<It>* holds, unsigned n, It end) {
  using hold = partition_hold<It>;
  algo::insertion_sort(holds, holds + n, [](hold const& a, hold const& b) { return b.front < a.front; });
  for (hold* h = holds; h != holds + n; ++h) {
    auto const size = h->front_end - h->front;
    auto const known = end - h->front_end;
    auto const moves = size < known ? size : known;
    for (auto i = moves - moves; i < moves; ++i) swap_at(h->front + i, end - moves + i);
    end = end - size;
  }
  return end;
}
/// The same behind: to the beginning. Returns where it ends.
template <typename It>
It gather_backs(partition_hold<It>* holds, unsigned n, It begin) {
  using hold = partition_hold<It>;
  algo::insertion_sort(holds, holds + n, [](hold const& a, hold const& b) { return a.back < b.back; });
  for (hold* h = holds; h != holds + n; ++h) {
    auto const size = h->back - h->back_begin;
    auto const known = h->back_begin - begin;
    auto const moves = size < known ? size : known;
    for (auto i = moves - moves; i < moves; ++i) swap_at(begin + i, h->back - moves + i);
    begin = begin + size;
  }
  return begin;
}

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
