// SPDX-License-Identifier: Apache-2.0
// Uses that are allowed and seldom tried: bodies that are const, move-only or have operators of their own, proxies and
// views as elements, ranges with no more than the interface asks for. The headers are free of the warnings that careful
// programs switch on.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <forward_list>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <ranges>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

// The compiler reports a template's warnings where it was written: in the headers below.
#pragma GCC diagnostic error "-Wall"
#pragma GCC diagnostic error "-Wextra"
#pragma GCC diagnostic error "-Wpedantic"
#pragma GCC diagnostic error "-Wconversion"
#pragma GCC diagnostic error "-Wsign-conversion"
#pragma GCC diagnostic error "-Wshadow"
#pragma GCC diagnostic error "-Wold-style-cast"
#pragma GCC diagnostic error "-Wnon-virtual-dtor"
#pragma GCC diagnostic error "-Wundef"
#include <tbb/iterators.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

namespace {

using range = tbb::blocked_range<int>;

struct own_operators {
  std::atomic<long>* sum;
  own_operators* operator&() const = delete;
  template <typename T>
  void operator,(T&&) const = delete;
  void operator()(int i) const { *sum += i; }
  void operator()(range const& r) const { *sum += static_cast<long>(r.size()); }
};

struct own_address {
  int value;
  own_address* operator&() = delete;
  own_address const* operator&() const = delete;
};

// No more than the requirements name.
struct bare_range {
  int first, last;
  bare_range(int f, int l) : first(f), last(l) {}
  bare_range(bare_range const&) = default;
  bare_range(bare_range& r, tbb::split) : first((r.first + r.last) / 2), last(r.last) { r.last = first; }
  bool empty() const { return first >= last; }
  bool is_divisible() const { return last - first > 3; }
  int length() const { return last - first; }
};

struct large_range : bare_range {
  using bare_range::bare_range;
  large_range(large_range const&) = default;
  large_range(large_range& r, tbb::split s) : bare_range(r, s) {}
  char bulk[400] = {};
};

long sum_of(std::vector<int> const& v) { return std::accumulate(v.begin(), v.end(), 0L); }

}  // namespace

TEST_CASE("odd uses: bodies that are const, or have an address and a comma of their own") {
  std::atomic<long> sum{0};
  own_operators const body{&sum};
  tbb::parallel_for(0, 100, body);
  CHECK(sum == 4950);
  tbb::parallel_for(range(0, 100), body);
  CHECK(sum == 5050);
  std::vector<int> const ones(100, 1);
  tbb::parallel_for_each(ones.begin(), ones.end(), body);
  tbb::parallel_for_each(ones, body);
  CHECK(sum == 5250);
  std::function<void(int)> f = body;
  tbb::parallel_for(0, 100, std::ref(f));
  CHECK(sum == 10200);
}

TEST_CASE("odd uses: elements with an address of their own, move-only ones, proxies") {
  std::vector<own_address> v(1000);
  std::atomic<int> next{1000};
  tbb::parallel_for_each(v, [&](own_address& e) { e.value = --next; });
  tbb::parallel_sort(v, [](own_address const& a, own_address const& b) { return a.value < b.value; });
  for (std::size_t i = 0; i < v.size(); ++i) CHECK(v[i].value == static_cast<int>(i));
  std::vector<std::unique_ptr<int>> p;
  for (int i = 0; i < 3000; ++i) p.push_back(std::make_unique<int>(i * 7919 % 3000));
  tbb::parallel_sort(p, [](auto const& a, auto const& b) { return *a < *b; });
  CHECK(std::is_sorted(p.begin(), p.end(), [](auto const& a, auto const& b) { return *a < *b; }));
  std::vector<int> from(2000), to(2000);
  std::iota(from.begin(), from.end(), 0);
  auto const both = tbb::make_zip_iterator(from.begin(), to.begin());
  tbb::parallel_for_each(both, both + 2000, [](auto pair) { std::get<1>(pair) = std::get<0>(pair); });
  CHECK(from == to);
  std::vector<bool> bits(640);
  std::atomic<int> set{0};
  tbb::parallel_for_each(bits, [&](auto&& bit) { set += !bit; });
  CHECK(set == 640);
  std::map<int, std::string> names{{1, "a"}, {2, "b"}};
  tbb::parallel_for_each(names, [](std::pair<int const, std::string>& n) { n.second += '!'; });
  CHECK(names[2] == "b!");
}

TEST_CASE("odd uses: views, spans, single-pass and const containers") {
  std::atomic<long> sum{0};
  auto const add = [&](auto const& x) { sum += x; };
  tbb::parallel_for_each(std::views::iota(0, 100), add);
  CHECK(sum.exchange(0) == 4950);
  std::vector<int> v(100, 2);
  auto tripled = v | std::views::transform([](int x) { return 3 * x; });
  tbb::parallel_for_each(tripled, add);
  CHECK(sum.exchange(0) == 600);
  auto even = v | std::views::filter([](int x) { return x % 2 == 0; });
  tbb::parallel_for_each(even.begin(), even.end(), add);
  CHECK(sum.exchange(0) == 200);
  tbb::parallel_for_each(std::span<int>(v), [](int& x) { ++x; });
  CHECK(sum_of(v) == 300);
  std::iota(v.begin(), v.end(), 0);
  tbb::parallel_sort(v | std::views::reverse);
  CHECK(v.front() == 99);
  tbb::parallel_sort(std::span<int>(v));
  CHECK(v.front() == 0);
  tbb::parallel_sort(v.rbegin(), v.rend());
  CHECK(v.front() == 99);
  std::istringstream text("1 2 3 4");
  tbb::parallel_for_each(std::istream_iterator<int>(text), std::istream_iterator<int>(), add);
  CHECK(sum.exchange(0) == 10);
  std::forward_list<int> const links(100, 1);
  tbb::parallel_for_each(links, add);
  CHECK(sum.exchange(0) == 100);
  tbb::parallel_for(tbb::blocked_range(v.begin(), v.end()), [&](auto const& r) {
    for (int x : std::ranges::subrange(r.begin(), r.end())) sum += x;
  });
  CHECK(sum == 4950);
  int raw[] = {3, 1, 2};
  tbb::parallel_sort(raw, std::greater<>());
  CHECK(raw[0] == 3);
}

TEST_CASE("odd uses: ranges with nothing to spare, and large ones") {
  std::atomic<long> sum{0};
  auto const add = [&](bare_range const& r) { sum += r.length(); };
  tbb::affinity_partitioner affinity;
  tbb::parallel_for(bare_range(0, 1000), add);
  tbb::parallel_for(bare_range(0, 1000), add, tbb::static_partitioner());
  tbb::parallel_for(bare_range(0, 1000), add, affinity);
  tbb::parallel_for(large_range(0, 1000), add, tbb::simple_partitioner());
  CHECK(sum == 4000);
  auto const count = [](auto const& r, long before, bool) { return before + r.length(); };
  CHECK(tbb::parallel_scan(large_range(0, 100000), 0L, count, std::plus<>()) == 100000);
  CHECK(tbb::parallel_scan(bare_range(0, 100000), 0L, count, std::plus<>(), tbb::simple_partitioner()) == 100000);
}

TEST_CASE("odd uses: values that are moved along, functions that return references or own what they capture") {
  using list = std::vector<int>;
  list const all = tbb::parallel_reduce(
      range(0, 1000), list(),
      [](range const& r, list&& in) {
        for (int i = r.begin(); i < r.end(); ++i) in.push_back(i);
        return std::move(in);
      },
      [](list&& a, list&& b) {
        a.insert(a.end(), b.begin(), b.end());
        return std::move(a);
      },
      tbb::simple_partitioner());
  CHECK(all.size() == 1000);
  CHECK(std::is_sorted(all.begin(), all.end()));

  std::atomic<int> seen{0};
  tbb::task_group_context context;
  tbb::task_group group(context);
  group.run([&seen, n = std::make_unique<int>(4)] { seen += *n; });
  group.run(group.defer([&seen, n = std::make_unique<int>(5)] { seen += *n; }));
  CHECK(group.wait() == tbb::complete);
  CHECK(seen == 9);
  tbb::isolated_task_group apart;
  apart.run([&seen, n = std::make_unique<int>(1)] { seen += *n; });
  CHECK(apart.wait() == tbb::complete);
  CHECK(seen == 10);

  tbb::task_arena arena;
  int x = 5;
  int& same = arena.execute([&]() -> int& { return x; });
  CHECK(std::addressof(same) == std::addressof(x));
  tbb::this_task_arena::isolate([&]() -> int& { return x; }) = 6;
  CHECK(x == 6);
  CHECK(*arena.execute([] { return std::make_unique<int>(3); }) == 3);
  arena.enqueue([&seen, n = std::make_unique<int>(7)] { seen = *n; });
  while (seen != 7) std::this_thread::yield();
}

TEST_CASE("odd uses: a pipeline of move-only items") {
  long total = 0;
  int made = 0;
  using item = std::unique_ptr<int>;
  auto const source = tbb::make_filter<void, item>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
    if (made == 100) {
      control.stop();
      return item();
    }
    return std::make_unique<int>(made++);
  });
  auto const text =
      tbb::make_filter<item, std::string>(tbb::filter_mode::parallel, [](item const& i) { return std::to_string(*i); });
  auto const sink = tbb::make_filter<std::string, void>(tbb::filter_mode::serial_out_of_order,
                                                        [&](std::string const& s) { total += std::stol(s); });
  tbb::parallel_pipeline(4, source & text & sink);
  CHECK(total == 4950);
}

TEST_CASE("the functional scan is told by a tag whether it is final") {
  int finals[100] = {};
  int const total = tbb::parallel_scan(
      tbb::blocked_range<int>(0, 100), 0,
      [&](auto const& part, int before, auto pass) {
        for (int i = part.begin(); i < part.end(); ++i) {
          ++before;
          if (pass.is_final_scan()) finals[i] = before;
        }
        return before;
      },
      [](int left, int right) { return left + right; });
  CHECK(total == 100);
  CHECK(finals[99] == 100);
}

TEST_CASE("a filter is appended to a chain") {
  int next = 1, sum = 0;
  tbb::filter<void, int> chain(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
    if (next > 3) control.stop();
    return next++;
  });
  tbb::filter<void, int>& same =
      (chain &= tbb::make_filter<int, int>(tbb::filter_mode::parallel, [](int i) { return 10 * i; }));
  CHECK(&same == &chain);
  tbb::parallel_pipeline(
      2, chain & tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order, [&](int i) { sum += i; }));
  CHECK(sum == 60);
}
