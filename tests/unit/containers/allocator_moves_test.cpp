// SPDX-License-Identifier: Apache-2.0
// A container that takes another's allocator with its elements moves the allocator: it may be one that no assignment
// copies.
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_set.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>
#include <tbb/concurrent_vector.h>

#include <doctest/doctest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace {

template <typename T>
struct single_owner {
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using is_always_equal = std::false_type;

  explicit single_owner(int n) noexcept : number(n) {}
  template <typename U>
  single_owner(single_owner<U> const& other) noexcept : number(other.number) {}  // NOLINT: implicit
  single_owner(single_owner const&) = default;
  single_owner& operator=(single_owner const&) = delete;
  single_owner& operator=(single_owner&&) = default;
  ~single_owner() = default;

  T* allocate(std::size_t n) { return std::allocator<T>().allocate(n); }
  void deallocate(T* p, std::size_t n) noexcept { std::allocator<T>().deallocate(p, n); }
  template <typename U>
  bool operator==(single_owner<U> const& other) const noexcept {
    return number == other.number;
  }
  template <typename U>
  bool operator!=(single_owner<U> const& other) const noexcept {
    return number != other.number;
  }

  int number;
};

using hash = std::hash<int>;
using equal = std::equal_to<int>;
using less = std::less<int>;
using single = single_owner<int>;
using pair = single_owner<std::pair<int const, int>>;

using set = tbb::concurrent_set<int, less, single>;
using multiset = tbb::concurrent_multiset<int, less, single>;
using map = tbb::concurrent_map<int, int, less, pair>;
using multimap = tbb::concurrent_multimap<int, int, less, pair>;
using unordered_set = tbb::concurrent_unordered_set<int, hash, equal, single>;
using unordered_multiset = tbb::concurrent_unordered_multiset<int, hash, equal, single>;
using unordered_map = tbb::concurrent_unordered_map<int, int, hash, equal, pair>;
using unordered_multimap = tbb::concurrent_unordered_multimap<int, int, hash, equal, pair>;
using hash_map = tbb::concurrent_hash_map<int, int, tbb::tbb_hash_compare<int>, pair>;
using vector = tbb::concurrent_vector<int, single>;
using queue = tbb::concurrent_queue<int, single>;
using bounded_queue = tbb::concurrent_bounded_queue<int, single>;
using priority_queue = tbb::concurrent_priority_queue<int, less, single>;

template <typename Container>
void fill(Container& c, int n) {
  for (int i = 0; i != n; ++i) {
    if constexpr (std::is_same_v<Container, vector>) {
      c.push_back(i);
    } else if constexpr (std::is_same_v<typename Container::value_type, int>) {
      c.insert(i);
    } else {
      c.insert({i, i});
    }
  }
}
template <typename Container>
void fill_queue(Container& c, int n) {
  for (int i = 0; i != n; ++i) c.push(i);
}

}  // namespace

TEST_CASE_TEMPLATE("an allocator that propagates with a move is moved", Container, set, multiset, map, multimap,
                   unordered_set, unordered_multiset, unordered_map, unordered_multimap, hash_map, vector) {
  using allocator = typename Container::allocator_type;
  Container source(allocator(1));
  Container target(allocator(2));
  fill(source, 100);
  fill(target, 10);
  void const* const first = std::addressof(*source.begin());
  target = std::move(source);
  CHECK(target.get_allocator().number == 1);
  CHECK(target.size() == 100);
  CHECK(std::addressof(*target.begin()) == first);
}

TEST_CASE_TEMPLATE("an allocator that propagates with a move is moved by queues", Queue, queue, bounded_queue,
                   priority_queue) {
  Queue source(single(1));
  Queue target(single(2));
  fill_queue(source, 100);
  fill_queue(target, 10);
  target = std::move(source);
  CHECK(target.get_allocator().number == 1);
  int first = -1;
  CHECK(target.try_pop(first));
  CHECK(first == (std::is_same_v<Queue, priority_queue> ? 99 : 0));
}
