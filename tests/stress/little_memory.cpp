// SPDX-License-Identifier: Apache-2.0
// The address space is limited (ulimit -v) to little more than the process has: thread stacks, task memory, containers
// and the allocator get nothing at some point. Expected: std::bad_alloc or a null pointer for whoever asks, no task
// lost, no container torn, and everything works again once there is memory.
#include "support/death.h"
#include "support/emulator.h"
#include "support/eventually.h"
#include "support/process_memory.h"
#include "support/thread_team.h"

#include <ashlar/base/config.h>
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_vector.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_sort.h>
#include <tbb/scalable_allocator.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <vector>

namespace {

// In the children, where doctest's results would be lost.
void require(bool right, char const* what) {
  if (right) return;
  std::fprintf(stderr, "little memory: %s\n", what);
  std::_Exit(3);
}

void limit_address_space(rlim_t bytes) {
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = bytes;
  require(::setrlimit(RLIMIT_AS, &limit) == 0, "RLIMIT_AS");
}

constexpr int most = 2'000'000;  // elements, where memory does not end before

void loops() {
  std::atomic<int> ran{0};
  std::vector<int> items(1000);
  tbb::parallel_for(0, 10000, [&](int) { ++ran; });
  tbb::parallel_for_each(items.begin(), items.end(), [&](int) { ++ran; });
  ran += tbb::parallel_reduce(
      tbb::blocked_range<int>(0, 10000), 0,
      [](tbb::blocked_range<int> const& r, int sum) { return sum + static_cast<int>(r.size()); }, std::plus<>());
  require(ran == 21000, "iterations were lost");
}

void sorts() {
  std::vector<int> items(100000);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<int>(i * 7919 % items.size());
  tbb::parallel_sort(items);
  for (std::size_t i = 0; i < items.size(); ++i) require(items[i] == static_cast<int>(i), "a sort is wrong");
}

void groups() {
  tbb::task_group group;
  std::atomic<int> ran{0};
  int submitted = 0;
  try {
    for (; submitted < 300'000; ++submitted) {
      group.run([&, room = std::vector<char>()] { ran += room.empty() ? 1 : 0; });
    }
  } catch (std::bad_alloc const&) {
    group.wait();
    require(ran == submitted, "tasks of a group were lost");
    throw;
  }
  group.wait();
  require(ran == submitted, "tasks of a group were lost");
}

void enqueues() {
  std::atomic<int> ran{0};
  int submitted = 0;
  tbb::task_arena arena(4);
  auto const all_ran = [&] {
    // Where no worker can be had, whoever enters runs them.
    return test::eventually([&] {
      if (ran != submitted) arena.execute([] {});
      return ran == submitted;
    });
  };
  try {
    for (; submitted < 100'000; ++submitted) arena.enqueue([&] { ++ran; });
  } catch (std::bad_alloc const&) {
    require(all_ran(), "enqueued tasks were lost");
    throw;
  }
  require(all_ran(), "enqueued tasks were lost");
}

void pipelines() {
  int next = 0;
  std::atomic<long> sum{0};
  tbb::parallel_pipeline(
      64,
      tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                  [&](tbb::flow_control& control) {
                                    if (next == 2000) control.stop();
                                    return next++;
                                  }) &
          tbb::make_filter<int, std::vector<char>>(
              tbb::filter_mode::parallel, [](int i) { return std::vector<char>(static_cast<std::size_t>(i)); }) &
          tbb::make_filter<std::vector<char>, void>(tbb::filter_mode::serial_in_order, [&](std::vector<char> const& v) {
            sum += static_cast<long>(v.size());
          }));
  require(sum == 1999000, "items of a pipeline were lost");
}

// Adds elements until there is no memory: `add(i)` adds i, `verify(n)` tells whether exactly 0 to n - 1 are there.
template <typename Add, typename Verify>
void fill(Add const& add, Verify const& verify, char const* what) {
  int n = 0;
  try {
    for (; n < most; ++n) add(n);
  } catch (std::bad_alloc const&) {
    require(verify(n), what);
    throw;
  }
  require(verify(n), what);
}

void vectors() {
  tbb::concurrent_vector<int> v;
  fill([&](int i) { v.push_back(i); },
       [&](int n) {
         for (int i = 0; i < n; ++i) {
           if (v[static_cast<std::size_t>(i)] != i) return false;
         }
         return v.size() >= static_cast<std::size_t>(n);
       },
       "a vector is torn");
}

template <typename Queue>
void queues() {
  Queue q;
  fill([&](int i) { q.push(i); },
       [&](int n) {
         long sum = 0;
         int count = 0;
         for (int i = 0; q.try_pop(i); ++count) sum += i;
         return count == n && sum == static_cast<long>(n) * (n - 1) / 2;
       },
       "a queue is torn");
}

template <typename Map>
void maps() {
  Map m;
  fill([&](int i) { m.insert({i, i}); },
       [&](int n) {
         int walked = 0;
         for (auto const& [key, value] : m) {
           if (key != value || key >= n) return false;
           ++walked;
         }
         return walked == n && m.size() == static_cast<std::size_t>(n);
       },
       "a map is torn");
}

void blocks() {
  struct block {
    block* next;
    std::size_t bytes;
  };
  block* all = nullptr;
  std::size_t total = 0;
  for (std::size_t i = 0; total < std::size_t{256} << 20; ++i) {
    std::size_t const bytes = sizeof(block) + i * 7919 % (i % 100 == 0 ? 2'000'000 : 3000);
    auto* const b = static_cast<block*>(scalable_malloc(bytes));
    if (b == nullptr) break;
    std::memset(b + 1, static_cast<int>(bytes & 0xff), bytes - sizeof(block));
    b->next = all;
    b->bytes = bytes;
    all = b;
    total += bytes;
  }
  while (all != nullptr) {
    block* const b = all;
    all = b->next;
    auto const* const text = reinterpret_cast<unsigned char const*>(b + 1);
    for (std::size_t i = 0; i < b->bytes - sizeof(block); i += 97) {
      require(text[i] == (b->bytes & 0xff), "a block is overwritten");
    }
    scalable_free(b);
  }
  void* const again = scalable_malloc(1000);
  require(total < 100'000 || again != nullptr, "freed memory can't be had again");
  scalable_free(again);
}

void thread_specifics() {
  tbb::enumerable_thread_specific<long> counts(0);
  tbb::parallel_for(0, 1000, [&](int) { ++counts.local(); });
  require(counts.combine(std::plus<>()) == 1000, "a count was lost");
}

struct scene {
  char const* name;
  void (*run)();
};
using int_map = std::pair<int const, int>;
constexpr scene scenes[] = {
    {"loops", loops},
    {"sorts", sorts},
    {"groups", groups},
    {"enqueues", enqueues},
    {"pipelines", pipelines},
    {"vectors", vectors},
    {"concurrent_queue", queues<tbb::concurrent_queue<int>>},
    {"concurrent_bounded_queue", queues<tbb::concurrent_bounded_queue<int>>},
    {"concurrent_priority_queue", queues<tbb::concurrent_priority_queue<int>>},
    {"concurrent_hash_map", maps<tbb::concurrent_hash_map<int, int>>},
    {"concurrent_unordered_map", maps<tbb::concurrent_unordered_map<int, int>>},
    {"concurrent_map", maps<tbb::concurrent_map<int, int>>},
    {"blocks", blocks},
    {"thread_specifics", thread_specifics},
};

// In a child whose address space may grow by `kib`. Whether memory came to its end.
int live_with(scene const& s, unsigned long kib) {
  ::alarm(60);
  test::thread_team const limit(4);
  rlim_t const before = test::memory_of_process().mapped;
  limit_address_space(before + kib * 1024);
  int scarce = 0;
  for (int round = 0; round < 3; ++round) {
    try {
      s.run();
    } catch (std::bad_alloc const&) {
      ++scarce;
    }
  }
  limit_address_space(RLIM_INFINITY);
  loops();
  enqueues();
  blocks();
  return scarce != 0 ? 1 : 0;
}

}  // namespace

// The sanitizers' own shadows take more than any limit.
TEST_CASE("where the address space ends, whoever asks is told, and nothing is lost" *
          doctest::skip(ASHLAR_ASAN || ASHLAR_TSAN || test::emulated)) {
  int scarce = 0;
  for (scene const& s : scenes) {
    for (unsigned long const kib : {0ul, 300ul, 4000ul, 20'000ul}) {
      CAPTURE(s.name);
      CAPTURE(kib);
      test::death const end = test::run_in_child([&] { std::_Exit(live_with(s, kib)); });
      CHECK(end.exited);
      CHECK(end.code <= 1);
      if (!end.exited || end.code > 1) MESSAGE(end.errors);
      scarce += end.exited && end.code == 1 ? 1 : 0;
    }
  }
  MESSAGE(scarce << " of the children came to the end of their memory");
  CHECK(scarce > 20);
}
