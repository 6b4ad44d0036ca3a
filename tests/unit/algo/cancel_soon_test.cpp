// SPDX-License-Identifier: Apache-2.0
// A loop whose iterations take long ends soon after its cancellation: with one thread, where each step is determined.
#include <tbb/blocked_range2d.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>

namespace {

constexpr int size = 10000;
constexpr int last = 200;  // iterations until the loop is cancelled

// Returns how many iterations came after the cancellation.
int overrun(std::function<void(std::function<void()> const& iteration, tbb::task_group_context&)> const& loop) {
  tbb::global_control const one(tbb::global_control::max_allowed_parallelism, 1);
  tbb::task_group_context context;
  int done = 0;
  loop(
      [&] {
        if (++done == last) context.cancel_group_execution();
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      },
      context);
  return done - last;
}

using iteration = std::function<void()> const&;
using context = tbb::task_group_context&;

}  // namespace

TEST_CASE("no iteration that takes long follows a cancellation") {
  CHECK(overrun([](iteration one, context c) { tbb::parallel_for(0, size, [&](int) { one(); }, c); }) == 0);
  CHECK(overrun([](iteration one, context c) {
          tbb::parallel_for(
              tbb::blocked_range<int>(0, size),
              [&](auto const& r) {
                for (int i = r.begin(); i != r.end(); ++i) one();
              },
              c);
        }) == 0);
  CHECK(overrun([](iteration one, context c) {
          tbb::affinity_partitioner affinity;
          tbb::parallel_for(0, size, [&](int) { one(); }, affinity, c);
        }) == 0);
  CHECK(overrun([](iteration one, context c) {
          auto const sum = [&](tbb::blocked_range<int> const& r, int value) {
            for (int i = r.begin(); i != r.end(); ++i) one();
            return value;
          };
          tbb::parallel_reduce(tbb::blocked_range<int>(0, size), 0, sum, std::plus<int>(), c);
        }) == 0);
  CHECK(overrun([](iteration one, context c) {
          tbb::parallel_for(
              tbb::blocked_range2d<int>(0, size / 100, 0, 100),
              [&](auto const& r) {
                for (int i = r.rows().begin(); i != r.rows().end(); ++i) {
                  for (int j = r.cols().begin(); j != r.cols().end(); ++j) one();
                }
              },
              c);
        }) == 0);
}

TEST_CASE("no call gets less than halving would give") {
  using range = tbb::blocked_range<int>;
  for (int const threads : {1, 2, 4}) {
    tbb::global_control const control(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    tbb::task_arena(threads).execute([] {
      for (int const grain : {2, 3, 7}) {
        for (int n = grain + 1; n != 200; ++n) {
          auto const smallest = [](range const& r, int least) { return std::min(least, static_cast<int>(r.size())); };
          auto const least = [](int a, int b) { return std::min(a, b); };
          CHECK(tbb::parallel_reduce(range(0, n, static_cast<std::size_t>(grain)), n, smallest, least) >=
                (grain + 1) / 2);
        }
      }
    });
  }
}

TEST_CASE("no call gets less of an axis than halving would give") {
  auto const least = [](int n, int grain) { return n <= grain ? n : (grain + 1) / 2; };
  for (int rows = 1; rows < 300; rows += 13) {
    for (int cols = 1; cols < 300; cols += 17) {
      std::atomic<int> wrong{0}, done{0};
      tbb::parallel_for(tbb::blocked_range2d<int>(0, rows, 3, 0, cols, 7), [&](tbb::blocked_range2d<int> const& r) {
        int const height = static_cast<int>(r.rows().size()), width = static_cast<int>(r.cols().size());
        if (height < least(rows, 3) || width < least(cols, 7)) ++wrong;
        done += height * width;
      });
      REQUIRE(wrong == 0);
      REQUIRE(done == rows * cols);
    }
  }
}
