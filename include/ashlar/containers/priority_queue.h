// SPDX-License-Identifier: Apache-2.0
// tbb::concurrent_priority_queue: a heap of four children per node under a lock. Sections of some ten nanoseconds are
// best served by a lock whose holder is left alone for several of them (sync/mutex.h): handing operations to one
// another costs more cache misses than the heap's own work. include/tbb/concurrent_priority_queue.h documents the
// class.
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/base/cache_line.h>
#include <ashlar/containers/stable_heap.h>
#include <ashlar/sync/mutex.h>

#include <initializer_list>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace tbb {

template <typename T>
class cache_aligned_allocator;
ASHLAR_HOME(5)

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
    heap_.reserve(capacity);
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
  concurrent_priority_queue(concurrent_priority_queue&& other) : heap_(std::move(other.heap_)) {
    count();
    other.count();
  }
  concurrent_priority_queue(concurrent_priority_queue&& other, Allocator const& a)
      : heap_(std::move(counting{other}.queue.heap_), a) {
    count();
  }

  concurrent_priority_queue& operator=(concurrent_priority_queue const& other) {
    counting const counted{*this};
    if (this != &other) heap_ = other.heap_;
    return *this;
  }
  concurrent_priority_queue& operator=(concurrent_priority_queue&& other) {
    counting const counted{*this};
    counting const others_counted{other};
    if (this != &other) heap_ = std::move(other.heap_);
    return *this;
  }
  concurrent_priority_queue& operator=(std::initializer_list<T> list) {
    assign(list);
    return *this;
  }
  template <typename Iterator, typename = if_iterator<Iterator>>
  void assign(Iterator first, Iterator last) {
    counting const counted{*this};
    heap_.assign(first, last);
  }
  void assign(std::initializer_list<T> list) { assign(list.begin(), list.end()); }
  void swap(concurrent_priority_queue& other) {
    using std::swap;
    swap(heap_, other.heap_);
    count();
    other.count();
  }

  void push(T const& value) {
    made element(get_allocator(), value);
    insert(std::move(element.value));
  }
  void push(T&& value) { insert(std::move(value)); }
  template <typename... Args>
  void emplace(Args&&... args) {
    insert(T(std::forward<Args>(args)...));
  }
  // Assigns the greatest element to `result` and removes it; false if there is none.
  bool try_pop(T& result) {
    if (empty()) return false;
    lock const guard(mutex_);
    counting const counted{*this};
    return heap_.pop(result);
  }

  size_type size() const noexcept { return size_.load(order::relaxed); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  void clear() noexcept {
    heap_.clear();
    count();
  }
  allocator_type get_allocator() const { return heap_.get_allocator(); }

  friend void swap(concurrent_priority_queue& a, concurrent_priority_queue& b) { a.swap(b); }
  // The same elements in the same order of leaving. Not thread-safe.
  friend bool operator==(concurrent_priority_queue const& a, concurrent_priority_queue const& b) {
    return a.size() == b.size() && equal(a.heap_, b.heap_);
  }
  friend bool operator!=(concurrent_priority_queue const& a, concurrent_priority_queue const& b) { return !(a == b); }

 private:
  void insert(T&& value) {
    lock const guard(mutex_);
    heap_.push(std::move(value));
    count();
  }
  // A copy on its way into the queue, which the allocator constructs, so that a scoped one is handed on.
  struct made {
    made(Allocator const& a, T const& original) : allocator(a) {
      traits::construct(allocator, std::addressof(value), original);
    }
    made(made const&) = delete;
    made& operator=(made const&) = delete;
    ~made() { traits::destroy(allocator, std::addressof(value)); }

    [[no_unique_address]] Allocator allocator;
    union {
      T value;
    };
  };
  struct counting {
    concurrent_priority_queue& queue;
    ~counting() { queue.count(); }
  };
  void count() noexcept { size_.store(heap_.size(), order::relaxed); }

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

template <typename T, typename Allocator, typename = typename Allocator::value_type>
concurrent_priority_queue(std::initializer_list<T>, Allocator) -> concurrent_priority_queue<T, std::less<T>, Allocator>;

ASHLAR_HOME_END
ASHLAR_KNOWN_IN(5, concurrent_priority_queue)

}  // namespace tbb
