// SPDX-License-Identifier: Apache-2.0
// Which thread runs which part of a loop with a static_partitioner, and that no part is lost or run twice whoever
// comes.
#include <support/eventually.h>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace {

using range = tbb::blocked_range<int>;
using std::chrono::milliseconds;

struct threads_allowed {
  explicit threads_allowed(int n) : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(n)) {}
  tbb::global_control limit;
};

// Holds each part until all parts have begun, so that each thread has one; gives up after a while.
class all_together {
 public:
  explicit all_together(int n) : parts_(n) {}
  bool wait() {
    ++here_;
    // Looks are counted, which a machine that stands still does not make.
    for (int looks = 0; here_ < parts_; ++looks) {
      if (looks == 60'000) return false;
      std::this_thread::sleep_for(milliseconds(1));
    }
    return true;
  }

 private:
  std::atomic<int> here_{0};
  int const parts_;
};

// What each part's thread was, by the thread's place in the arena.
std::vector<int> places_in_for(int threads, int first_place_waits_ms = 0) {
  std::vector<int> places(static_cast<std::size_t>(threads), -1);
  all_together together(threads);
  tbb::parallel_for(
      range(0, threads),
      [&](range const& r) {
        REQUIRE(r.size() == 1);
        int const place = tbb::this_task_arena::current_thread_index();
        places[static_cast<std::size_t>(r.begin())] = place;
        if (place == 0) std::this_thread::sleep_for(milliseconds(first_place_waits_ms));
        CHECK(together.wait());
      },
      tbb::static_partitioner());
  return places;
}

std::vector<int> places_in_reduce(int threads) {
  std::vector<int> places(static_cast<std::size_t>(threads), -1);
  all_together together(threads);
  int const count = tbb::parallel_reduce(
      range(0, threads), 0,
      [&](range const& r, int sum) {
        places[static_cast<std::size_t>(r.begin())] = tbb::this_task_arena::current_thread_index();
        CHECK(together.wait());
        return sum + static_cast<int>(r.size());
      },
      std::plus<>(), tbb::static_partitioner());
  CHECK(count == threads);
  return places;
}

std::vector<int> in_order(int threads) {
  std::vector<int> places(static_cast<std::size_t>(threads));
  std::iota(places.begin(), places.end(), 0);
  return places;
}

std::string letters(range const& r, std::string text) {
  for (int i = r.begin(); i != r.end(); ++i) text += static_cast<char>('a' + i % 26);
  return text;
}

}  // namespace

TEST_CASE("part i of each static loop is run by the thread in place i") {
  for (int threads : {2, 3, 4, 8, 19}) {
    threads_allowed const limit(threads);
    tbb::task_arena arena(threads);
    arena.execute([&] {
      for (int i = 0; i < 10; ++i) {
        CHECK(places_in_for(threads) == in_order(threads));
        CHECK(places_in_reduce(threads) == in_order(threads));
      }
    });
  }
}

TEST_CASE("threads that come late for a static loop find their parts") {
  threads_allowed const limit(4);
  tbb::task_arena arena(4);
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(milliseconds(20));  // workers sleep, or are gone
    arena.execute([&] { CHECK(places_in_for(4, 5) == in_order(4)); });
  }
}

TEST_CASE("a static loop whose threads don't come is run to its end by those that do") {
  for (int threads : {1, 2, 3, 8, 32, 100}) {
    threads_allowed const limit(threads);
    tbb::task_arena busy(threads, 0);
    std::atomic<bool> over{false};
    std::atomic<int> ended{0};
    for (int i = 2; i < threads; ++i) {
      busy.enqueue([&] {
        while (!over) std::this_thread::sleep_for(milliseconds(1));
        ++ended;
      });
    }
    tbb::task_arena arena(threads);
    arena.execute([&] {
      for (int size : {1, 2, 3, 7, 100, 1000}) {
        for (int i = 0; i < 20; ++i) {
          std::vector<std::atomic<int>> hits(static_cast<std::size_t>(size));
          tbb::parallel_for(
              range(0, size),
              [&](range const& r) {
                for (int k = r.begin(); k != r.end(); ++k) ++hits[static_cast<std::size_t>(k)];
              },
              tbb::static_partitioner());
          for (auto const& h : hits) REQUIRE(h == 1);
        }
      }
    });
    over = true;
    while (ended != std::max(threads - 2, 0)) std::this_thread::yield();
  }
}

TEST_CASE("reductions by static parts keep the order, and nested loops their parts") {
  threads_allowed const limit(8);
  tbb::task_arena arena(8);
  std::string const expected = letters(range(0, 500), "");
  arena.execute([&] {
    for (int i = 0; i < 50; ++i) {
      CHECK(tbb::parallel_reduce(range(0, 500), std::string(), letters, std::plus<>(), tbb::static_partitioner()) ==
            expected);
      CHECK(tbb::parallel_deterministic_reduce(range(0, 500), std::string(), letters, std::plus<>(),
                                               tbb::static_partitioner()) == expected);
    }
    std::atomic<int> calls{0};
    tbb::parallel_for(
        range(0, 40),
        [&](range const& outer) {
          tbb::parallel_for(
              range(0, 40),
              [&](range const& inner) {
                std::string const nested = tbb::parallel_reduce(range(0, 60), std::string(), letters, std::plus<>(),
                                                                tbb::static_partitioner());
                if (nested != expected.substr(0, 60)) std::terminate();
                calls += static_cast<int>(outer.size() * inner.size());
              },
              tbb::static_partitioner());
        },
        tbb::static_partitioner());
    CHECK(calls == 1600);
  });
}

TEST_CASE("static loops over ranges that can't be cut evenly, and exceptions on the way") {
  threads_allowed const limit(8);
  tbb::task_arena arena(8);
  arena.execute([&] {
    for (int grain : {1, 3, 30, 400}) {
      std::atomic<int> sum{0};
      tbb::parallel_for(
          range(0, 100, static_cast<std::size_t>(grain)), [&](range const& r) { sum += static_cast<int>(r.size()); },
          tbb::static_partitioner());
      CHECK(sum == 100);
    }
    for (int bad = 0; bad < 8; ++bad) {
      CHECK_THROWS_AS(tbb::parallel_for(
                          range(0, 8),
                          [&](range const& r) {
                            if (r.begin() == bad) throw bad;
                          },
                          tbb::static_partitioner()),
                      int);
      CHECK_THROWS_AS(tbb::parallel_reduce(
                          range(0, 8), 0,
                          [&](range const& r, int) -> int {
                            if (r.begin() == bad) throw bad;
                            return 1;
                          },
                          std::plus<>(), tbb::static_partitioner()),
                      int);
    }
  });
  struct bad_range {
    bad_range(int n, int b) : size(n), bad(b) {}
    bad_range(bad_range& r, tbb::split) : size(r.size / 2), bad(r.bad) {
      if (r.size == bad) throw std::string("split");
      r.size -= size;
    }
    bool empty() const { return size == 0; }
    bool is_divisible() const { return size > 1; }
    int size;
    int bad;
  };
  for (int bad : {64, 32, 16}) {
    tbb::task_group_context context;
    std::atomic<int> calls{0};
    auto const loop = [&] {
      tbb::parallel_for(bad_range(64, bad), [&](bad_range const&) { ++calls; }, tbb::static_partitioner(), context);
    };
    arena.execute([&] { CHECK_THROWS_AS(loop(), std::string); });
    CHECK(calls == 0);
  }
}

namespace {

// What lies on the stack later.
__attribute__((noinline)) void soil_stack() {
  unsigned char volatile soil[16384];
  for (auto& byte : soil) byte = 0xee;
}

}  // namespace

TEST_CASE("a worker may sit as many slots above the caller as the loop has parts") {
  constexpr int threads = 3;
  threads_allowed const allowed(threads);
  tbb::task_arena arena(2 * threads, threads);  // the first worker comes to slot 3
  std::atomic<bool> over{false};
  std::atomic<int> there{0};
  std::vector<std::thread> others;
  std::atomic<int> highest{0};
  auto const loop = [&] {
    for (int round = 0; round < 2000 && highest < threads; ++round) {
      soil_stack();
      tbb::parallel_for(
          range(0, threads),
          [&](range const&) {
            int const place = tbb::this_task_arena::current_thread_index();
            if (place > highest) highest = place;
            std::this_thread::sleep_for(std::chrono::microseconds(200));
          },
          tbb::static_partitioner());
    }
  };
  arena.execute([&] {
    for (int i = 1; i < threads; ++i) {
      others.emplace_back([&] {
        arena.execute([&] {
          ++there;
          while (!over) std::this_thread::sleep_for(milliseconds(1));
        });
      });
    }
    CHECK(test::eventually([&] { return there == threads - 1; }));
    loop();
    over = true;
  });
  for (auto& t : others) t.join();
  CHECK(highest >= threads);
}
