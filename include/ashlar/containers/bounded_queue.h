// SPDX-License-Identifier: Apache-2.0
// tbb::concurrent_bounded_queue: the segmented queue with a capacity and two gates, where producers wait for room and
// consumers for elements. include/tbb/concurrent_queue.h documents it.
//
// A producer compares the tail that it is about to claim with a remembered head, so an uncontended push or pop costs
// what the unbounded queue's does and a load of the other side's gate.
//
// Ordering   [BQ1] a waiter, counted at its gate, looks at capacity, hungry consumers, aborts <-> [BQ2] these change,
//                 then the gate's count is read (sync/wait_gate.h)
// Model      tests/model/bounded_queue_model.cpp
#pragma once

#include <ashlar/base/throw.h>
#include <ashlar/containers/element_queue.h>
#include <ashlar/sync/wait_gate.h>

namespace tbb {

template <typename T>
class cache_aligned_allocator;

template <typename T, typename Allocator = cache_aligned_allocator<T>>
class concurrent_bounded_queue : public ::ashlar::containers::element_queue<T, Allocator> {
  using base = ::ashlar::containers::element_queue<T, Allocator>;
  using order = ::ashlar::order;
  using typename base::traits;

 public:
  using size_type = std::ptrdiff_t;

  concurrent_bounded_queue() : concurrent_bounded_queue(Allocator()) {}
  explicit concurrent_bounded_queue(Allocator const& a) : base(a) {}
  template <typename Iterator, typename = ::ashlar::containers::if_iterator<Iterator>>
  concurrent_bounded_queue(Iterator first, Iterator last, Allocator const& a = Allocator())
      : concurrent_bounded_queue(a) {
    this->append(first, last);
  }
  concurrent_bounded_queue(std::initializer_list<T> list, Allocator const& a = Allocator())
      : concurrent_bounded_queue(list.begin(), list.end(), a) {}
  concurrent_bounded_queue(concurrent_bounded_queue const& other)
      : concurrent_bounded_queue(other, traits::select_on_container_copy_construction(other.get_allocator())) {}
  concurrent_bounded_queue(concurrent_bounded_queue const& other, Allocator const& a) : concurrent_bounded_queue(a) {
    this->append_copies(other);
    exchange_limit(other.limit());
  }
  concurrent_bounded_queue(concurrent_bounded_queue&& other) : concurrent_bounded_queue(other.get_allocator()) {
    swap(other);
  }
  concurrent_bounded_queue(concurrent_bounded_queue&& other, Allocator const& a) : concurrent_bounded_queue(a) {
    this->take(other);
    exchange_limit(other.limit());
  }
  ~concurrent_bounded_queue() = default;

  /// Unchanged if a copy throws.
  concurrent_bounded_queue& operator=(concurrent_bounded_queue const& other) {
    if (this != &other) {
      concurrent_bounded_queue copy(other, ::ashlar::containers::allocator_for_copy(*this, other));
      swap(copy);
    }
    return *this;
  }
  concurrent_bounded_queue& operator=(concurrent_bounded_queue&& other) noexcept(base::takes_without_exceptions) {
    if (this != &other) {
      concurrent_bounded_queue taken(std::move(other), ::ashlar::containers::allocator_for_move(*this, other));
      swap(taken);
    }
    return *this;
  }
  concurrent_bounded_queue& operator=(std::initializer_list<T> list) {
    assign(list);
    return *this;
  }
  template <typename Iterator, typename = ::ashlar::containers::if_iterator<Iterator>>
  void assign(Iterator first, Iterator last) {
    concurrent_bounded_queue fresh(first, last, this->get_allocator());
    this->core_.swap(fresh.core_);
  }
  void assign(std::initializer_list<T> list) { assign(list.begin(), list.end()); }
  void swap(concurrent_bounded_queue& other) {
    this->core_.swap(other.core_);
    other.exchange_limit(exchange_limit(other.limit()));
  }

  void push(T const& value) { push_or_wait(this->maker(value)); }
  void push(T&& value) { push_or_wait(this->maker(std::move(value))); }
  template <typename... Args>
  void emplace(Args&&... args) {
    push_or_wait(this->maker(std::forward<Args>(args)...));
  }
  bool try_push(T const& value) { return push_if_room(this->maker(value)); }
  bool try_push(T&& value) { return push_if_room(this->maker(std::move(value))); }
  template <typename... Args>
  bool try_emplace(Args&&... args) {
    return push_if_room(this->maker(std::forward<Args>(args)...));
  }

  void pop(T& result) {
    if (ASHLAR_UNLIKELY(!try_pop(result))) wait_and_pop(result);
  }
  bool try_pop(T& result) {
    opening const o{producers_};
    return this->core_.try_pop(result);
  }

  /// Ends all blocking operations that wait now: they throw user_abort and have no effect.
  void abort() {
    aborts_.fetch_add(1, order::seq_cst);  // [BQ2]
    producers_.open_all();
    consumers_.open_all();
  }

  size_type size() const noexcept { return static_cast<size_type>(this->core_.size()) + blocked_.load(order::relaxed); }
  /// Seen together with size(): an element that a waiting consumer is about to take does not count.
  [[nodiscard]] bool empty() const noexcept { return size() <= 0; }
  size_type capacity() const noexcept { return static_cast<size_type>(limit()); }
  /// Negative: unlimited. Elements beyond a smaller capacity stay.
  void set_capacity(size_type capacity) noexcept {
    limit_.store(capacity < 0 ? unlimited : static_cast<std::size_t>(capacity), order::seq_cst);  // [BQ2]
    producers_.open_all();
  }

  friend void swap(concurrent_bounded_queue& a, concurrent_bounded_queue& b) { a.swap(b); }

 private:
  static constexpr std::size_t unlimited = ~std::size_t{0} / 2;

  // A place became free, even if the assignment of the popped element throws.
  struct opening {
    ::ashlar::sync::wait_gate& gate;
    ~opening() { gate.open_one(); }
  };
  // Counts a thread that waits: +1 for a producer, -1 for a consumer.
  struct waiting {
    concurrent_bounded_queue& queue;
    int sign;
    waiting(concurrent_bounded_queue& q, int s) noexcept : queue(q), sign(s) { count(sign); }
    ~waiting() { count(-sign); }
    void count(int n) noexcept {
      queue.blocked_.fetch_add(n, order::relaxed);
      if (sign < 0) queue.hungry_.fetch_add(static_cast<std::size_t>(-n), order::seq_cst);  // [BQ2]
    }
  };

  std::size_t limit() const noexcept { return limit_.load(order::relaxed); }
  std::size_t exchange_limit(std::size_t limit) noexcept { return limit_.exchange(limit, order::relaxed); }
  // With capacity 0 as many elements as consumers wait for.
  std::size_t room() const noexcept {
    std::size_t const l = limit_.load(order::seq_cst);                // [BQ1]
    return ASHLAR_LIKELY(l != 0) ? l : hungry_.load(order::seq_cst);  // [BQ1]
  }

  template <typename Construct>
  bool push_if_room(Construct const& construct) {
    if (!this->core_.push_within(room(), construct)) return false;
    consumers_.open_one();
    return true;
  }
  template <typename Construct>
  void push_or_wait(Construct const& construct) {
    if (ASHLAR_UNLIKELY(!push_if_room(construct))) wait_and_push(construct);
  }
  // A thread is counted from its first look in vain, so that size() shows a waiter that has not fallen asleep yet, as
  // oneTBB's tickets do. With capacity 0 producers go by that count.
  template <typename Construct>
  ASHLAR_NOINLINE void wait_and_push(Construct const& construct) {
    auto const epoch = aborts_.load(order::relaxed);
    auto const ready = [this, epoch]() noexcept { return this->core_.has_room(room()) || is_aborted(epoch); };
    waiting const counted(*this, 1);
    while (producers_.spin(ready)) {
      throw_if_aborted(epoch);
      if (push_if_room(construct)) return;
    }
    do {
      producers_.sleep(ready);
      throw_if_aborted(epoch);
    } while (!push_if_room(construct));
  }
  ASHLAR_NOINLINE void wait_and_pop(T& result) {
    auto const epoch = aborts_.load(order::relaxed);
    auto const ready = [this, epoch]() noexcept { return !this->core_.empty() || is_aborted(epoch); };
    waiting const counted(*this, -1);
    while (limit() != 0 && consumers_.spin(ready)) {
      throw_if_aborted(epoch);
      if (try_pop(result)) return;
    }
    if (limit() == 0) producers_.open_one();
    do {
      consumers_.sleep(ready);
      throw_if_aborted(epoch);
    } while (!try_pop(result));
  }
  void throw_if_aborted(std::uint32_t epoch) const {
    if (is_aborted(epoch)) ::ashlar::throw_exception(::ashlar::exception_id::user_abort);
  }
  bool is_aborted(std::uint32_t epoch) const noexcept {
    return aborts_.load(order::seq_cst) != epoch;  // [BQ1]
  }

  // Rarely written, read by everybody.
  ::ashlar::atomic<std::size_t> limit_{unlimited};
  ::ashlar::atomic<std::uint32_t> aborts_{0};
  ::ashlar::sync::wait_gate producers_;
  ::ashlar::sync::wait_gate consumers_;
  // Producers minus consumers that wait, and consumers that wait.
  ::ashlar::atomic<std::ptrdiff_t> blocked_{0};
  ::ashlar::atomic<std::size_t> hungry_{0};
};

template <typename Iterator, typename = ::ashlar::containers::if_iterator<Iterator>,
          typename T = typename std::iterator_traits<Iterator>::value_type,
          typename Allocator = cache_aligned_allocator<T>>
concurrent_bounded_queue(Iterator, Iterator, Allocator = Allocator()) -> concurrent_bounded_queue<T, Allocator>;

}  // namespace tbb
