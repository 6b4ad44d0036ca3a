// SPDX-License-Identifier: Apache-2.0
// tbb::concurrent_queue. include/tbb/concurrent_queue.h documents it.
#pragma once

#include <ashlar/containers/element_queue.h>

namespace tbb {

template <typename T>
class cache_aligned_allocator;

// Classic programs that define TBB_DEPRECATED mean the queue of TBB 2.0 by tbb::concurrent_queue (deprecated_queue.h).
#if ASHLAR_CLASSIC_DIALECT && defined(TBB_DEPRECATED) && TBB_DEPRECATED - 0
namespace strict_ppl {
#endif

template <typename T, typename Allocator = ::tbb::cache_aligned_allocator<T>>
class concurrent_queue : public ::ashlar::containers::element_queue<T, Allocator> {
  using base = ::ashlar::containers::element_queue<T, Allocator>;
  using typename base::traits;

 public:
  using size_type = std::size_t;

  concurrent_queue() : concurrent_queue(Allocator()) {}
  explicit concurrent_queue(Allocator const& a) : base(a) {}
  template <typename Iterator, typename = ::ashlar::containers::if_iterator<Iterator>>
  concurrent_queue(Iterator first, Iterator last, Allocator const& a = Allocator()) : concurrent_queue(a) {
    this->append(first, last);
  }
  concurrent_queue(std::initializer_list<T> list, Allocator const& a = Allocator())
      : concurrent_queue(list.begin(), list.end(), a) {}
  concurrent_queue(concurrent_queue const& other)
      : concurrent_queue(other, traits::select_on_container_copy_construction(other.get_allocator())) {}
  concurrent_queue(concurrent_queue const& other, Allocator const& a) : concurrent_queue(a) {
    this->append_copies(other);
  }
  concurrent_queue(concurrent_queue&& other) : concurrent_queue(other.get_allocator()) {
    this->core_.swap(other.core_);
  }
  concurrent_queue(concurrent_queue&& other, Allocator const& a) : concurrent_queue(a) { this->take(other); }
  ~concurrent_queue() = default;

  /// Unchanged if a copy throws.
  concurrent_queue& operator=(concurrent_queue const& other) {
    if (this != &other) {
      concurrent_queue copy(other, ::ashlar::containers::allocator_for_copy(*this, other));
      this->core_.swap(copy.core_);
    }
    return *this;
  }
  concurrent_queue& operator=(concurrent_queue&& other) noexcept(base::takes_without_exceptions) {
    if (this != &other) {
      concurrent_queue taken(std::move(other), ::ashlar::containers::allocator_for_move(*this, other));
      this->core_.swap(taken.core_);
    }
    return *this;
  }
  concurrent_queue& operator=(std::initializer_list<T> list) {
    assign(list);
    return *this;
  }
  template <typename Iterator, typename = ::ashlar::containers::if_iterator<Iterator>>
  void assign(Iterator first, Iterator last) {
    concurrent_queue fresh(first, last, this->get_allocator());
    this->core_.swap(fresh.core_);
  }
  void assign(std::initializer_list<T> list) { assign(list.begin(), list.end()); }
  void swap(concurrent_queue& other) { this->core_.swap(other.core_); }

  void push(T const& value) { this->core_.push_with(this->maker(value)); }
  void push(T&& value) { this->core_.push_with(this->maker(std::move(value))); }
  template <typename... Args>
  void emplace(Args&&... args) {
    this->core_.push_with(this->maker(std::forward<Args>(args)...));
  }
  [[nodiscard]] bool try_pop(T& result) { return this->core_.try_pop(result); }

  size_type unsafe_size() const noexcept { return this->core_.size(); }
  [[nodiscard]] bool empty() const noexcept { return this->core_.empty(); }

  friend void swap(concurrent_queue& a, concurrent_queue& b) { a.swap(b); }
};

template <typename Iterator, typename = ::ashlar::containers::if_iterator<Iterator>,
          typename T = typename std::iterator_traits<Iterator>::value_type,
          typename Allocator = ::tbb::cache_aligned_allocator<T>>
concurrent_queue(Iterator, Iterator, Allocator = Allocator()) -> concurrent_queue<T, Allocator>;

#if ASHLAR_CLASSIC_DIALECT && defined(TBB_DEPRECATED) && TBB_DEPRECATED - 0
}  // namespace strict_ppl
#else
namespace strict_ppl {
using ::tbb::concurrent_queue;
}  // namespace strict_ppl
#endif

}  // namespace tbb
