// SPDX-License-Identifier: Apache-2.0
// Deferred tasks, tasks of a group and classic tasks that are handed to an arena, and waiting there for one task.
#include <tbb/global_control.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

using tbb::task_arena;
using tbb::task_group;
using tbb::task_handle;

namespace {

// Where the calling thread is: an arena of 7 places tells itself from all others here.
constexpr int places = 7;
bool inside() { return tbb::this_task_arena::max_concurrency() == places; }

// Without taking part in any work.
template <typename Done>
void watch(Done done) {
  while (!done()) std::this_thread::yield();
}

}  // namespace

TEST_CASE("a deferred task runs in the arena that it is enqueued in, and its group waits for it") {
  task_arena a(places, 0);
  task_group group;
  std::atomic<int> right{0};
  task_handle h = group.defer([&] { right += inside() ? 1 : 0; });
  a.enqueue(std::move(h));
  CHECK(h == nullptr);  // NOLINT: moved-from is empty by contract
  CHECK(group.wait() == tbb::complete);
  CHECK(right == 1);
}

TEST_CASE("an enqueued task waits for its predecessors, and then still runs in its arena") {
  for (bool own_arena : {false, true}) {
    task_arena a(places, 0);
    task_group group;
    std::atomic<bool> first_over{false};
    std::atomic<int> right{0};
    task_handle first = group.defer([&] { first_over = true; });
    task_handle second = group.defer([&] { right += inside() && first_over ? 1 : 0; });
    task_group::set_task_order(first, second);
    a.enqueue(std::move(second));
    if (own_arena) {
      a.enqueue(std::move(first));
    } else {
      group.run(std::move(first));
    }
    CHECK(group.wait() == tbb::complete);
    CHECK(right == 1);
  }
}

TEST_CASE("an arena is kept by a task that will be enqueued there") {
  task_group group;
  std::atomic<int> right{0};
  task_handle first = group.defer([] {});
  {
    task_arena a(places, 0);
    task_handle second = group.defer([&] { right += inside() ? 1 : 0; });
    task_group::set_task_order(first, second);
    a.enqueue(std::move(second));
  }
  group.run(std::move(first));
  CHECK(group.wait() == tbb::complete);
  CHECK(right == 1);
}

TEST_CASE("a function enqueued for a group: waited for, its exception rethrown, dropped if the group is cancelled") {
  task_arena a(places, 0);
  task_group group;
  std::atomic<int> right{0};
  for (int i = 0; i < 100; ++i) {
    a.enqueue([&] { right += inside() ? 1 : 0; }, group);
  }
  CHECK(a.wait_for(group) == tbb::complete);
  CHECK(right == 100);

  a.enqueue([] { throw std::runtime_error("for the group"); }, group);
  CHECK_THROWS_WITH_AS(group.wait(), "for the group", std::runtime_error);

  group.cancel();
  a.enqueue([&] { ++right; }, group);
  CHECK(group.wait() == tbb::canceled);
  CHECK(right == 100);
}

TEST_CASE("this_task_arena::enqueue takes handles and groups") {
  task_arena a(places, 1);
  task_group group;
  std::atomic<int> right{0};
  a.execute([&] {
    tbb::this_task_arena::enqueue(group.defer([&] { right += inside() ? 1 : 0; }));
    tbb::this_task_arena::enqueue([&] { right += inside() ? 1 : 0; }, group);
  });
  CHECK(group.wait() == tbb::complete);
  CHECK(right == 2);
}

TEST_CASE("task_arena::wait_for one task doesn't wait for the others, and tells its status") {
  task_arena a(2, 1);
  task_group group;
  std::atomic<bool> busy{false}, go{false};
  a.enqueue(
      [&] {
        busy = true;
        watch([&] { return go.load(); });
      },
      group);
  watch([&] { return busy.load(); });  // a worker has it: this thread would take it, too, while it waits
  std::atomic<int> ran{0};
  task_handle h = group.defer([&] { ++ran; });
  tbb::task_completion_handle one = h;
  a.execute([&] { group.run(std::move(h)); });
  CHECK(a.wait_for(one) == tbb::task_complete);
  CHECK(ran == 1);
  go = true;
  CHECK(group.wait() == tbb::complete);

  h = group.defer([] {});
  one = h;
  h = task_handle();
  CHECK(a.wait_for(one) == tbb::canceled);
  group.wait();
}

namespace {

struct counting_task : tbb::task {
  counting_task(std::atomic<int>& c, bool (*w)()) : count(c), where(w) {}
  task* execute() override {
    count += where() && is_enqueued_task() ? 1 : 1000;
    return nullptr;
  }
  std::atomic<int>& count;
  bool (*where)();
};

struct numbered_task : tbb::task {
  numbered_task(std::vector<int>& o, int n) : order(o), number(n) {}
  task* execute() override {
    order.push_back(number);
    return nullptr;
  }
  std::vector<int>& order;
  int number;
};

}  // namespace

TEST_CASE("classic tasks enqueued into an arena run there, the last one tells its parent") {
  task_arena a(places, 0);
  std::atomic<int> count{0};
  for (tbb::priority_t p : {tbb::priority_low, tbb::priority_normal, tbb::priority_high}) {
    tbb::task::enqueue(*new (tbb::task::allocate_root()) counting_task(count, &inside), a, p);
  }
  watch([&] { return count >= 3; });
  CHECK(count == 3);

  tbb::empty_task& parent = *new (tbb::task::allocate_root()) tbb::empty_task;
  parent.set_ref_count(3);
  for (int i = 0; i < 2; ++i) {
    tbb::task::enqueue(*new (parent.allocate_child()) counting_task(count, &inside), a);
  }
  parent.wait_for_all();
  tbb::task::destroy(parent);
  CHECK(count == 5);
}

TEST_CASE("classic tasks enqueued into an arena: higher priorities first, in order within one") {
  task_arena a(1, 0);  // one worker
  std::atomic<bool> busy{false}, go{false}, over{false};
  a.enqueue([&] {
    busy = true;
    watch([&] { return go.load(); });
  });
  watch([&] { return busy.load(); });
  std::vector<int> order;
  auto const enqueue = [&](int n, tbb::priority_t p) {
    tbb::task::enqueue(*new (tbb::task::allocate_root()) numbered_task(order, n), a, p);
  };
  enqueue(5, tbb::priority_low);
  enqueue(3, tbb::priority_normal);
  enqueue(1, tbb::priority_high);
  enqueue(4, tbb::priority_normal);
  enqueue(2, tbb::priority_high);
  enqueue(6, tbb::priority_low);
  a.enqueue([&] { over = true; }, tbb::priority_low);
  go = true;
  watch([&] { return over.load(); });
  CHECK(order == std::vector<int>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("with a limit of one thread, what is enqueued runs although nobody waits for it there") {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
  std::atomic<int> ran{0};
  task_arena a(1, 1);
  task_arena b(2, 0);
  task_group group;
  a.enqueue([&] { ++ran; });
  b.enqueue([&] { ++ran; });
  tbb::this_task_arena::enqueue([&] { ++ran; });
  a.enqueue(group.defer([&] { ++ran; }));
  tbb::task::enqueue(*new (tbb::task::allocate_root()) counting_task(ran, [] { return true; }));
  tbb::task::enqueue(*new (tbb::task::allocate_root()) counting_task(ran, [] { return true; }), a);
  watch([&] { return ran == 6; });
  CHECK(group.wait() == tbb::complete);
}
