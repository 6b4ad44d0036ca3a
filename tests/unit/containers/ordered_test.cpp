// SPDX-License-Identifier: Apache-2.0
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_set.h>

#include <algorithm>
#include <compare>
#include <functional>
#include <string_view>
#include <type_traits>

#include "map_cases.h"

namespace {

using map = tbb::concurrent_map<int, int>;
using multimap = tbb::concurrent_multimap<int, int>;
using set = tbb::concurrent_set<int>;
using multiset = tbb::concurrent_multiset<int>;

static_assert(test::is_std_range<map> && test::is_std_range<multimap> && test::is_std_range<set> &&
              test::is_std_range<multiset>);

}  // namespace

TEST_CASE("ordered: map") { test::unique_map_case<map>(); }
TEST_CASE("ordered: node handles and merge") { test::handle_case<map>(); }
TEST_CASE("ordered: node handles pass between map and multimap") {
  using memory = test::counting_allocator<std::pair<int const, int>>;
  test::exchange_case<tbb::concurrent_map<int, int, std::less<int>, memory>,
                      tbb::concurrent_multimap<int, int, std::less<int>, memory>>(
      [](test::account& books) { return memory(books); });
}
TEST_CASE("ordered: multimap") { test::multimap_case<multimap>(); }
TEST_CASE("ordered: sets") { test::set_case<set, multiset>(); }
TEST_CASE("ordered: element types") {
  test::types_case<tbb::concurrent_map<int, std::unique_ptr<int>>, tbb::concurrent_map<int, test::unmovable>>();
}
TEST_CASE("ordered: insertions and traversals by several threads") { test::concurrent_case<map>(); }
TEST_CASE("ordered: elements are counted beside insertions of other keys") {
  auto const pair = [](int k) { return std::pair(k, 0); };
  auto const key = [](int k) { return k; };
  test::count_case<map>(pair);
  test::count_case<multimap>(pair);
  test::count_case<set>(key);
  test::count_case<multiset>(key);
}
TEST_CASE("ordered: equal keys by several threads") { test::concurrent_multi_case<multimap>(); }

TEST_CASE("ordered: sorted, with bounds and comparisons") {
  map m;
  for (int i = 0; i < 2000; ++i) m.insert({(i * 7919) % 2000 * 2, i});
  CHECK(std::is_sorted(m.begin(), m.end(), m.value_comp()));
  for (int i = -1; i < 4001; ++i) {
    auto const lower = m.lower_bound(i), upper = m.upper_bound(i);
    int const first = i < 0 ? 0 : (i + 1) / 2 * 2;
    CHECK_UNARY(first >= 4000 ? lower == m.end() : lower->first == first);
    int const behind = i < 0 ? 0 : i / 2 * 2 + 2;
    CHECK_UNARY(behind >= 4000 ? upper == m.end() : upper->first == behind);
  }
  CHECK(set{1, 2} < set{1, 3});
  CHECK(set{1} < set{1, 0 + 5});
  CHECK(set{2} > set{1, 9});
  CHECK(set{1} <= set{1});
  CHECK(set{1} >= set{1});

  tbb::concurrent_set<int, std::greater<int>> down{1, 3, 2};
  CHECK(*down.begin() == 3);
  tbb::concurrent_set<std::string, std::less<>> texts{"b", "a"};
  CHECK(texts.contains(std::string_view("a")));
  CHECK(*texts.lower_bound("aa") == "b");
  multimap equal;
  for (int i = 0; i < 10; ++i) equal.emplace(1, i);
  int next = 0;
  for (auto const& v : equal) CHECK(v.second == next++);
}

#ifdef __cpp_lib_three_way_comparison  // not in libc++ 16
TEST_CASE("ordered: three-way comparison") {
  CHECK((set{1, 2} <=> set{1, 3}) == std::strong_ordering::less);
  CHECK((set{1, 2} <=> set{1}) == std::strong_ordering::greater);
  CHECK((multiset{1, 1} <=> multiset{1, 1}) == std::strong_ordering::equal);
  CHECK((map{{1, 2}} <=> map{{1, 1}, {2, 0}}) == std::strong_ordering::greater);
  CHECK((map() <=> map{{0, 0}}) == std::strong_ordering::less);
  CHECK_UNARY(multimap{{1, 2}} != multimap{{1, 3}});
  CHECK_UNARY(multimap{{1, 2}} >= multimap{{1, 2}});
  using partial = tbb::concurrent_set<double>;
  static_assert(std::is_same_v<decltype(partial{1.0} <=> partial{2.0}), std::partial_ordering>);
  CHECK_UNARY(partial{1.0} < partial{2.0});
}
#endif

// Gives the processor away now and then, so that threads link equal elements in different sequences.
struct yielding_less {
  bool operator()(int a, int b) const {
    static thread_local unsigned calls = 0;
    if (++calls % 13 == 0) std::this_thread::yield();
    return a < b;
  }
};
TEST_CASE("ordered: the parts of a range over equal elements are the range") {
  for (int round = 0; round < 20; ++round) {
    tbb::concurrent_multiset<int, yielding_less> s;
    std::atomic<int> there{0};
    std::vector<std::thread> team;
    for (int t = 0; t < 8; ++t) {
      team.emplace_back([&] {
        for (++there; there < 8;) std::this_thread::yield();
        for (int i = 0; i < 300; ++i) s.insert(i / 100);
      });
    }
    for (auto& t : team) t.join();
    auto at = s.begin();
    std::size_t parts = 0;
    auto const meet = [&](auto const& self, auto range) -> bool {
      if (range.is_divisible()) {
        decltype(range) second(range, tbb::split());
        return self(self, range) && self(self, second);
      }
      ++parts;
      for (auto i = range.begin(); i != range.end(); ++i, ++at) {
        if (i != at) return false;
      }
      return true;
    };
    REQUIRE(meet(meet, s.range()));
    CHECK_UNARY(at == s.end());
    CHECK(parts > 100);
    CHECK(s.unsafe_erase(1) == 800);
    CHECK(test::walk(s) == 1600);
  }
}
