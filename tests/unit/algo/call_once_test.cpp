// SPDX-License-Identifier: Apache-2.0
#include <tbb/collaborative_call_once.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

// Runs f(i) in n threads of the application at once.
template <typename F>
void in_threads(int n, F const& f) {
  std::atomic<int> here{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < n; ++i) {
    threads.emplace_back([&, i] {
      ++here;
      while (here != n) std::this_thread::yield();
      f(i);
    });
  }
  for (std::thread& t : threads) t.join();
}

struct counter {
  int n = 0;
  int spare[8] = {};  // g++ 12 takes the member pointer for an offset otherwise, and warns
  void add(int k) { n += k; }
};

}  // namespace

TEST_CASE("collaborative_call_once calls once, with arguments, and every thread sees the result") {
  for (int round = 0; round < 200; ++round) {
    tbb::collaborative_once_flag flag;
    int calls = 0;
    std::string result;
    std::atomic<int> right{0};
    in_threads(4, [&](int) {
      tbb::collaborative_call_once(
          flag,
          [&](int a, std::string const& b) {
            ++calls;
            result = b + std::to_string(a);
          },
          7, std::string("x"));
      right += result == "x7";
    });
    CHECK(calls == 1);
    CHECK(right == 4);
  }
}

TEST_CASE("member pointers can be called once") {
  counter c;
  tbb::collaborative_once_flag flag;
  for (int i = 0; i < 3; ++i) tbb::collaborative_call_once(flag, &counter::add, c, 5);
  CHECK(c.n == 5);
}

TEST_CASE("threads that wait take part in the call's work") {
  tbb::global_control const control(tbb::global_control::max_allowed_parallelism, 1);  // no workers
  tbb::collaborative_once_flag flag;
  tbb::task_arena arena(4, 4);
  std::atomic<int> inside{0};
  std::atomic<int> together{0};
  in_threads(2, [&](int) {
    arena.execute([&] {
      tbb::collaborative_call_once(flag, [&] {
        // Each part waits for the other: one thread alone never returns.
        tbb::parallel_for(
            0, 2,
            [&](int) {
              ++inside;
              while (inside < 2) std::this_thread::yield();
              ++together;
            },
            tbb::simple_partitioner());
      });
    });
  });
  CHECK(together == 2);
}

TEST_CASE("a thread joins the call from its own arena, and a full arena keeps nobody") {
  for (int size : {1, 2}) {
    tbb::collaborative_once_flag flag;
    tbb::task_arena arena(size, 1);
    std::atomic<int> sum{0};
    int calls = 0;
    in_threads(4, [&](int i) {
      auto const call = [&] {
        tbb::collaborative_call_once(flag, [&] {
          ++calls;
          tbb::parallel_for(0, 1000, [&](int k) { sum += k; });
        });
      };
      if (i % 2 == 0) {
        arena.execute(call);
      } else {
        call();
      }
      CHECK(sum == 499500);
    });
    CHECK(calls == 1);
  }
}

TEST_CASE("an exception reaches the caller, and the next thread calls") {
  for (int round = 0; round < 200; ++round) {
    tbb::collaborative_once_flag flag;
    std::atomic<int> calls{0};
    std::atomic<int> caught{0};
    in_threads(4, [&](int) {
      try {
        tbb::collaborative_call_once(flag, [&] {
          if (++calls < 3) throw std::runtime_error("once");
        });
      } catch (std::runtime_error const&) {
        ++caught;
      }
    });
    CHECK(calls == 3);
    CHECK(caught == 2);
  }
}

TEST_CASE("flags nest, and tasks of one arena share them") {
  tbb::collaborative_once_flag outer;
  tbb::collaborative_once_flag inner;
  int outer_calls = 0;
  int inner_calls = 0;
  tbb::parallel_for(0, 64, [&](int) {
    tbb::collaborative_call_once(outer, [&] {
      ++outer_calls;
      tbb::parallel_for(0, 64, [&](int) { tbb::collaborative_call_once(inner, [&] { ++inner_calls; }); });
    });
    CHECK(inner_calls == 1);
  });
  CHECK(outer_calls == 1);
}
