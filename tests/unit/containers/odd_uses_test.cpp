// SPDX-License-Identifier: Apache-2.0
// Uses of the containers that programs written for TBB make and that the standard's containers would not all allow. All
// of it compiles and passes with oneTBB 2023.2, too.
#define TBB_DEFINE_STD_HASH_SPECIALIZATIONS 1
#include <doctest/doctest.h>
#include <tbb/cache_aligned_allocator.h>
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_set.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>
#include <tbb/concurrent_vector.h>
#include <tbb/enumerable_thread_specific.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <scoped_allocator>
#include <string>
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

struct word {
  int id;
  int seen;
  bool operator<(word const& other) const { return id < other.id; }
};

template <typename Container>
constexpr bool const_elements = std::is_const_v<typename Container::const_iterator::value_type> &&
                                !std::is_const_v<typename Container::iterator::value_type>;
template <typename A, typename B>
constexpr bool only_converts_to = std::is_convertible_v<A, B> && !std::is_convertible_v<B, A>;
template <typename Container>
constexpr bool two_iterators = only_converts_to<typename Container::iterator, typename Container::const_iterator> &&
                               only_converts_to<typename Container::range_type, typename Container::const_range_type>;

// An allocator with a number; equal to those with the same one.
template <typename T>
struct numbered {
  using value_type = T;
  int number;
  explicit numbered(int n = 0) : number(n) {}
  template <typename U>
  numbered(numbered<U> const& other) : number(other.number) {}
  T* allocate(std::size_t n) { return std::allocator<T>().allocate(n); }
  void deallocate(T* p, std::size_t n) { std::allocator<T>().deallocate(p, n); }
  template <typename U>
  bool operator==(numbered<U> const& other) const {
    return number == other.number;
  }
  template <typename U>
  bool operator!=(numbered<U> const& other) const {
    return number != other.number;
  }
};

// The same, but what it inherits says that all are equal.
template <typename T>
struct owned : tbb::cache_aligned_allocator<T> {
  using value_type = T;
  template <typename U>
  struct rebind {
    using other = owned<U>;
  };
  int owner = 0;
  owned() = default;
  explicit owned(int o) : owner(o) {}
  template <typename U>
  owned(owned<U> const& a) : owner(a.owner) {}
  template <typename U>
  bool operator==(owned<U> const& a) const {
    return owner == a.owner;
  }
  template <typename U>
  bool operator!=(owned<U> const& a) const {
    return owner != a.owner;
  }
};

// Takes the allocator that a scoped one hands on.
struct remembering {
  using allocator_type = numbered<remembering>;
  int value;
  int made_with = 0;
  explicit remembering(int v = 0) : value(v) {}
  remembering(remembering const& e) : value(e.value) {}
  remembering(remembering const& e, allocator_type const& a) : value(e.value), made_with(a.number) {}
  remembering& operator=(remembering const&) = default;
  bool operator<(remembering const& e) const { return value < e.value; }
};

class fixed {
 public:
  fixed() = default;
  fixed(fixed&&) = delete;
};

}  // namespace

struct odd_key {
  int value;
};
template <>
struct std::hash<odd_key> {
  std::size_t operator()(odd_key k) const { return static_cast<std::size_t>(k.value); }
};
template <>
struct std::equal_to<odd_key> {
  bool operator()(odd_key a, odd_key b) const { return a.value == b.value; }
};

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

TEST_CASE("iterators over const elements say so, and convert from the others only") {
  static_assert(const_elements<tbb::concurrent_vector<int>> && const_elements<tbb::concurrent_queue<int>>);
  static_assert(const_elements<tbb::concurrent_hash_map<int, int>> && const_elements<tbb::concurrent_map<int, int>>);
  static_assert(const_elements<tbb::concurrent_unordered_map<int, int>>);
  static_assert(const_elements<tbb::enumerable_thread_specific<int>>);
  static_assert(two_iterators<tbb::concurrent_set<int>> && two_iterators<tbb::concurrent_multimap<int, int>>);
  static_assert(two_iterators<tbb::concurrent_unordered_set<int>>);
  static_assert(two_iterators<tbb::concurrent_unordered_multimap<int, int>>);
  static_assert(std::is_nothrow_move_assignable_v<tbb::concurrent_unordered_map<int, int>>);
  tbb::concurrent_hash_map<int, int> const table = std::size_t{10};  // not explicit
  CHECK(table.empty());
}

TEST_CASE("what is not part of the key may change in a set") {
  tbb::concurrent_set<word> words;
  words.insert(word{7, 0});
  for (word& w : words) w.seen += 2;
  CHECK(words.begin()->seen == 2);
}

TEST_CASE("an iterator of a bucket is one of the container") {
  using table = tbb::concurrent_unordered_map<int, int>;
  table t{{3, 5}, {4, 6}};
  table::iterator const first = t.unsafe_begin(t.unsafe_bucket(3));
  CHECK((first == t.find(3) || first == t.find(4)));
  table::const_iterator const same_one = t.unsafe_cbegin(t.unsafe_bucket(3));
  CHECK(same_one == first);
  table::const_iterator const from_local = t.unsafe_begin(t.unsafe_bucket(3));
  CHECK(from_local == first);
}

TEST_CASE("a const iterator of flattened containers is an iterator") {
  using lists = tbb::enumerable_thread_specific<std::vector<int>>;
  lists all;
  all.local() = {6, 7};
  auto const view = tbb::flatten2d(all);
  auto from = view.begin();
  ++from;
  tbb::flattened2d<lists>::iterator to;
  to = from;
  CHECK(*to == 7);
  to = view.end();
  CHECK(to == view.end());
}

TEST_CASE("a priority queue moves without moving elements, and hands a scoped allocator on") {
  using still = tbb::concurrent_priority_queue<fixed, std::less<fixed>, std::allocator<fixed>>;
  still from, to;
  to = std::move(from);
  still const built(std::move(to));
  CHECK(built.empty());

  using memory = std::scoped_allocator_adaptor<numbered<remembering>>;
  tbb::concurrent_priority_queue<remembering, std::less<remembering>, memory> queue{memory(numbered<remembering>(3))};
  remembering const one(1), two(2);
  queue.push(one);
  queue.push(two);
  remembering greatest;
  CHECK(queue.try_pop(greatest));
  CHECK(greatest.value == 2);
}

TEST_CASE("a queue that is moved to another allocator asks whether they are equal") {
  using queue = tbb::concurrent_queue<int, owned<int>>;
  queue first(owned<int>(1));
  first.push(5);
  queue second(std::move(first), owned<int>(2));
  int item = 0;
  CHECK(second.try_pop(item));
  CHECK(item == 5);
  CHECK(second.get_allocator().owner == 2);
}

TEST_CASE("a hash map's default comparison is std::hash, std::equal_to and any string's characters") {
  tbb::concurrent_hash_map<odd_key, int> m;
  m.insert({odd_key{1}, 2});
  CHECK(m.count(odd_key{1}) == 1);
  CHECK(m.count(odd_key{2}) == 0);
  using text = std::basic_string<char, std::char_traits<char>, numbered<char>>;
  tbb::concurrent_hash_map<text, int> texts;
  texts.insert({text("one"), 1});
  CHECK(texts.count(text("one")) == 1);
  CHECK(texts.count(text("two")) == 0);
  tbb::concurrent_unordered_map<text, int> unordered{{text("one"), 1}};  // TBB_DEFINE_STD_HASH_SPECIALIZATIONS
  CHECK(unordered.count(text("one")) == 1);
}

TEST_CASE("a hash map is deduced from a list and an allocator") {
  std::initializer_list<std::pair<int const, int>> const list{{1, 2}, {3, 4}};
  tbb::concurrent_hash_map map(list, pair_memory());
  CHECK(same<decltype(map), tbb::concurrent_hash_map<int, int, tbb::tbb_hash_compare<int>, pair_memory>>);
  tbb::concurrent_hash_map compared(list, tbb::tbb_hash_compare<int>(), pair_memory());
  CHECK(same<decltype(map), decltype(compared)>);
  tbb::concurrent_hash_map plain(list);
  CHECK(same<decltype(plain), tbb::concurrent_hash_map<int, int>>);
  CHECK(map.size() + compared.size() + plain.size() == 6);
}
