// SPDX-License-Identifier: Apache-2.0
// Uses of the containers that programs written for TBB make and that the standard's containers would not all allow.
#define TBB_DEFINE_STD_HASH_SPECIALIZATIONS 1
#include <doctest/doctest.h>
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_set.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>
#include <tbb/enumerable_thread_specific.h>

#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

template <typename A, typename B>
constexpr bool same = std::is_same_v<A, B>;

using pair_memory = std::allocator<std::pair<int const, int>>;
using int_memory = std::allocator<int>;

template <typename Container, typename Value>
void assign_list(std::initializer_list<Value> list) {
  Container c;
  Container& assigned = (c = list);
  CHECK(&assigned == &c);
  CHECK(c.size() == list.size());
}

struct counter {  // an iterator without member types
  int at;
  int operator*() const { return at; }
  counter& operator++() {
    ++at;
    return *this;
  }
  bool operator==(counter const& other) const { return at == other.at; }
  bool operator!=(counter const& other) const { return at != other.at; }
};

struct place {
  int x, y;
};

}  // namespace

namespace tbb::detail::d1 {
template <>
struct tbb_hash_compare<place> {
  std::size_t hash(place const& p) const { return static_cast<std::size_t>(p.x * 31 + p.y); }
  bool equal(place const& p, place const& q) const { return p.x == q.x && p.y == q.y; }
};
}  // namespace tbb::detail::d1

TEST_CASE("ordered containers are deduced from an allocator alone") {
  std::vector<std::pair<int, int>> const pairs{{1, 2}, {3, 4}};
  std::initializer_list<std::pair<int const, int>> const pair_list{{5, 6}};
  std::initializer_list<int> const list{7, 8};
  tbb::concurrent_map map(pairs.begin(), pairs.end(), pair_memory());
  tbb::concurrent_multimap multimap(pair_list, pair_memory());
  tbb::concurrent_set set(list.begin(), list.end(), int_memory());
  tbb::concurrent_multiset multiset(list, int_memory());
  CHECK(same<decltype(map), tbb::concurrent_map<int, int, std::less<int>, pair_memory>>);
  CHECK(same<decltype(multimap), tbb::concurrent_multimap<int, int, std::less<int>, pair_memory>>);
  CHECK(same<decltype(set), tbb::concurrent_set<int, std::less<int>, int_memory>>);
  CHECK(same<decltype(multiset), tbb::concurrent_multiset<int, std::less<int>, int_memory>>);
  CHECK(map.size() + multimap.size() + set.size() + multiset.size() == 7);
}

TEST_CASE("unordered containers are deduced from an allocator alone or after the hash function") {
  std::vector<std::pair<int, int>> const pairs{{1, 2}, {3, 4}};
  std::initializer_list<int> const list{7, 8};
  tbb::concurrent_unordered_map map(pairs.begin(), pairs.end(), 16, pair_memory());
  tbb::concurrent_unordered_multimap multimap(pairs.begin(), pairs.end(), 16, std::hash<int>(), pair_memory());
  tbb::concurrent_unordered_set set(list, 16, int_memory());
  tbb::concurrent_unordered_multiset multiset(list, 16, std::hash<int>(), int_memory());
  CHECK(same<decltype(set), tbb::concurrent_unordered_set<int, std::hash<int>, std::equal_to<int>, int_memory>>);
  CHECK(map.size() + multimap.size() + set.size() + multiset.size() == 8);
}

TEST_CASE("a priority queue is deduced from a list and an allocator") {
  std::initializer_list<int> const list{4, 9, 2};
  tbb::concurrent_priority_queue queue(list, int_memory());
  CHECK(same<decltype(queue), tbb::concurrent_priority_queue<int, std::less<int>, int_memory>>);
  int top = 0;
  CHECK(queue.try_pop(top));
  CHECK(top == 9);
}

TEST_CASE("the assignment of a list is the container") {
  using pair = std::pair<int const, int>;
  assign_list<tbb::concurrent_set<int>, int>({1, 2});
  assign_list<tbb::concurrent_multiset<int>, int>({1, 1});
  assign_list<tbb::concurrent_unordered_set<int>, int>({1, 2});
  assign_list<tbb::concurrent_unordered_multiset<int>, int>({1, 1});
  assign_list<tbb::concurrent_map<int, int>, pair>({{1, 2}});
  assign_list<tbb::concurrent_multimap<int, int>, pair>({{1, 2}, {1, 2}});
  assign_list<tbb::concurrent_unordered_map<int, int>, pair>({{1, 2}});
  assign_list<tbb::concurrent_unordered_multimap<int, int>, pair>({{1, 2}, {1, 2}});
}

TEST_CASE("inserting a node tells the place and whether it went in, and a refused node stays with its handle") {
  tbb::concurrent_map<int, int> from{{1, 2}}, to{{1, 5}};
  auto node = from.unsafe_extract(1);
  std::pair<tbb::concurrent_map<int, int>::iterator, bool> const refused = to.insert(std::move(node));
  CHECK_FALSE(refused.second);
  CHECK(refused.first->second == 5);
  CHECK(node.mapped() == 2);
  node.key() = 3;
  CHECK(to.insert(std::move(node)).second);
  CHECK(node.empty());
}

TEST_CASE("iterators of thread-local elements convert both ways") {
  using elements = tbb::enumerable_thread_specific<int>;
  elements all;
  all.local() = 7;
  elements const& constant = all;
  elements::iterator const from_const = constant.begin();
  elements::const_iterator const from_plain = all.begin();
  CHECK(*from_const == 7);
  CHECK(*from_plain == 7);
}

TEST_CASE("queues are filled from iterators without member types") {
  tbb::concurrent_queue<int> const q(counter{0}, counter{5});
  tbb::concurrent_bounded_queue<int> const b(counter{0}, counter{5});
  CHECK(q.unsafe_size() == 5);
  CHECK(b.size() == 5);
}

TEST_CASE("hash maps with different allocators are compared") {
  tbb::concurrent_hash_map<int, int> const a{{1, 2}};
  tbb::concurrent_hash_map<int, int, tbb::tbb_hash_compare<int>, pair_memory> b{{1, 2}};
  CHECK(a == b);
  b.insert({2, 3});
  CHECK(a != b);
}

TEST_CASE("hashing is specialised in tbb::detail::d1, and std::hash serves pairs") {
  tbb::concurrent_hash_map<place, int> heights;
  heights.insert({place{1, 2}, 3});
  CHECK(heights.count(place{1, 2}) == 1);
  tbb::concurrent_unordered_set<std::pair<int, int>> edges;
  edges.insert({1, 2});
  CHECK(edges.count({1, 2}) == 1);
  CHECK(edges.count({2, 1}) == 0);
}
