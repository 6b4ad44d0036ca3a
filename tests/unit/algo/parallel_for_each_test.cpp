// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_do.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_while.h>

#include <doctest/doctest.h>

#include <atomic>
#include <forward_list>
#include <iterator>
#include <list>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace {

// Calls f(first, last) for the same n items behind each kind of iterator.
template <typename F>
void with_each_container(int n, F f) {
  std::vector<int> items(static_cast<std::size_t>(n));
  std::iota(items.begin(), items.end(), 0);
  f(items.begin(), items.end());
  std::list<int> list(items.begin(), items.end());
  f(list.begin(), list.end());
  std::forward_list<int> chain(items.begin(), items.end());
  f(chain.begin(), chain.end());
  std::stringstream text;
  for (int i : items) text << i << ' ';
  f(std::istream_iterator<int>(text), std::istream_iterator<int>());
}

// How many objects live; throws when it is asked to.
struct tracked {
  static std::atomic<int> alive;
  int value;
  explicit tracked(int v) : value(v) { ++alive; }
  tracked(tracked const& o) : value(o.value) { ++alive; }
  tracked(tracked&& o) noexcept : value(o.value) { ++alive; }
  ~tracked() { --alive; }
};
std::atomic<int> tracked::alive{0};

// An input iterator over tracked values 0 … n - 1; throws at `bad`.
struct counter {
  using iterator_category = std::input_iterator_tag;
  using value_type = tracked;
  using difference_type = long;
  using pointer = tracked const*;
  using reference = tracked;
  int at;
  int bad = -1;
  tracked operator*() const { return tracked(at); }
  counter& operator++() {
    if (at == bad) throw std::runtime_error("walk");
    ++at;
    return *this;
  }
  void operator++(int) { ++*this; }
  bool operator==(counter const& o) const { return at == o.at; }
  bool operator!=(counter const& o) const { return at != o.at; }
};

}  // namespace

TEST_CASE("every item is visited once, whatever the iterator") {
  for (int n : {0, 1, 2, 17, 5000}) {
    with_each_container(n, [&](auto first, auto last) {
      std::atomic<long> sum{0};
      std::atomic<int> calls{0};
      tbb::task_group_context context;
      auto const body = [&](int i) {
        sum += i;
        ++calls;
      };
      tbb::parallel_for_each(first, last, body);
      CHECK(calls == n);
      CHECK(sum == static_cast<long>(n) * (n - 1) / 2);
    });
  }
}

TEST_CASE("containers, arrays, constants, temporaries and contexts") {
  tbb::task_group_context context;
  std::list<int> list{1, 2, 3};
  tbb::parallel_for_each(list, [](int& i) { i *= 2; });
  tbb::parallel_for_each(list, [](int& i) { i *= 2; }, context);
  tbb::parallel_for_each(list.begin(), list.end(), [](int& i) { i *= 2; }, context);
  CHECK(list == std::list<int>{8, 16, 24});
  std::atomic<int> sum{0};
  auto const add = [&](int i) { sum += i; };
  std::vector<int> const constant{1, 2, 3};
  tbb::parallel_for_each(constant, add);
  tbb::parallel_for_each(std::vector<int>{4, 5}, add);
  int array[] = {6, 7};
  tbb::parallel_for_each(array, add, context);
  CHECK(sum == 28);
}

TEST_CASE("a feeder's items are worked on, move-only ones too") {
  with_each_container(40, [&](auto first, auto last) {
    std::atomic<int> calls{0};
    tbb::parallel_for_each(first, last, [&](int i, tbb::feeder<int>& feeder) {
      ++calls;
      int const next = i - 1;
      if (i > 0 && i % 2 != 0) feeder.add(next);
      if (i > 0 && i % 2 == 0) feeder.add(i / 2);
    });
    int expected = 0;
    for (int i = 0; i < 40; ++i) {
      for (int at = i;; at = at % 2 != 0 ? at - 1 : at / 2) {
        ++expected;
        if (at == 0) break;
      }
    }
    CHECK(calls == expected);
  });
  std::vector<std::unique_ptr<int>> items;
  for (int i = 0; i < 100; ++i) items.push_back(std::make_unique<int>(i));
  std::atomic<int> sum{0};
  tbb::parallel_for_each(std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()),
                         [&](std::unique_ptr<int>&& p, tbb::feeder<std::unique_ptr<int>>& feeder) {
                           std::unique_ptr<int> const mine = std::move(p);
                           sum += *mine;
                           if (*mine >= 0) feeder.add(std::make_unique<int>(-1));
                         });
  CHECK(sum == 4950 - 100);
}

TEST_CASE("a body may be a pointer to a member, an rvalue, or take its item as it likes") {
  struct item {
    int value = 1;
    void grow() { ++value; }
  };
  std::list<item> items(100);
  tbb::parallel_for_each(items, &item::grow);
  int sum = 0;
  for (item const& i : items) sum += i.value;
  CHECK(sum == 200);
  std::atomic<int> lvalues{0};
  std::atomic<int> rvalues{0};
  struct {
    std::atomic<int>& l;
    std::atomic<int>& r;
    void operator()(tracked&) const { ++l; }
    void operator()(tracked&&) const { ++r; }
  } both{lvalues, rvalues};
  tbb::parallel_for_each(counter{0}, counter{50}, both);
  CHECK(lvalues == 0);
  CHECK(rvalues == 50);
  std::list<tracked> list(5, tracked(1));
  tbb::parallel_for_each(list, both);
  CHECK(lvalues == 5);
  tbb::parallel_for_each(counter{0}, counter{50}, [&](tracked& t) { lvalues += t.value; });
  CHECK(lvalues == 5 + 1225);
  list.clear();
  CHECK(tracked::alive == 0);
}

TEST_CASE("an exception from anywhere is delivered once and nothing leaks") {
  for (int at = 0; at < 300; at += 7) {
    CHECK_THROWS_AS(tbb::parallel_for_each(counter{0, at}, counter{300}, [](tracked const&) {}), std::runtime_error);
    CHECK(tracked::alive == 0);
    with_each_container(300, [&](auto first, auto last) {
      std::atomic<int> throws{0};
      auto const body = [&](int i, tbb::feeder<int>& feeder) {
        if (i == at) {
          ++throws;
          throw at;
        }
        if (i > 0 && i < 300) feeder.add(-i);
      };
      int caught = -1;
      try {
        tbb::parallel_for_each(first, last, body);
      } catch (int i) {
        caught = i;
      }
      CHECK(caught == at);
      CHECK(throws == 1);
    });
    CHECK_THROWS_AS(tbb::parallel_for_each(counter{0}, counter{300},
                                           [&](tracked const& t, tbb::feeder<tracked>& feeder) {
                                             if (t.value == -at - 1) throw std::logic_error("fed");
                                             if (t.value >= 0) feeder.add(tracked(-t.value - 1));
                                           }),
                    std::logic_error);
    CHECK(tracked::alive == 0);
  }
}

TEST_CASE("cancelling stops the walk") {
  std::list<int> items(100000);
  tbb::task_group_context context;
  std::atomic<int> calls{0};
  tbb::parallel_for_each(
      items,
      [&](int) {
        ++calls;
        context.cancel_group_execution();
      },
      context);
  CHECK(calls < 100000);
  calls = 0;
  tbb::parallel_for_each(items, [&](int) { ++calls; }, context);
  CHECK(calls == 0);
}

TEST_CASE("classic parallel_do") {
  std::atomic<int> sum{0};
  with_each_container(10, [&](auto first, auto last) {
    tbb::parallel_do(first, last, [&](long i, tbb::parallel_do_feeder<long>& feeder) {
      ++sum;
      if (i == 5) feeder.add(100L);
    });
  });
  CHECK(sum == 4 * 11);
  tbb::task_group_context context;
  std::list<int> items{1, 2, 3};
  tbb::parallel_do(items, [](int& i) { ++i; });
  tbb::parallel_do(items, [](int& i) { ++i; }, context);
  tbb::parallel_do(items.begin(), items.end(), [](int& i) { ++i; }, context);
  CHECK(items == std::list<int>{4, 5, 6});
}

TEST_CASE("classic parallel_while") {
  struct stream {
    int left;
    bool pop_if_present(int& item) {
      if (left == 0) return false;
      item = left--;
      return true;
    }
  };
  struct body {
    using argument_type = int;
    tbb::parallel_while<body>* loop;
    std::atomic<int>* calls;
    void operator()(int i) const {
      ++*calls;
      if (i > 1000) throw i;
      if (i % 3 == 0) loop->add(i / 3);
    }
  };
  tbb::parallel_while<body> loop;
  std::atomic<int> calls{0};
  stream s{100};
  loop.run(s, body{&loop, &calls});
  CHECK(calls > 133);
  int const first = calls;
  s.left = 100;
  loop.run(s, body{&loop, &calls});
  CHECK(calls == 2 * first);
  s.left = 1500;
  CHECK_THROWS_AS(loop.run(s, body{&loop, &calls}), int);
}

#if __cplusplus >= 202002L
namespace {
template <typename It, typename Body>
concept walkable = requires(It i, Body b) { tbb::parallel_for_each(i, i, b); };
template <typename C, typename Body>
concept sequence_walkable = requires(C c, Body b) { tbb::parallel_for_each(c, b); };
struct takes_int {
  void operator()(int) const;
};
struct changes_itself {
  void operator()(int);
};
struct takes_pointer {
  void operator()(int*) const;
};
struct takes_other_feeder {
  void operator()(int, tbb::feeder<char>&) const;
};
static_assert(walkable<int*, takes_int> && sequence_walkable<std::list<int>, takes_int>);
static_assert(!walkable<int*, changes_itself> && !walkable<int*, takes_pointer> && !walkable<int*, takes_other_feeder>);
static_assert(!walkable<int, takes_int> && !sequence_walkable<int, takes_int>);
static_assert(!sequence_walkable<std::list<int>, takes_pointer>);
}  // namespace
#endif
