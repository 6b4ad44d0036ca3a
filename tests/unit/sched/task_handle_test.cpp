// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

using tbb::task_completion_handle;
using tbb::task_group;
using tbb::task_handle;

static_assert(std::is_nothrow_move_constructible_v<task_handle> && !std::is_copy_constructible_v<task_handle>);
static_assert(std::is_nothrow_move_assignable_v<task_handle> && !std::is_convertible_v<task_handle, bool>);
static_assert(std::is_copy_constructible_v<task_completion_handle> &&
              std::is_copy_assignable_v<task_completion_handle> &&
              std::is_convertible_v<task_handle const&, task_completion_handle> &&
              std::is_assignable_v<task_completion_handle&, task_handle const&> &&
              !std::is_convertible_v<task_completion_handle, bool>);
static_assert(!std::is_copy_constructible_v<task_group> && !std::is_move_constructible_v<task_group>);
static_assert(std::is_convertible_v<tbb::task_group_context&, task_group>);

TEST_CASE("completion handles compare by their task and outlive it") {
  task_group group;
  task_handle a = group.defer([] {});
  task_handle b = group.defer([] {});
  task_completion_handle const first = a;
  task_completion_handle second(a);
  task_completion_handle other = b;
  CHECK(first == second);
  CHECK(first != other);
  CHECK(task_completion_handle() == nullptr);
  CHECK(!static_cast<bool>(task_completion_handle()));
  task_completion_handle moved = std::move(second);
  CHECK(second == nullptr);  // NOLINT: moved-from is empty by contract
  CHECK(moved == first);
  group.run(std::move(a));
  group.run(std::move(b));
  group.wait();
  CHECK(group.get_status_of(moved) == tbb::task_complete);
}

TEST_CASE("the status of a task: not complete, complete, cancelled by the group, by an exception, by being dropped") {
  task_group group;
  int ran = 0;
  task_handle h = group.defer([&] { ++ran; });
  task_completion_handle t = h;
  CHECK(group.get_status_of(t) == tbb::not_complete);
  group.run(std::move(h));
  CHECK(group.wait_for_task(t) == tbb::task_complete);
  CHECK(ran == 1);
  CHECK(group.wait() == tbb::complete);

  h = group.defer([&] { ++ran; });
  t = h;
  group.cancel();
  CHECK(group.get_status_of(t) == tbb::not_complete);
  CHECK(group.run_and_wait_for_task(std::move(h)) == tbb::canceled);
  CHECK(group.wait() == tbb::canceled);
  CHECK(ran == 1);

  h = group.defer([] { throw std::runtime_error("no"); });
  t = h;
  CHECK(group.run_and_wait_for_task(std::move(h)) == tbb::canceled);
  CHECK(group.get_status_of(t) == tbb::canceled);
  CHECK_THROWS_AS(group.wait(), std::runtime_error);

  h = group.defer([&] { ++ran; });
  t = h;
  h = task_handle();
  CHECK(group.get_status_of(t) == tbb::canceled);
  CHECK(group.wait() == tbb::complete);
}

TEST_CASE("a task starts after all its predecessors, in whichever order they are run") {
  for (int order = 0; order < 6; ++order) {
    task_group group;
    std::atomic<int> before{0};
    int seen = -1;
    task_handle a = group.defer([&] { ++before; });
    task_handle b = group.defer([&] { ++before; });
    task_handle last = group.defer([&] { seen = before; });
    task_completion_handle of_b = b;
    task_group::set_task_order(a, last);
    task_group::set_task_order(of_b, last);
    task_handle* const handles[][3] = {{&a, &b, &last}, {&a, &last, &b}, {&b, &a, &last},
                                       {&b, &last, &a}, {&last, &a, &b}, {&last, &b, &a}};
    for (task_handle* const h : handles[order]) group.run(std::move(*h));
    CHECK(group.wait() == tbb::complete);
    CHECK(seen == 2);
  }
}

TEST_CASE("a predecessor that is over, or dropped, holds nobody up") {
  task_group group;
  int ran = 0;
  task_handle a = group.defer([&] { ++ran; });
  task_completion_handle done = a;
  group.run_and_wait(std::move(a));
  task_handle b = group.defer([&] { ++ran; });
  task_group::set_task_order(done, b);
  group.run_and_wait(std::move(b));
  CHECK(ran == 2);
  task_handle dropped = group.defer([&] { ran = 100; });
  task_handle c = group.defer([&] { ++ran; });
  task_group::set_task_order(dropped, c);
  group.run(std::move(c));
  CHECK(ran == 2);
  dropped = task_handle();
  CHECK(group.wait() == tbb::complete);
  CHECK(ran == 3);
}

TEST_CASE("a successor that is dropped is destroyed once its predecessors are over") {
  task_group group;
  auto const token = std::make_shared<int>(0);
  task_handle a = group.defer([] {});
  {
    task_handle b = group.defer([token] {});
    task_group::set_task_order(a, b);
  }
  group.run(std::move(a));
  CHECK(group.wait() == tbb::complete);
  CHECK(token.use_count() == 1);
}

TEST_CASE("a grid of tasks in the order of its diagonals") {
  constexpr int n = 24;
  task_group group;
  std::vector<std::atomic<int>> order(n * n);
  std::atomic<int> clock{0};
  std::vector<task_handle> handles;
  for (int i = 0; i < n * n; ++i) {
    handles.push_back(group.defer([&order, &clock, i] { order[static_cast<std::size_t>(i)] = ++clock; }));
  }
  auto const at = [](int row, int column) { return static_cast<std::size_t>(row * n + column); };
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) {
      if (row > 0) task_group::set_task_order(handles[at(row - 1, column)], handles[at(row, column)]);
      if (column > 0) task_group::set_task_order(handles[at(row, column - 1)], handles[at(row, column)]);
    }
  }
  for (std::size_t i = handles.size(); i-- > 0;) group.run(std::move(handles[i]));
  CHECK(group.wait() == tbb::complete);
  for (int row = 1; row < n; ++row) {
    for (int column = 1; column < n; ++column) {
      CHECK(order[at(row, column)] > order[at(row - 1, column)]);
      CHECK(order[at(row, column)] > order[at(row, column - 1)]);
    }
  }
}

namespace {

// Adds the numbers below n by halving, each half's completion handed down to its own halves' sum.
struct summer {
  task_group& group;
  std::atomic<long>& total;
  int low;
  int high;
  void operator()() const {
    if (high - low <= 8) {
      for (int i = low; i < high; ++i) total += i;
      return;
    }
    int const middle = low + (high - low) / 2;
    task_handle left = group.defer(summer{group, total, low, middle});
    task_handle right = group.defer(summer{group, total, middle, high});
    task_handle join = group.defer([] {});
    task_group::set_task_order(left, join);
    task_group::set_task_order(right, join);
    task_group::transfer_this_task_completion_to(join);
    group.run(std::move(left));
    group.run(std::move(right));
    group.run(std::move(join));
  }
};

}  // namespace

TEST_CASE("a task hands its completion down, over many generations") {
  for (int round = 0; round < 10; ++round) {
    task_group group;
    std::atomic<long> total{0};
    long seen = 0;
    task_handle sum = group.defer(summer{group, total, 0, 4096});
    task_completion_handle summed = sum;
    task_handle after = group.defer([&] { seen = total; });
    task_group::set_task_order(sum, after);
    group.run(std::move(after));
    group.run(std::move(sum));
    CHECK(group.wait_for_task(summed) == tbb::task_complete);
    CHECK(total == 4096L * 4095 / 2);
    group.wait();
    CHECK(seen == 4096L * 4095 / 2);
  }
}

TEST_CASE("a completion is handed to a task that has a completion handle of its own") {
  task_group group;
  int ran = 0;
  task_completion_handle inner;
  task_handle a = group.defer([&] {
    task_handle b = group.defer([&] { ++ran; });
    inner = b;
    task_group::transfer_this_task_completion_to(b);
    CHECK(group.get_status_of(inner) == tbb::not_complete);
    group.run(std::move(b));
  });
  task_completion_handle outer = a;
  group.run(std::move(a));
  CHECK(group.wait_for_task(outer) == tbb::task_complete);
  CHECK(group.wait_for_task(inner) == tbb::task_complete);
  CHECK(ran == 1);
  group.wait();
}

TEST_CASE("a task on top of another doesn't hand over the other's completion") {
  task_group group;
  task_group inside;
  task_handle late = group.defer([] {});
  task_handle a = group.defer([&] {
    inside.run([&] { task_group::transfer_this_task_completion_to(late); });
    inside.wait();
    tbb::parallel_for(0, 100, [](int) {});
  });
  task_completion_handle t = a;
  group.run(std::move(a));
  CHECK(group.wait_for_task(t) == tbb::task_complete);
  group.run(std::move(late));
  group.wait();
}

TEST_CASE("a function may return the task that runs next") {
  task_group group;
  int ran = 0;
  group.run([&] {
    ++ran;
    return group.defer([&] { ran += 10; });
  });
  CHECK(group.wait() == tbb::complete);
  CHECK(ran == 11);
  group.run_and_wait([&] {
    ++ran;
    return group.defer([&] { ran += 10; });
  });
  CHECK(ran == 22);
  struct countdown {
    task_group& group;
    int& ran;
    int n;
    task_handle operator()() const {
      ++ran;
      return n == 0 ? task_handle() : group.defer(countdown{group, ran, n - 1});
    }
  };
  group.run(countdown{group, ran, 10000});
  CHECK(group.wait() == tbb::complete);
  CHECK(ran == 22 + 10001);
}

TEST_CASE("a group waits for a task whose handle another thread holds") {
  for (int round = 0; round < 50; ++round) {
    task_group group;
    std::atomic<int> ran{0};
    task_handle h = group.defer([&] { ++ran; });
    std::thread other([&group, h = std::move(h)]() mutable { group.run(std::move(h)); });
    CHECK(group.wait() == tbb::complete);
    CHECK(ran == 1);
    other.join();
  }
}

TEST_CASE("a cancelled group drops its ordered tasks, and nobody waits for them") {
  task_group group;
  std::atomic<int> ran{0};
  std::vector<task_handle> chain;
  for (int i = 0; i < 100; ++i) {
    chain.push_back(group.defer([&ran, &group] {
      if (++ran == 10) group.cancel();
    }));
    if (i > 0) task_group::set_task_order(chain[static_cast<std::size_t>(i) - 1], chain.back());
  }
  task_completion_handle last = chain.back();
  for (task_handle& h : chain) group.run(std::move(h));
  CHECK(group.wait_for_task(last) == tbb::canceled);
  CHECK(group.wait() == tbb::canceled);
  CHECK(ran == 10);
}

TEST_CASE("is_inside_task") {
  CHECK(!tbb::is_inside_task());
  task_group group;
  group.run_and_wait([] { CHECK(tbb::is_inside_task()); });
  group.run([] { CHECK(tbb::is_inside_task()); });
  group.wait();
  tbb::parallel_for(0, 3, [](int) { CHECK(tbb::is_inside_task()); });
  CHECK(!tbb::is_inside_task());
}

// The successor waits for the waiting thread.
TEST_CASE("a wait for one task comes back before the task's successors are over") {
  for (int round = 0; round < 50; ++round) {
    task_group group;
    std::atomic<bool> allowed{false};
    std::atomic<int> ran{0};
    auto const held = [&] {
      while (!allowed) std::this_thread::yield();
      ++ran;
    };
    task_handle first = group.defer([&] { ++ran; });
    task_handle second = group.defer(held);
    task_group::set_task_order(first, second);
    group.run(std::move(second));
    CHECK(group.run_and_wait_for_task(std::move(first)) == tbb::task_complete);
    allowed = true;
    CHECK(group.wait() == tbb::complete);
    CHECK(ran == 2);

    // A completion that was handed over.
    allowed = false;
    task_handle outer = group.defer([&] {
      task_handle inner = group.defer([&] { ++ran; });
      task_group::transfer_this_task_completion_to(inner);
      group.run(std::move(inner));
    });
    task_handle after = group.defer(held);
    task_group::set_task_order(outer, after);
    group.run(std::move(after));
    CHECK(group.run_and_wait_for_task(std::move(outer)) == tbb::task_complete);
    CHECK(ran == 3);
    allowed = true;
    CHECK(group.wait() == tbb::complete);
    CHECK(ran == 4);
  }
}
