// SPDX-License-Identifier: Apache-2.0
#include <tbb/concurrent_queue.h>
#include <tbb/tbb_exception.h>

#include <doctest/doctest.h>

#include <dlfcn.h>

#include <atomic>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

namespace {

using queue = tbb::concurrent_bounded_queue<int>;

// Until that many threads wait: consumers count down, producers up.
void await_size(queue const& q, std::ptrdiff_t size) {
  while (q.size() != size) std::this_thread::yield();
}

// What a thread that waits for a queue sees of it before it sleeps, when it yields the processor.
struct glance {
  queue const& q;
  std::atomic<std::ptrdiff_t> size{nothing};
  static constexpr std::ptrdiff_t nothing = 99;
};
thread_local glance* of_this_thread = nullptr;

// The size that the thread sees that runs wait, which end() ends.
template <typename Wait, typename End>
std::ptrdiff_t size_while(queue const& q, Wait wait, End end) {
  glance g{q};
  std::thread waiter([&] {
    of_this_thread = &g;
    wait();
  });
  while (g.size.load() == glance::nothing) std::this_thread::yield();
  end();
  waiter.join();
  return g.size.load();
}

}  // namespace

extern "C" int sched_yield() noexcept {
  static auto const next = reinterpret_cast<int (*)()>(::dlsym(RTLD_NEXT, "sched_yield"));
  if (glance* const g = std::exchange(of_this_thread, nullptr)) g->size.store(g->q.size());
  return next();
}

TEST_CASE("concurrent_bounded_queue: size() counts a waiter before it sleeps") {
  queue q;
  int v = 0;
  CHECK(size_while(q, [&] { q.pop(v); }, [&] { q.push(1); }) == -1);
  q.set_capacity(1);
  q.push(2);
  CHECK(size_while(q, [&] { q.push(3); }, [&] { q.pop(v); }) == 2);
}

TEST_CASE("concurrent_bounded_queue: capacity") {
  queue q;
  CHECK(q.capacity() == std::numeric_limits<std::ptrdiff_t>::max());
  q.set_capacity(3);
  CHECK(q.capacity() == 3);
  for (int i = 0; i < 3; ++i) CHECK(q.try_push(i));
  CHECK(!q.try_push(3));
  CHECK(!q.try_emplace(3));
  CHECK(q.size() == 3);
  q.set_capacity(1);
  CHECK(q.size() == 3);
  int v = -1;
  CHECK(q.try_pop(v));
  CHECK(v == 0);
  CHECK(!q.try_push(3));
  CHECK(q.try_pop(v));
  CHECK(!q.try_push(3));
  CHECK(q.try_pop(v));
  CHECK(q.try_push(3));
  CHECK(!q.try_push(4));
  q.set_capacity(-1);
  CHECK(q.capacity() == std::numeric_limits<std::ptrdiff_t>::max());
  for (int i = 0; i < 2000; ++i) REQUIRE(q.try_push(i));
  CHECK(q.size() == 2001);
}

TEST_CASE("concurrent_bounded_queue: the bound is exact over many segments") {
  queue q;
  q.set_capacity(700);
  int in = 0;
  int out = 0;
  int v = 0;
  for (int round = 0; round < 10; ++round) {
    while (q.try_push(in)) ++in;
    REQUIRE(in - out == 700);
    for (int i = 0; i < 300 + round; ++i) {
      q.pop(v);
      REQUIRE(v == out++);
    }
  }
}

TEST_CASE("concurrent_bounded_queue: consumers wait") {
  queue q;
  std::atomic<int> sum{0};
  std::vector<std::thread> team;
  for (int i = 0; i < 4; ++i) {
    team.emplace_back([&] {
      int v = 0;
      q.pop(v);
      sum += v;
    });
  }
  await_size(q, -4);
  CHECK(q.empty());
  for (int i = 1; i <= 4; ++i) q.push(i);
  for (auto& t : team) t.join();
  CHECK(sum == 10);
  CHECK(q.size() == 0);
}

TEST_CASE("concurrent_bounded_queue: producers wait, also for a greater capacity") {
  queue q;
  q.set_capacity(1);
  q.push(0);
  std::vector<std::thread> team;
  for (int i = 1; i <= 3; ++i) team.emplace_back([&, i] { q.push(i); });
  await_size(q, 4);
  int v = -1;
  q.pop(v);
  CHECK(v == 0);
  await_size(q, 3);
  q.set_capacity(3);
  for (auto& t : team) t.join();
  CHECK(q.size() == 3);
  int sum = 0;
  while (q.try_pop(v)) sum += v;
  CHECK(sum == 6);
}

TEST_CASE("concurrent_bounded_queue: with capacity 0 a push waits for a pop") {
  queue q;
  q.set_capacity(0);
  CHECK(!q.try_push(1));
  std::thread producer([&] { q.push(5); });
  await_size(q, 1);
  int v = 0;
  CHECK(!q.try_pop(v));
  q.pop(v);
  CHECK(v == 5);
  producer.join();
  std::thread consumer([&] { q.pop(v); });
  await_size(q, -1);
  q.push(6);
  consumer.join();
  CHECK(v == 6);
}

TEST_CASE("concurrent_bounded_queue: abort ends what waits, and only that") {
  queue q;
  q.abort();  // nobody waits
  q.set_capacity(1);
  q.push(7);
  int v = 0;
  q.pop(v);
  CHECK(v == 7);

  std::atomic<int> aborted{0};
  std::vector<std::thread> team;
  for (int i = 0; i < 3; ++i) {
    team.emplace_back([&] {
      int mine = -1;
      try {
        q.pop(mine);
      } catch (tbb::user_abort const&) {
        if (mine == -1) ++aborted;
      }
    });
  }
  await_size(q, -3);
  q.abort();
  for (auto& t : team) t.join();
  CHECK(aborted == 3);
  CHECK(q.size() == 0);

  q.push(1);
  team.clear();
  for (int i = 0; i < 3; ++i) {
    team.emplace_back([&] {
      try {
        q.push(2);
      } catch (tbb::user_abort const&) {
        ++aborted;
      }
    });
  }
  await_size(q, 4);
  q.abort();
  for (auto& t : team) t.join();
  CHECK(aborted == 6);
  CHECK(q.size() == 1);
  q.pop(v);
  CHECK(v == 1);
  CHECK(q.try_push(3));
}
