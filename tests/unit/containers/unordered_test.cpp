// SPDX-License-Identifier: Apache-2.0
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>

#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "map_cases.h"

namespace {

using map = tbb::concurrent_unordered_map<int, int>;
using multimap = tbb::concurrent_unordered_multimap<int, int>;
using set = tbb::concurrent_unordered_set<int>;
using multiset = tbb::concurrent_unordered_multiset<int>;

static_assert(test::is_std_range<map> && test::is_std_range<multimap> && test::is_std_range<set> &&
              test::is_std_range<multiset>);

struct text_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
};
struct text_equal {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return a == b; }
};

// A hash function that another thread's insertion seems to come into.
std::function<void()> meanwhile;
struct interrupted_hash {
  std::size_t operator()(int key) const {
    if (auto const once = std::exchange(meanwhile, {})) once();
    return std::hash<int>()(key);
  }
};

}  // namespace

TEST_CASE("unordered: map") { test::unique_map_case<map>(); }
TEST_CASE("unordered: node handles and merge") { test::handle_case<map>(); }
TEST_CASE("unordered: node handles pass between map and multimap") {
  using memory = test::counting_allocator<std::pair<int const, int>>;
  using hash = std::hash<int>;
  using equal = std::equal_to<int>;
  test::exchange_case<tbb::concurrent_unordered_map<int, int, hash, equal, memory>,
                      tbb::concurrent_unordered_multimap<int, int, hash, equal, memory>>(
      [](test::account& books) { return memory(books); });
}
TEST_CASE("unordered: a node is refused though another element goes in at the same time") {
  tbb::concurrent_unordered_map<int, int, interrupted_hash> m{{1, 10}}, from{{1, 11}};
  auto node = from.unsafe_extract(1);
  meanwhile = [&] { m.insert({2, 20}); };
  auto const [at, inserted] = m.insert(std::move(node));
  CHECK_FALSE(inserted);
  CHECK(at->second == 10);
  CHECK_FALSE(node.empty());
  CHECK(m.size() == 2);
}
TEST_CASE("unordered: multimap") { test::multimap_case<multimap>(); }
TEST_CASE("unordered: sets") { test::set_case<set, multiset>(); }
TEST_CASE("unordered: element types") {
  test::types_case<tbb::concurrent_unordered_map<int, std::unique_ptr<int>>,
                   tbb::concurrent_unordered_map<int, test::unmovable>>();
}
TEST_CASE("unordered: insertions and traversals by several threads") { test::concurrent_case<map>(); }
TEST_CASE("unordered: elements are counted beside insertions of other keys") {
  auto const pair = [](int k) { return std::pair(k, 0); };
  auto const key = [](int k) { return k; };
  test::count_case<map>(pair);
  test::count_case<multimap>(pair);
  test::count_case<set>(key);
  test::count_case<multiset>(key);
}
TEST_CASE("unordered: equal keys by several threads") { test::concurrent_multi_case<multimap>(); }

TEST_CASE("unordered: buckets partition the elements; load factors") {
  map m(100);
  CHECK(m.unsafe_bucket_count() >= 100);
  for (int i = 0; i < 3000; ++i) m.insert({i, i});
  std::size_t sum = 0;
  for (std::size_t b = 0; b < m.unsafe_bucket_count(); ++b) {
    sum += m.unsafe_bucket_size(b);
    for (auto i = m.unsafe_begin(b); i != m.unsafe_end(b); ++i) CHECK_UNARY(m.unsafe_bucket(i->first) == b);
  }
  CHECK(sum == 3000);
  CHECK(m.max_load_factor() == 4.0f);
  CHECK(m.load_factor() < 5.0f);
  m.max_load_factor(0.5f);
  CHECK_THROWS_AS(m.max_load_factor(0.0f), std::out_of_range);
  CHECK_THROWS_AS(m.max_load_factor(-1.0f), std::out_of_range);
  CHECK_THROWS_AS(m.max_load_factor(std::numeric_limits<float>::quiet_NaN()), std::out_of_range);
  CHECK(m.max_load_factor() == 0.5f);
  m.rehash(9000);
  CHECK(m.unsafe_bucket_count() >= 9000);
  m.reserve(40000);
  CHECK(m.unsafe_bucket_count() >= 80000);
  CHECK(test::walk(m) == 3000);
  std::size_t const buckets = m.unsafe_bucket_count();
  std::size_t const most = std::numeric_limits<std::size_t>::max();
  for (std::size_t const wish : {most, most / 2 + 1, most / 1024}) {
    m.rehash(wish);
    m.reserve(wish);
    CHECK(map(wish).insert({1, 1}).second);
  }
  m.max_load_factor(0.001f);
  m.reserve(most);
  CHECK(m.unsafe_bucket_count() == buckets);
  m.max_load_factor(std::numeric_limits<float>::infinity());  // never grows again
  for (int i = 3000; i < 200000; ++i) m.insert({i, i});
  CHECK(m.unsafe_bucket_count() == buckets);
  CHECK(m.size() == 200000);
}

TEST_CASE("unordered: transparent lookup") {
  tbb::concurrent_unordered_map<std::string, int, text_hash, text_equal> m;
  m.insert({"a", 1});
  CHECK(m.find(std::string_view("a"))->second == 1);
  CHECK(m.contains("a"));
  CHECK(m.count(std::string_view("b")) == 0);
  CHECK(m.unsafe_erase(std::string_view("a")) == 1);
  // oneTBB's way: the hash function brings the equality along.
  struct both_hash : text_hash {
    using transparent_key_equal = text_equal;
  };
  tbb::concurrent_unordered_map<std::string, int, both_hash> n;
  n.insert({"a", 1});
  CHECK(n.find(std::string_view("a"))->second == 1);
  CHECK(n.unsafe_extract(std::string_view("a")).mapped() == 1);
  CHECK_FALSE(n.contains("a"));
}

TEST_CASE("unordered: a table that grows by several levels at once loses and doubles nothing") {
  for (int const before : {1, 7, 20, 100}) {
    tbb::concurrent_unordered_set<int> s;
    for (int i = 0; i < before; ++i) s.insert(i);
    s.rehash(4096);
    for (int i = 1000; i < 3000; ++i) s.insert(i);
    int doubled = 0;
    for (int i = 0; i < before; ++i) doubled += s.insert(i).second;
    CHECK(doubled == 0);
    CHECK(s.size() == static_cast<std::size_t>(before) + 2000);
  }
}

TEST_CASE("unordered: what is moved in lies beside its equals") {
  std::string const text(40, 'x');
  tbb::concurrent_unordered_multiset<std::string> s;
  for (int i = 0; i < 3; ++i) s.insert(std::string(text));
  CHECK(s.count(text) == 3);
  tbb::concurrent_unordered_multimap<std::string, int> m, n;
  for (int i = 0; i < 6; ++i) m.insert({text, i});
  n.merge(m);
  CHECK(n.count(text) == 6);
  while (!n.empty()) m.insert(n.unsafe_extract(n.begin()));
  CHECK(m.count(text) == 6);
  CHECK(m.unsafe_erase(text) == 6);
  CHECK(m.empty());
}

// Where an operation's time depends on what has been erased before, each of these takes hours; or with
// ThreadSanitizer, which is many times slower, with fewer elements.
TEST_CASE("erasing does not depend on how much memory of erased elements there is") {
  constexpr int many = ASHLAR_TSAN ? 200'000 : 1'000'000;
  tbb::concurrent_unordered_set<int> s;
  auto const fill = [&] {
    for (int i = 0; i < many; ++i) s.insert(i);
  };
  SUBCASE("by key, beside insertions") {
    fill();
    for (int i = 0; i < many - 10; ++i) s.unsafe_erase(i);
    for (int i = 0; i < many; ++i) {
      s.insert(i);
      CHECK(s.unsafe_erase(i) == 1);
      if (i >= many - 10) s.insert(i);
    }
    CHECK(s.size() == 10);
  }
  SUBCASE("the first one each time") {
    fill();
    int left = many;
    for (; !s.empty(); --left) s.unsafe_erase(s.begin());
    CHECK(left == 0);
    CHECK(s.begin() == s.end());
    s.insert(1);
    CHECK(*s.begin() == 1);
  }
  SUBCASE("the first one each time, after insertions that went before it") {
    fill();
    for (int i = 0; i < many; ++i) {
      s.unsafe_erase(s.begin());
      if (i % 1000 == 0) s.insert(many + i);
    }
    CHECK(s.size() == many / 1000);
    CHECK(static_cast<std::size_t>(std::distance(s.begin(), s.end())) == s.size());
  }
  SUBCASE("the first one each time, with an insertion for each") {
    fill();
    for (int i = 0; i < many; ++i) {
      s.unsafe_erase(s.begin());
      s.insert(many + i);
      if (i % 3 != 0) s.unsafe_erase(s.begin());
    }
    CHECK(s.size() == (many + 2) / 3);
    CHECK(static_cast<std::size_t>(std::distance(s.begin(), s.end())) == s.size());
  }
  SUBCASE("all elements of a key") {
    tbb::concurrent_unordered_multimap<int, int> m;
    for (int i = 0; i < 300'000; ++i) m.emplace(7, i);
    m.emplace(8, 0);
    CHECK(m.unsafe_erase(7) == 300'000);
    CHECK(m.unsafe_erase(7) == 0);
    CHECK(m.size() == 1);
    CHECK(m.begin()->first == 8);
  }
}
