// SPDX-License-Identifier: Apache-2.0
// What a user of the wheels may rely on, in one program: loops, exceptions that pass between the program's code and the
// library's, resumed tasks, containers, the allocator. Says what went wrong; without a word all is well.
#include <tbb/concurrent_vector.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/scalable_allocator.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

int failures = 0;

void expect(bool good, char const* what) {
  if (good) return;
  std::printf("%s\n", what);
  ++failures;
}

struct own_error : std::runtime_error {
  using runtime_error::runtime_error;
  int value = 7;
};

void loops() {
  long const sum = tbb::parallel_reduce(
      tbb::blocked_range<int>(0, 100000), 0L,
      [](auto const& r, long s) {
        for (int i = r.begin(); i != r.end(); ++i) s += i;
        return s;
      },
      [](long a, long b) { return a + b; });
  expect(sum == 4999950000L, "parallel_reduce");
  tbb::concurrent_vector<int> all;
  tbb::parallel_for(0, 1000, [&](int i) { all.push_back(i); });
  expect(all.size() == 1000, "concurrent_vector");
}

void exceptions() {
  for (int round = 0; round < 20; ++round) {
    try {
      tbb::parallel_for(0, 1000, [](int i) {
        if (i == 500) throw own_error(std::string(100, 'x'));
      });
      expect(false, "no exception came");
    } catch (own_error const& e) {
      expect(e.value == 7 && std::string(e.what()).size() == 100, "another exception came");
    }
    tbb::task_group group;
    group.run([] {
      try {
        throw 1;
      } catch (int) {
        std::throw_with_nested(std::logic_error("outer"));
      }
    });
    try {
      group.wait();
      expect(false, "no nested exception came");
    } catch (std::logic_error const& e) {
      try {
        std::rethrow_if_nested(e);
        expect(false, "nothing is nested");
      } catch (int n) {
        expect(n == 1, "the nested exception");
      }
    }
    // Thrown by the library.
    try {
      tbb::concurrent_vector<int>(1).at(5);
      expect(false, "no out_of_range");
    } catch (std::out_of_range const&) {
    }
    expect(std::uncaught_exceptions() == 0 && std::current_exception() == nullptr, "an exception is left");
  }
}

void suspended() {
  tbb::task_group group;
  int resumed = 0;
  std::thread later;
  group.run([&] {
    try {
      throw 2;
    } catch (int) {  // handled across the change of stacks
      tbb::task::suspend([&](tbb::task::suspend_point at) { later = std::thread([at] { tbb::task::resume(at); }); });
      ++resumed;
    }
  });
  group.wait();
  later.join();
  expect(resumed == 1, "suspend and resume");
}

void graph() {
  tbb::flow::graph g;
  int sum = 0;
  tbb::flow::function_node<int, int> square(g, tbb::flow::unlimited, [](int i) { return i * i; });
  tbb::flow::function_node<int> add(g, tbb::flow::serial, [&](int i) { sum += i; });
  tbb::flow::make_edge(square, add);
  for (int i = 0; i < 100; ++i) square.try_put(i);
  g.wait_for_all();
  expect(sum == 328350, "flow graph");
}

void memory() {
  tbb::parallel_for(0, 1000, [](int i) {
    auto* const p = static_cast<char*>(scalable_malloc(static_cast<std::size_t>(i) * 10 + 1));
    p[0] = 1;
    scalable_free(p);
  });
  expect(scalable_malloc(~std::size_t{0} / 2) == nullptr, "memory without end");
}

}  // namespace

int main() {
  loops();
  exceptions();
  suspended();
  graph();
  memory();
  return failures == 0 ? 0 : 1;
}
