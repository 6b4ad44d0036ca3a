// SPDX-License-Identifier: Apache-2.0
// The core of concurrent_vector: elements in segments that never move, and a counter from which threads claim places.
//
// A claim [first, last) obliges: every segment of it becomes ready or failed, and every place of it in a ready segment
// is constructed or, if that throws, filled with zero bytes, as TBB documents. Zeroed places are remembered, and not
// destroyed: what an allocator has not constructed it does not destroy. The counter never goes back while threads grow.
//
// Growth and reads may run at the same time; members below "not concurrently" may not run beside anything.
#pragma once

#include <ashlar/containers/element_end.h>
#include <ashlar/containers/place_ranges.h>
#include <ashlar/containers/segment_table.h>

#include <cstring>
#include <type_traits>

namespace ashlar {
inline namespace v1 {
namespace containers {

template <typename T, typename Allocator>
class growing_array {
  using traits = std::allocator_traits<Allocator>;

 public:
  using table = segment_table<T, Allocator>;

  explicit growing_array(Allocator const& a) noexcept : table_(a), count_(0) {}
  ~growing_array() { destroy_from(0); }

  Allocator const& allocator() const noexcept { return table_.allocator(); }
  table const& segments() const noexcept { return table_; }
  ASHLAR_ALWAYS_INLINE T* address(std::size_t i) const noexcept { return table_.address(i); }

  /// Elements whose memory exists, up to the first gap that a failed growth has left; among them all of growths that
  /// are over.
  std::size_t size() const noexcept {
    std::size_t const claimed = count_.load(mo::relaxed);
    std::size_t const room = table_.capacity();
    return claimed < room ? claimed : room;
  }
  std::size_t max_size() const noexcept {
    std::size_t const most = (~std::size_t{0} >> 17) / sizeof(T);  // the address space
    std::size_t const allocators = traits::max_size(allocator());
    return most < allocators ? most : allocators;
  }

  /// Claims n places and constructs each by construct(allocator, place); returns the first one's index.
  template <typename Construct>
  std::size_t grow(std::size_t n, Construct&& construct) {
    check_growth(n);
    std::size_t const first = count_.fetch_add(n, mo::relaxed);
    fill(first, first + n, construct);
    return first;
  }
  /// Claims what is missing of n places. Waits for the memory of the others, not for their construction.
  template <typename Construct>
  std::size_t grow_to(std::size_t n, Construct&& construct) {
    std::size_t first = count_.load(mo::relaxed);
    if (first < n) check_growth(n - first);
    while (first < n) {
      if (count_.compare_exchange(first, n, mo::relaxed, mo::relaxed)) {
        fill(first, n, construct);
        return first;
      }
    }
    if (n != 0) prepare(0, n);
    return n;
  }
  /// push_back: as grow(1), with the element's address.
  template <typename... Args>
  ASHLAR_ALWAYS_INLINE T* append(std::size_t& index, Args&&... args) {
    std::size_t const i = count_.fetch_add(1, mo::relaxed);
    index = i;
    if (ASHLAR_UNLIKELY(!table_.is_ready(segment_of(i)))) open(i);
    T* const place = table_.address(i);
    if constexpr (std::is_nothrow_constructible_v<T, Args&&...>) {
      traits::construct(table_.allocator(), place, std::forward<Args>(args)...);
    } else {
      ASHLAR_TRY { traits::construct(table_.allocator(), place, std::forward<Args>(args)...); }
      ASHLAR_CATCH_ALL {
        leave_out(place, i, i + 1);
        ASHLAR_RETHROW;
      }
    }
    return place;
  }

  // ---- not concurrently

  void reserve(std::size_t n) {
    if (n > max_size()) throw_exception(exception_id::reservation_length_error);
    if (n == 0) return;
    choose_first_block(n);
    ASHLAR_TRY {
      for (unsigned k = 0; k <= segment_of(n - 1); ++k) {
        if (!table_.ensure(k)) throw_exception(exception_id::bad_last_alloc);
      }
    }
    ASHLAR_CATCH_ALL {
      if (count_.load(mo::relaxed) <= table_.capacity()) table_.repair();  // nobody was promised the failed segments
      ASHLAR_RETHROW;
    }
  }
  /// Destroys the elements from `keep` on; the memory stays, and what failed may be tried again.
  void destroy_from(std::size_t keep) noexcept {
    std::size_t const count = count_.load(mo::relaxed);
    if constexpr (!ends_unnoticed<Allocator, T>) destroy_range(keep, count);
    if (keep < count) drop_from(keep);
  }
  /// The same for places without elements.
  void drop_from(std::size_t keep) noexcept {
    count_.store(keep, mo::relaxed);
    zeroed_.drop_from(keep);
    table_.repair();
  }
  /// The two halves of clear(): destroys elements [first, last) only; several threads may do so for disjoint ranges, if
  /// all elements have been destroyed when forget() takes them out.
  void destroy_range(std::size_t first, std::size_t last) noexcept {
    zeroed_.each_outside(first, last, [this](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to;) {
        std::size_t const end = piece_end(i, to);
        if (T* const p = table_.address_or_null(i)) destroy(p, end - i);
        i = end;
      }
    });
  }
  void forget() noexcept { drop_from(0); }
  std::size_t claimed() const noexcept { return count_.load(mo::relaxed); }
  /// One block that holds all elements, and nothing else. An exception leaves the array as it was.
  void compact() {
    std::size_t const n = size();
    destroy_from(n);
    if (n == 0) {
      table_.release_all();
    } else if (unsigned const needed = segment_of(n - 1) + 1; table_.first_block() == needed) {
      table_.release_from(needed);
    } else {
      growing_array whole(allocator());
      std::size_t i = 0;
      whole.reserve(n);
      whole.grow(n, [&](Allocator& a, T* place) { traits::construct(a, place, std::move_if_noexcept(*address(i++))); });
      swap(whole);
    }
  }
  void swap(growing_array& other) noexcept {
    table_.swap(other.table_);
    zeroed_.swap(other.zeroed_);
    std::size_t const mine = count_.load(mo::relaxed);
    count_.store(other.count_.load(mo::relaxed), mo::relaxed);
    other.count_.store(mine, mo::relaxed);
  }
  Allocator& mutable_allocator() noexcept { return table_.allocator(); }
  void release() noexcept {
    destroy_from(0);
    table_.release_all();
  }

 private:
  static std::size_t piece_end(std::size_t i, std::size_t last) noexcept {
    unsigned const k = segment_of(i);
    std::size_t const end = segment_base(k) + segment_size(k);
    return end < last ? end : last;
  }
  // Places [first, last), which begin at p and lie in one segment, get no element.
  void leave_out(T* p, std::size_t first, std::size_t last) noexcept {
    std::memset(static_cast<void*>(p), 0, (last - first) * sizeof(T));
    if constexpr (!ends_unnoticed<Allocator, T>) zeroed_.add(first, last);
  }
  void destroy(T* first, std::size_t n) noexcept {
    for (T* p = first; p != first + n; ++p) traits::destroy(table_.allocator(), p);
  }
  void check_growth(std::size_t n) const {
    if (n > max_size() - count_.load(mo::relaxed)) throw_exception(exception_id::reservation_length_error);
  }
  // Small elements start with a cache line of them.
  void choose_first_block(std::size_t elements) noexcept {
    std::size_t const line = 64 / sizeof(T);
    table_.choose_first_block(elements < line ? line : elements);
  }

  ASHLAR_COLD void open(std::size_t i) { prepare(i, i + 1); }
  // A segment becomes ready only after those before it, else size() would not count what a thread has just appended.
  void prepare(std::size_t first, std::size_t last) {
    choose_first_block(last);
    ASHLAR_TRY {
      for (unsigned k = 0; k <= segment_of(last - 1); ++k) {
        if (!table_.ensure(k) && k >= segment_of(first)) throw_exception(exception_id::bad_last_alloc);
      }
    }
    ASHLAR_CATCH_ALL {
      abandon(first, last);
      ASHLAR_RETHROW;
    }
  }
  void abandon(std::size_t first, std::size_t last) noexcept {
    for (std::size_t i = first; i < last;) {
      std::size_t const end = piece_end(i, last);
      if (table_.settle(segment_of(i))) leave_out(table_.address(i), i, end);
      i = end;
    }
  }

  template <typename Construct>
  void fill(std::size_t first, std::size_t last, Construct& construct) {
    if (first == last) return;
    if (unsigned const k = segment_of(last - 1); segment_of(first) != k || !table_.is_ready(k)) prepare(first, last);
    for (std::size_t i = first; i < last;) {
      std::size_t const end = piece_end(i, last);
      T* place = table_.address(i);
      T* const stop = place + (end - i);
      ASHLAR_TRY {
        for (; place != stop; ++place) construct(table_.allocator(), place);
      }
      ASHLAR_CATCH_ALL {
        abandon(end - static_cast<std::size_t>(stop - place), last);
        ASHLAR_RETHROW;
      }
      i = end;
    }
  }

  // Every access reads the first words of the table, every growth writes the counter: they never share a cache line,
  // wherever the array lies. With two threads that push, that is a quarter of the time.
  static constexpr std::size_t gap = 64 - sizeof(std::size_t) - sizeof(place_ranges) - table::rarely_read;

  table table_;
  place_ranges zeroed_;
  [[maybe_unused]] unsigned char gap_[gap];
  atomic<std::size_t> count_;
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
