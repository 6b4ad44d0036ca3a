// SPDX-License-Identifier: Apache-2.0
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using mode = tbb::filter_mode;
constexpr mode modes[] = {mode::parallel, mode::serial_in_order, mode::serial_out_of_order};

std::atomic<int> alive{0};
// Too large to be kept in a token, and counted.
struct large {
  std::array<int, 40> values;
  explicit large(int v) {
    values.fill(v);
    ++alive;
  }
  large(large const& o) : values(o.values) { ++alive; }
  ~large() { --alive; }
};
struct small_item {
  int value;
  explicit small_item(int v) : value(v) { ++alive; }
  small_item(small_item const& o) : value(o.value) { ++alive; }
  ~small_item() { --alive; }
};

// A first body that makes 0 … n - 1.
struct source {
  std::atomic<int>* next;
  int n;
  int operator()(tbb::flow_control& control) const {
    int const i = next->fetch_add(1);
    if (i >= n) control.stop();
    return i;
  }
};

}  // namespace

TEST_CASE("every item passes once through filters of all modes, whatever the number of tokens") {
  for (mode first : modes) {
    for (mode second : modes) {
      for (mode third : modes) {
        for (std::size_t tokens : {1u, 2u, 5u, 64u, 1000000u}) {
          std::atomic<int> next{0};
          std::vector<std::atomic<int>> seen(500);
          std::atomic<int> inside{0};
          bool overlapped = false;
          std::vector<int> order;
          tbb::parallel_pipeline(
              tokens, tbb::make_filter<void, int>(first, source{&next, 500}),
              tbb::make_filter<int, large>(second, [](int i) { return large(i); }) &
                  tbb::make_filter<large, int>(mode::parallel, [](large const& l) { return l.values[7]; }),
              tbb::make_filter<int, void>(third, [&](int i) {
                ++seen[static_cast<std::size_t>(i)];
                if (third != mode::parallel) {
                  if (inside.fetch_add(1) != 0) overlapped = true;
                  order.push_back(i);
                  inside.fetch_sub(1);
                }
              }));
          int wrong = 0;
          for (auto& s : seen) wrong += s != 1;
          CHECK(wrong == 0);
          CHECK(!overlapped);
          bool sorted = true;
          for (std::size_t i = 1; i < order.size(); ++i) sorted = sorted && order[i - 1] < order[i];
          if (third == mode::serial_in_order && first != mode::parallel) CHECK(sorted);
          CHECK(alive == 0);
        }
      }
    }
  }
}

TEST_CASE("no more tokens than allowed are on their way") {
  std::atomic<int> live{0};
  std::atomic<int> most{0};
  std::atomic<int> next{0};
  tbb::parallel_pipeline(3, tbb::make_filter<void, int>(mode::serial_in_order, [&](tbb::flow_control& control) {
                              int const i = next++;
                              if (i == 2000) {
                                control.stop();
                                return 0;
                              }
                              int const now = ++live;
                              if (now > most) most = now;
                              return i;
                            }) & tbb::make_filter<int, int>(mode::parallel, [](int i) {
                              tbb::parallel_for(0, 10, [](int) {});
                              return i;
                            }) & tbb::make_filter<int, void>(mode::serial_out_of_order, [&](int) { --live; }));
  CHECK(most <= 3);
  CHECK(live == 0);
}

// The stages of a pipeline must be able to run at once: each body waits until an earlier stage has the next item.
TEST_CASE("a filter may wait for what the stages before it do with the next item") {
  for (int const long_ones : {1, 7, 100}) {  // the others are short
    for (std::size_t const threads : {std::size_t{2}, std::size_t{4}, std::size_t{8}}) {
      tbb::task_arena arena(static_cast<int>(threads));
      tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, threads);
      constexpr int items = 500;
      std::atomic<int> made{0};
      std::atomic<int> middle{0};
      std::atomic<int> ended{0};
      auto const wait_for = [&](std::atomic<int> const& stage, int item) {
        if (item % long_ones != long_ones - 1) return;
        while (stage < item + 2 && stage < items) std::this_thread::yield();
      };
      arena.execute([&] {
        tbb::parallel_pipeline(
            8, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
                 if (made == items) control.stop();
                 return made == items ? 0 : made++;
               }) & tbb::make_filter<int, int>(tbb::filter_mode::serial_in_order, [&](int item) {
                 ++middle;
                 wait_for(made, item);
                 return item;
               }) & tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order, [&](int item) {
                 if (threads > 2) wait_for(middle, item);
                 ++ended;
               }));
      });
      CHECK(ended == items);
    }
  }
}

// The items before are so short that one thread runs all filters on them.
TEST_CASE("a filter may wait until the next item has passed the filters before, of whatever kind") {
  constexpr int items = 2000, waiting = 1000;
  for (mode const how : {mode::serial_in_order, mode::serial_out_of_order}) {
    std::atomic<int> next{0}, first{0}, second{0}, ended{0};
    tbb::task_arena arena(2);
    tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 2);
    arena.execute([&] {
      tbb::parallel_pipeline(8, tbb::make_filter<void, int>(mode::serial_in_order, [&](tbb::flow_control& control) {
                                  if (next == items) control.stop();
                                  return next++;
                                }) & tbb::make_filter<int, int>(how, [&](int i) {
                                  return ++first, i;
                                }) & tbb::make_filter<int, int>(how, [&](int i) {
                                  return ++second, i;
                                }) & tbb::make_filter<int, void>(how, [&](int i) {
                                  while (i == waiting && second < waiting + 2) std::this_thread::yield();
                                  ++ended;
                                }));
    });
    CHECK(first == items);
    CHECK(ended == items);
  }
}

TEST_CASE("filters are copied, joined, cleared and deduced; items may be move-only") {
  int made = 0;
  int sum = 0;
  tbb::filter<void, std::unique_ptr<int>> first(mode::serial_in_order, [&](tbb::flow_control& control) {
    if (made == 100) control.stop();
    return std::make_unique<int>(made++);
  });
  tbb::filter<std::unique_ptr<int>, void> last;
  last =
      tbb::make_filter<std::unique_ptr<int>, void>(mode::serial_in_order, [&](std::unique_ptr<int> p) { sum += *p; });
  tbb::filter<void, void> const all = first & last;
  first.clear();
  last.clear();
  tbb::task_group_context context;
  tbb::parallel_pipeline(8, all, context);
  CHECK(sum == 4950);
  int calls = 0;
  tbb::parallel_pipeline(4, tbb::make_filter<void, void>(mode::serial_in_order, [&](tbb::flow_control& control) {
                           if (++calls == 10) control.stop();
                         }));
  CHECK(calls == 10);
  tbb::filter const deduced(mode::parallel, [](int const& i) -> double { return i; });
  static_assert(std::is_same_v<decltype(deduced), tbb::filter<int, double> const>);
  auto const from_function = tbb::make_filter(mode::parallel, [](tbb::flow_control&) { return 1; });
  static_assert(std::is_same_v<decltype(from_function), tbb::filter<void, int> const>);
  static_assert(std::is_same_v<decltype(from_function & deduced), tbb::filter<void, double>>);
}

namespace {
struct letter {
  int number;
  int doubled() const { return 2 * number; }
};
}  // namespace

TEST_CASE("members of the items are filters") {
  int next = 0;
  long sum = 0;
  tbb::parallel_pipeline(4,
                         tbb::make_filter<void, letter>(tbb::filter_mode::serial_in_order,
                                                        [&](tbb::flow_control& stop) {
                                                          if (next == 100) stop.stop();
                                                          return letter{next++};
                                                        }) &
                             tbb::make_filter<letter, int>(tbb::filter_mode::parallel, &letter::doubled) &
                             tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order, [&](int i) { sum += i; }));
  CHECK(sum == 9900);
}

TEST_CASE("an exception from any filter is delivered once and no item leaks") {
  for (mode serial : modes) {
    for (int position = 0; position < 3; ++position) {
      for (int at : {0, 1, 20, 99}) {
        std::atomic<int> next{0};
        std::atomic<int> thrown{0};
        auto const maybe = [&](int here, int i) {
          if (here == position && i == at) {
            ++thrown;
            throw std::runtime_error("filter");
          }
        };
        auto const run = [&] {
          tbb::parallel_pipeline(
              8, tbb::make_filter<void, small_item>(serial, [&](tbb::flow_control& control) {
                   int const i = next++;
                   if (i >= 100) control.stop();
                   maybe(0, i);
                   return small_item(i);
                 }) & tbb::make_filter<small_item, large>(serial, [&](small_item s) {
                   maybe(1, s.value);
                   return large(s.value);
                 }) & tbb::make_filter<large, void>(serial, [&](large const& l) { maybe(2, l.values[0]); }));
        };
        CHECK_THROWS_AS(run(), std::runtime_error);
        CHECK(thrown == 1);
        CHECK(alive == 0);
      }
    }
  }
}

TEST_CASE("a cancelled pipeline ends and drops what is on its way") {
  tbb::task_group_context context;
  std::atomic<int> passed{0};
  std::atomic<int> made{0};
  auto const run = [&] {
    tbb::parallel_pipeline(
        16,
        tbb::make_filter<void, small_item>(mode::serial_in_order,
                                           [&](tbb::flow_control&) {
                                             if (++made == 1000) context.cancel_group_execution();
                                             return small_item(1);
                                           }) &
            tbb::make_filter<small_item, small_item>(mode::parallel, [](small_item s) { return s; }) &
            tbb::make_filter<small_item, void>(mode::serial_in_order, [&](small_item) { ++passed; }),
        context);
  };
  run();
  CHECK(passed < 1000);
  CHECK(alive == 0);
  int const before = made;
  run();
  CHECK(made == before);
}

// Short tokens are carried by one thread, which leaves its stack with some of them.
TEST_CASE("bodies of short tokens suspend themselves, and others run what they leave") {
  for (unsigned every : {1U, 7U, 64U}) {
    for (std::size_t tokens : {1U, 4U}) {
      constexpr unsigned last = 3000;
      unsigned made = 0;
      unsigned seen = 0;
      std::atomic<unsigned> inner{0};
      auto const input = [&](tbb::flow_control& control) {
        if (made == last) control.stop();
        return made++;
      };
      auto const pause = [&](unsigned n) {
        if (n % every == 0) tbb::task::suspend([](tbb::task::suspend_point p) { tbb::task::resume(p); });
        if (n % 97 == 0) tbb::parallel_for(0, 8, [&](int) { ++inner; });
        return n;
      };
      auto const output = [&](unsigned n) { CHECK(n == seen++); };
      tbb::parallel_pipeline(tokens, tbb::make_filter<void, unsigned>(mode::serial_in_order, input) &
                                         tbb::make_filter<unsigned, unsigned>(mode::serial_out_of_order, pause) &
                                         tbb::make_filter<unsigned, void>(mode::serial_in_order, output));
      CHECK(seen == last);
      CHECK(inner == 8 * (last / 97 + 1));
    }
  }
}
