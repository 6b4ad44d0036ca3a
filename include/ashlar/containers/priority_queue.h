// SPDX-License-Identifier: Apache-2.0
// tbb::concurrent_priority_queue: a heap of four children per node under a lock. Sections of some ten nanoseconds are
// best served by a lock whose holder is left alone for several of them (sync/mutex.h): handing operations to one
// another costs more cache misses than the heap's own work. include/tbb/concurrent_priority_queue.h documents the
// class.
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/base/cache_line.h>
#include <ashlar/containers/element_stack.h>
#include <ashlar/sync/mutex.h>

#include <initializer_list>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace containers {

// A heap; the greatest element first. Not thread-safe. Elements count from 3, the children of element i are 4 i - 8 to
// 4 i - 5.
template <typename T, typename Compare, typename Allocator>
class heap {
 public:
  heap(Compare const& c, Allocator const& a) : elements(a), compare(c) {}
  heap(heap const& other, Allocator const& a) : elements(other.elements, a), compare(other.compare) {}
  heap(heap&& other, Allocator const& a) : elements(std::move(other.elements), a), compare(std::move(other.compare)) {}

  // Unchanged if the memory or the comparison throws.
  void push(T&& value) {
    elements.push_back(std::move(value));
    ASHLAR_TRY { rise(elements.end() - 1); }
    ASHLAR_CATCH_ALL {
      elements.pop_back();
      ASHLAR_RETHROW;
    }
  }
  // For who has moved from the first element.
  void drop_first() {
    if (elements.size() > 1) {
      T last(std::move(elements.back()));
      elements.pop_back();
      sink(top, last);
    } else {
      elements.pop_back();
    }
  }
  void restore() {
    if (elements.size() < 2) return;
    for (std::size_t i = parent(elements.end() - 1) + 1; i-- > top;) {
      T value(std::move(elements[i]));
      sink(i, value);
    }
  }

  element_stack<T, Allocator> elements;
  Compare compare;

 private:
  static constexpr std::size_t top = element_stack<T, Allocator>::first;
  static std::size_t parent(std::size_t i) noexcept { return i / 4 + 2; }

  // The place that is free while elements move; gets its element at the end, also that of an exception.
  struct hole {
    std::size_t at;
    T* place;
    T& value;
    ~hole() { *place = std::move(value); }
    void move_to(std::size_t next, T* element) {
      *place = std::move(*element);
      at = next;
      place = element;
    }
  };
  void rise(std::size_t at) {
    auto const places = elements.places();
    if (at == top) return;
    T* const lowest = places[at];
    T* above = places[parent(at)];
    if (!compare(*above, *lowest)) return;
    T value(std::move(*lowest));
    struct undo {
      heap& whole;
      hole h;
      std::size_t const from;
      bool done = false;
      // The last element again, so that push() can remove it: what had moved down moves up.
      ~undo() {
        if (done || h.at == from) return;
        std::size_t path[32];
        int n = 0;
        for (std::size_t i = from; i != h.at; i = parent(i)) path[n++] = i;
        while (n > 0) {
          std::size_t const next = path[--n];
          h.move_to(next, whole.elements.places()[next]);
        }
      }
    } u{*this, {at, lowest, value}, at};
    hole& h = u.h;
    for (;;) {
      h.move_to(parent(h.at), above);
      if (h.at == top) break;
      above = places[parent(h.at)];
      if (!compare(*above, value)) break;
    }
    u.done = true;
  }
  void sink(std::size_t at, T& value) {
    auto const places = elements.places();
    hole h{at, places[at], value};
    std::size_t const n = elements.end();
    for (;;) {
      std::size_t const first = 4 * (h.at - 2);
      if (first >= n) return;
      std::size_t const end = first + 4 < n ? first + 4 : n;
      T* const child = places[first];
      std::size_t best = 0;
      for (std::size_t i = 1; i < end - first; ++i) {
        if (compare(child[best], child[i])) best = i;
      }
      T* const greatest = child + best;
      if (!compare(value, *greatest)) return;
      h.move_to(first + best, greatest);
    }
  }
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar

namespace tbb {

template <typename T>
class cache_aligned_allocator;

template <typename T, typename Compare = std::less<T>, typename Allocator = cache_aligned_allocator<T>>
class concurrent_priority_queue {
  using heap = ::ashlar::containers::heap<T, Compare, Allocator>;
  using traits = std::allocator_traits<Allocator>;
  using order = ::ashlar::order;
  using lock = ::ashlar::sync::brief_mutex::scoped_lock;
  template <typename Iterator>
  using if_iterator = typename std::iterator_traits<Iterator>::iterator_category;

 public:
  using value_type = T;
  using reference = T&;
  using const_reference = T const&;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using allocator_type = Allocator;

  concurrent_priority_queue() : concurrent_priority_queue(Compare(), Allocator()) {}
  explicit concurrent_priority_queue(Allocator const& a) : concurrent_priority_queue(Compare(), a) {}
  explicit concurrent_priority_queue(Compare const& compare, Allocator const& a = Allocator()) : heap_(compare, a) {}
  explicit concurrent_priority_queue(size_type capacity, Allocator const& a = Allocator())
      : concurrent_priority_queue(capacity, Compare(), a) {}
  concurrent_priority_queue(size_type capacity, Compare const& compare, Allocator const& a = Allocator())
      : heap_(compare, a) {
    heap_.elements.reserve(capacity);
  }
  template <typename Iterator, typename = if_iterator<Iterator>>
  concurrent_priority_queue(Iterator first, Iterator last, Compare const& compare, Allocator const& a = Allocator())
      : heap_(compare, a) {
    assign(first, last);
  }
  template <typename Iterator, typename = if_iterator<Iterator>>
  concurrent_priority_queue(Iterator first, Iterator last, Allocator const& a = Allocator())
      : concurrent_priority_queue(first, last, Compare(), a) {}
  concurrent_priority_queue(std::initializer_list<T> list, Compare const& compare, Allocator const& a = Allocator())
      : concurrent_priority_queue(list.begin(), list.end(), compare, a) {}
  concurrent_priority_queue(std::initializer_list<T> list, Allocator const& a = Allocator())
      : concurrent_priority_queue(list.begin(), list.end(), Compare(), a) {}
  concurrent_priority_queue(concurrent_priority_queue const& other)
      : concurrent_priority_queue(other, traits::select_on_container_copy_construction(other.get_allocator())) {}
  concurrent_priority_queue(concurrent_priority_queue const& other, Allocator const& a) : heap_(other.heap_, a) {
    count();
  }
  concurrent_priority_queue(concurrent_priority_queue&& other)
      : concurrent_priority_queue(std::move(other), other.get_allocator()) {}
  concurrent_priority_queue(concurrent_priority_queue&& other, Allocator const& a) : heap_(std::move(other.heap_), a) {
    count();
    other.clear();
  }

  concurrent_priority_queue& operator=(concurrent_priority_queue const& other) {
    if (this != &other) {
      heap_.elements = other.heap_.elements;
      heap_.compare = other.heap_.compare;
      count();
    }
    return *this;
  }
  concurrent_priority_queue& operator=(concurrent_priority_queue&& other) {
    if (this != &other) {
      heap_.elements = std::move(other.heap_.elements);
      heap_.compare = std::move(other.heap_.compare);
      count();
      other.clear();
    }
    return *this;
  }
  concurrent_priority_queue& operator=(std::initializer_list<T> list) {
    assign(list);
    return *this;
  }
  template <typename Iterator, typename = if_iterator<Iterator>>
  void assign(Iterator first, Iterator last) {
    heap_.elements.assign(first, last);
    heap_.restore();
    count();
  }
  void assign(std::initializer_list<T> list) { assign(list.begin(), list.end()); }
  void swap(concurrent_priority_queue& other) {
    using std::swap;
    swap(heap_.elements, other.heap_.elements);
    swap(heap_.compare, other.heap_.compare);
    count();
    other.count();
  }

  void push(T const& value) { insert(T(value)); }
  void push(T&& value) { insert(std::move(value)); }
  template <typename... Args>
  void emplace(Args&&... args) {
    insert(T(std::forward<Args>(args)...));
  }
  // Assigns the greatest element to `result` and removes it; false if there is none.
  bool try_pop(T& result) {
    if (empty()) return false;
    lock const guard(mutex_);
    if (heap_.elements.empty()) return false;
    counting const counted{*this};  // also when a comparison throws
    result = std::move(heap_.elements.front());
    heap_.drop_first();
    return true;
  }

  size_type size() const noexcept { return size_.load(order::relaxed); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  void clear() noexcept {
    heap_.elements.clear();
    count();
  }
  allocator_type get_allocator() const { return heap_.elements.get_allocator(); }

  friend void swap(concurrent_priority_queue& a, concurrent_priority_queue& b) { a.swap(b); }
  // The same elements in the same order of leaving. Not thread-safe; copies both queues.
  friend bool operator==(concurrent_priority_queue const& a, concurrent_priority_queue const& b) {
    if (a.size() != b.size()) return false;
    heap first(a.heap_, a.get_allocator());
    heap second(b.heap_, b.get_allocator());
    for (; !first.elements.empty(); first.drop_first(), second.drop_first()) {
      if (!(first.elements.front() == second.elements.front())) return false;
    }
    return true;
  }
  friend bool operator!=(concurrent_priority_queue const& a, concurrent_priority_queue const& b) { return !(a == b); }

 private:
  void insert(T&& value) {
    lock const guard(mutex_);
    heap_.push(std::move(value));
    count();
  }
  struct counting {
    concurrent_priority_queue& queue;
    ~counting() { queue.count(); }
  };
  void count() noexcept { size_.store(heap_.elements.size(), order::relaxed); }

  // The lock and what it protects move between processors together.
  alignas(::ashlar::cache_line)::ashlar::sync::brief_mutex mutex_;
  ::ashlar::atomic<std::size_t> size_{0};
  heap heap_;
};

template <typename Iterator, typename = typename std::iterator_traits<Iterator>::iterator_category,
          typename T = typename std::iterator_traits<Iterator>::value_type, typename Compare = std::less<T>,
          typename Allocator = cache_aligned_allocator<T>,
          typename = std::enable_if_t<std::is_invocable_v<Compare const&, T const&, T const&>>>
concurrent_priority_queue(Iterator, Iterator, Compare = Compare(), Allocator = Allocator())
    -> concurrent_priority_queue<T, Compare, Allocator>;
template <typename Iterator, typename T = typename std::iterator_traits<Iterator>::value_type, typename Allocator,
          typename = typename Allocator::value_type>
concurrent_priority_queue(Iterator, Iterator, Allocator) -> concurrent_priority_queue<T, std::less<T>, Allocator>;
template <typename T, typename Compare, typename Allocator = cache_aligned_allocator<T>,
          typename = std::enable_if_t<std::is_invocable_v<Compare const&, T const&, T const&>>>
concurrent_priority_queue(std::initializer_list<T>, Compare, Allocator = Allocator())
    -> concurrent_priority_queue<T, Compare, Allocator>;

}  // namespace tbb
