// SPDX-License-Identifier: Apache-2.0
#define ASHLAR_CLASSIC_DIALECT 1
#include <tbb/pipeline.h>

#include <doctest/doctest.h>

#include "support/thread_team.h"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

struct numbers : tbb::filter {
  explicit numbers(int n) : tbb::filter(serial_in_order), left(n) {}
  void* operator()(void*) override { return left == 0 ? nullptr : new int(left--); }
  int left;
};
struct doubler : tbb::filter {
  explicit doubler(mode m) : tbb::filter(m) {}
  void* operator()(void* item) override {
    int& value = *static_cast<int*>(item);
    if (value == bad) throw std::runtime_error("filter");
    value *= 2;
    return item;
  }
  void finalize(void* item) override { delete static_cast<int*>(item); }
  int bad = -1;
};
struct adder : tbb::filter {
  adder() : tbb::filter(true) {}
  void* operator()(void* item) override {
    sum += *static_cast<int*>(item);
    delete static_cast<int*>(item);
    return nullptr;
  }
  void finalize(void* item) override { delete static_cast<int*>(item); }
  long sum = 0;
};

}  // namespace

TEST_CASE("classic pipeline of filter objects") {
  for (tbb::filter::mode m : {tbb::filter::parallel, tbb::filter::serial, tbb::filter::serial_out_of_order}) {
    numbers first(1000);
    doubler middle(m);
    adder last;
    CHECK(last.is_serial());
    CHECK(last.is_ordered());
    CHECK(!last.is_bound());
    tbb::pipeline line;
    line.add_filter(first);
    line.add_filter(middle);
    line.add_filter(last);
    line.run(8);
    CHECK(last.sum == 1000 * 1001);
    first.left = 10;
    tbb::task_group_context context;
    line.run(2, context);
    CHECK(last.sum == 1000 * 1001 + 110);
    first.left = 1000;
    middle.bad = 500;
    CHECK_THROWS_AS(line.run(8), std::runtime_error);
    line.clear();
    line.run(4);
  }
}

TEST_CASE("classic parallel_pipeline with filter_t") {
  int made = 0;
  int sum = 0;
  tbb::filter_t<void, int> const first(tbb::filter::serial, [&](tbb::flow_control& control) {
    if (made == 100) control.stop();
    return made++;
  });
  tbb::filter_t<void, void> const all =
      first & tbb::make_filter<int, void>(tbb::filter::serial_in_order, [&](int i) { sum += i; });
  tbb::parallel_pipeline(4, all);
  CHECK(sum == 4950);
}

namespace {

std::atomic<int> items_alive{0};

// A thread-bound filter of any place in the line; notes the order, and whether its thread is always the same.
struct bound : tbb::thread_bound_filter {
  bound(mode m, int n) : tbb::thread_bound_filter(m), left(n) {}
  void* operator()(void* item) override {
    foreign = foreign || std::this_thread::get_id() != owner;
    if (bad-- == 0) throw std::runtime_error("bound");
    if (item == nullptr) {
      if (left == 0) return nullptr;
      ++items_alive;
      return new int(left--);
    }
    order.push_back(*static_cast<int*>(item));
    if (!last) return item;
    delete static_cast<int*>(item);
    --items_alive;
    return nullptr;
  }
  void finalize(void* item) override {
    delete static_cast<int*>(item);
    --items_alive;
  }
  // Serves the filter until the end.
  void serve(bool waiting) {
    owner = std::this_thread::get_id();
    for (;;) {
      result_type const r = waiting ? process_item() : try_process_item();
      if (r == end_of_stream) return;
      if (r == item_not_available) std::this_thread::yield();
    }
  }

  int left;
  int bad = -1;
  bool last = false;
  bool foreign = false;
  std::thread::id owner;
  std::vector<int> order;
};
struct passing : tbb::filter {
  explicit passing(mode m) : tbb::filter(m) {}
  void* operator()(void* item) override {
    // As in TBB 2020, the item of an operator that throws goes to finalize().
    if (throwing && *static_cast<int*>(item) == 40) throw std::runtime_error("passing");
    return item;
  }
  void finalize(void* item) override {
    delete static_cast<int*>(item);
    --items_alive;
  }
  bool throwing = false;
};
struct making : tbb::filter {
  explicit making(int n) : tbb::filter(serial), left(n) {}
  void* operator()(void*) override {
    if (left == 0) return nullptr;
    ++items_alive;
    return new int(left--);
  }
  int left;
};
struct ending : tbb::filter {
  explicit ending(mode m) : tbb::filter(m) {}
  void* operator()(void* item) override {
    order.push_back(*static_cast<int*>(item));
    finalize(item);
    return nullptr;
  }
  void finalize(void* item) override {
    delete static_cast<int*>(item);
    --items_alive;
  }
  std::vector<int> order;
};

bool counts_down(std::vector<int> const& v, int n) {
  if (v.size() != static_cast<std::size_t>(n)) return false;
  for (int i = 0; i < n; ++i) {
    if (v[static_cast<std::size_t>(i)] != n - i) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a thread-bound filter is run by the thread that serves it, in any place of the line") {
  for (std::size_t threads : {1u, 4u}) {
    test::thread_team const control(threads);
    for (std::size_t tokens : {1u, 8u}) {
      for (int place = 0; place < 3; ++place) {
        for (bool waiting : {true, false}) {
          making first(100);
          passing middle(tbb::filter::parallel);
          ending last(tbb::filter::serial);
          bound mine(tbb::filter::serial_in_order, 100);
          CHECK(mine.is_bound());
          CHECK(!middle.is_bound());
          mine.last = place == 2;
          tbb::pipeline line;
          if (place == 0) line.add_filter(mine);
          if (place != 0) line.add_filter(first);
          line.add_filter(middle);
          if (place == 1) line.add_filter(mine);
          if (place != 2) line.add_filter(last);
          if (place == 2) line.add_filter(mine);
          for (int round = 0; round < 2; ++round) {
            std::thread runner([&] {
              test::thread_team const own(threads);
              line.run(tokens);
            });
            mine.serve(waiting);
            runner.join();
            CHECK(!mine.foreign);
            if (place != 0) CHECK(counts_down(mine.order, 100));
            if (place != 2) CHECK(counts_down(last.order, 100));
            CHECK(items_alive == 0);
            mine.order.clear();
            last.order.clear();
            mine.left = first.left = 100;
          }
        }
      }
    }
  }
}

TEST_CASE("several threads serve a line; out of order they get every item once") {
  bound first(tbb::filter::serial_in_order, 300);
  passing between(tbb::filter::parallel);
  bound second(tbb::filter::serial_out_of_order, 0);
  bound third(tbb::filter::serial_in_order, 0);
  third.last = true;
  tbb::pipeline line;
  line.add_filter(first);
  line.add_filter(between);
  line.add_filter(second);
  line.add_filter(third);
  std::thread a([&] { first.serve(true); });
  std::thread b([&] { second.serve(false); });
  std::thread c([&] { third.serve(true); });
  line.run(5);
  a.join();
  b.join();
  c.join();
  CHECK(second.order.size() == 300);
  CHECK(counts_down(third.order, 300));
  CHECK(items_alive == 0);
}

TEST_CASE("exceptions and cancellation end a line with thread-bound filters, and nothing leaks") {
  for (int kind = 0; kind < 5; ++kind) {
    bound first(tbb::filter::serial_in_order, 200);
    passing between(tbb::filter::parallel);
    bound last(tbb::filter::serial_in_order, 0);
    last.last = true;
    if (kind == 0) first.bad = 30;
    if (kind == 1) last.bad = 30;
    between.throwing = kind == 2;
    tbb::pipeline line;
    line.add_filter(first);
    line.add_filter(between);
    line.add_filter(last);
    tbb::task_group_context context;
    if (kind == 3) context.cancel_group_execution();
    std::thread a([&] { first.serve(true); });
    std::thread b([&] { last.serve(kind != 4); });
    if (kind < 3) {
      CHECK_THROWS_AS(line.run(6, context), std::runtime_error);
    } else {
      line.run(6, context);
    }
    a.join();
    b.join();
    CHECK(items_alive == 0);
    if (kind >= 3) CHECK(last.order.size() == (kind == 3 ? 0u : 200u));
  }
}
