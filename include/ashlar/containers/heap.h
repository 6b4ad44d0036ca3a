// SPDX-License-Identifier: Apache-2.0
// The heap of tbb::concurrent_priority_queue: four children per node. Not thread-safe.
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/containers/element_stack.h>
#include <ashlar/containers/emptied_source.h>
#include <ashlar/containers/give_function.h>

#include <memory>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace containers {

/// What a pop gives of an element of a heap; another one for elements that have more than that.
template <typename T>
T& value_of(T& element) noexcept {
  return element;
}

/// A heap; the greatest element first. Not thread-safe. Elements count from 3, the children of element i are 4 i - 8 to
/// 4 i - 5.
///
/// Popping leaves a gap at the top, which the next push fills from above: an element that leaves soon after it came, as
/// the greatest ones do, never moves. Only for elements of which nobody notices that a copy is destroyed later.
template <typename T, typename Compare, typename Allocator>
class heap {
 public:
  heap(Compare const& c, Allocator const& a) : compare_(c), elements_(a) {}
  heap(heap const& other, Allocator const& a)
      : compare_(other.compare_), gap_(other.gap_), elements_(other.elements_, a) {}
  heap(heap&& other) : compare_(other.compare_), gap_(other.gap_), elements_(std::move(other.elements_)) {
    other.clear();
  }
  heap(heap&& other, Allocator const& a)
      : compare_(other.compare_), gap_(std::exchange(other.gap_, false)), elements_(std::move(other.elements_), a) {
    other.clear();
  }
  /// Empty if a copy or the memory throws.
  heap& operator=(heap const& other) {
    replace([&] { elements_ = other.elements_; });
    gap_ = other.gap_;
    compare_ = other.compare_;
    return *this;
  }
  heap& operator=(heap&& other) {
    emptied_source const emptied(other);
    replace([&] { elements_ = std::move(other.elements_); });
    gap_ = other.gap_;
    give_function(compare_, other.compare_);
    return *this;
  }
  template <typename Iterator>
  void assign(Iterator first, Iterator last) {
    replace([&] {
      elements_.assign(first, last);
      restore();
    });
  }
  friend void swap(heap& a, heap& b) {
    using std::swap;
    swap(a.compare_, b.compare_);
    swap(a.elements_, b.elements_);
    swap(a.gap_, b.gap_);
  }

  std::size_t size() const noexcept { return elements_.size() - gap_; }
  void reserve(std::size_t n) { elements_.reserve(n); }
  void clear() noexcept {
    elements_.clear();
    gap_ = false;
  }
  Allocator get_allocator() const { return elements_.get_allocator(); }

  /// Unchanged if the memory or the comparison throws.
  void push(T&& value) {
    if (gap_) {
      sink(top, value, elements_.end());
      gap_ = false;
      return;
    }
    elements_.push_back(std::move(value));
    ASHLAR_TRY { rise(elements_.end() - 1); }
    ASHLAR_CATCH_ALL {
      elements_.pop_back();
      ASHLAR_RETHROW;
    }
  }
  /// Unchanged if the assignment or a comparison throws. False if there is no element.
  template <typename Result>
  bool pop(Result& result) {
    if (size() == 0) return false;
    if constexpr (leaves_gap) {
      if (gap_) close_gap();
      result = std::move(value_of(elements_.front()));
      gap_ = true;
    } else {
      result = std::move(value_of(elements_.front()));
      ASHLAR_TRY { close_gap(); }
      ASHLAR_CATCH_ALL {
        value_of(elements_.front()) = std::move(result);
        ASHLAR_RETHROW;
      }
    }
    return true;
  }
  /// The same elements in the same order of leaving. Their addresses leave: the elements are not copied.
  friend bool equal(heap const& a, heap const& b) {
    if (a.size() != b.size()) return false;
    auto as = a.addresses();
    auto bs = b.addresses();
    for (T const *x = nullptr, *y = nullptr; as.pop(x) && bs.pop(y);) {
      if (!(*x == *y)) return false;
    }
    return true;
  }

 private:
  template <typename, typename, typename>
  friend class heap;
  struct address_compare {
    Compare compare;
    bool operator()(T const* a, T const* b) { return compare(*a, *b); }
  };
  // A heap of the elements' addresses, each in its element's place.
  auto addresses() const {
    using memory = std::allocator<T const*>;
    heap<T const*, address_compare, memory> result(address_compare{compare_}, memory());
    result.reserve(elements_.size());
    for (std::size_t i = top; i != elements_.end(); ++i) result.elements_.push_back(std::addressof(elements_[i]));
    result.gap_ = gap_;
    return result;
  }

  static constexpr bool leaves_gap = std::is_trivially_copy_constructible_v<T> && std::is_trivially_destructible_v<T>;
  static constexpr std::size_t top = element_stack<T, Allocator>::first;
  static std::size_t parent(std::size_t i) noexcept { return i / 4 + 2; }

  // The place that is free while elements move.
  struct hole {
    std::size_t at;
    T* place;
    void move_to(std::size_t next, T* element) {
      *place = std::move(*element);
      at = next;
      place = element;
    }
  };
  template <typename Fill>
  void replace(Fill const& fill) {
    clear();
    ASHLAR_TRY { fill(); }
    ASHLAR_CATCH_ALL {
      clear();
      ASHLAR_RETHROW;
    }
  }
  void restore() {
    if (elements_.size() < 2) return;
    for (std::size_t i = parent(elements_.end() - 1) + 1; i-- > top;) {
      T value(std::move(elements_[i]));
      sink(i, value, elements_.end());
    }
  }
  // Overwrites the first element, unless a comparison throws.
  void close_gap() {
    if (elements_.size() > 1) sink(top, elements_.back(), elements_.end() - 1);
    elements_.pop_back();
    gap_ = false;
  }
  void rise(std::size_t from) {
    if (from == top) return;
    auto const places = elements_.places();
    T* const lowest = places[from];
    T* above = places[parent(from)];
    if (!compare_(*above, *lowest)) return;
    T value(std::move(*lowest));
    hole h{from, lowest};
    ASHLAR_TRY {
      for (;;) {
        h.move_to(parent(h.at), above);
        if (h.at == top) break;
        above = places[parent(h.at)];
        if (!compare_(*above, value)) break;
      }
    }
    ASHLAR_CATCH_ALL {
      // The last element again, so that push() can remove it: what has moved down moves up.
      std::size_t path[32];
      int n = 0;
      for (std::size_t i = from; i != h.at; i = parent(i)) path[n++] = i;
      for (; n > 0; --n) h.move_to(path[n - 1], places[path[n - 1]]);
      *h.place = std::move(value);
      ASHLAR_RETHROW;
    }
    *h.place = std::move(value);
  }
  // Of the elements up to n. The place is as it was, and the value not moved from, if a comparison throws.
  void sink(std::size_t from, T& value, std::size_t n) {
    auto const places = elements_.places();
    hole h{from, places[from]};
    ASHLAR_TRY {
      for (;;) {
        std::size_t const first = 4 * (h.at - 2);
        if (first >= n) break;
        std::size_t const end = first + 4 < n ? first + 4 : n;
        T* const child = places[first];
        std::size_t best = 0;
        for (std::size_t i = 1; i < end - first; ++i) {
          if (compare_(child[best], child[i])) best = i;
        }
        if (!compare_(value, child[best])) break;
        h.move_to(first + best, child + best);
      }
    }
    ASHLAR_CATCH_ALL {
      while (h.at != from) h.move_to(parent(h.at), places[parent(h.at)]);
      ASHLAR_RETHROW;
    }
    *h.place = std::move(value);
  }

  [[no_unique_address]] Compare compare_;
  bool gap_ = false;  // the first element has left
  element_stack<T, Allocator> elements_;
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
