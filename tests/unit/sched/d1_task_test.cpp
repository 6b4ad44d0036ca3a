// SPDX-License-Identifier: Apache-2.0
#include <tbb/task.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace d1 = tbb::detail::d1;

namespace {

// Counts itself, spawns `depth` generations of two, and frees itself.
struct tree_task : d1::task {
  tree_task(d1::small_object_allocator& a, std::atomic<int>& c, d1::wait_context& w, int d)
      : allocator(a), counter(c), waits(w), depth(d) {}

  d1::task* execute(d1::execution_data& ed) override {
    ++counter;
    d1::task* next = nullptr;
    if (depth > 0) {
      waits.reserve(2);
      d1::spawn(*make(ed), *ed.context);
      next = make(ed);
    }
    return finish(ed, next);
  }
  d1::task* cancel(d1::execution_data& ed) override { return finish(ed, nullptr); }

  tree_task* make(d1::execution_data& ed) {
    d1::small_object_allocator a;
    auto* const t = a.new_object<tree_task>(ed, a, counter, waits, depth - 1);
    t->allocator = a;
    return t;
  }
  d1::task* finish(d1::execution_data& ed, d1::task* next) {
    d1::wait_context& w = waits;
    allocator.delete_object(this, ed);
    w.release();
    return next;
  }

  d1::small_object_allocator allocator;
  std::atomic<int>& counter;
  d1::wait_context& waits;
  int depth;
};

tree_task& make_root(std::atomic<int>& counter, d1::wait_context& waits, int depth) {
  d1::small_object_allocator a;
  auto* const t = a.new_object<tree_task>(a, counter, waits, depth);
  t->allocator = a;
  return *t;
}

// Does what it is told; its owner keeps it.
template <typename F>
struct function_task : d1::task {
  function_task(F f, d1::wait_context& w) : function(f), waits(w) {}
  d1::task* execute(d1::execution_data& ed) override {
    function(ed);
    waits.release();
    return nullptr;
  }
  d1::task* cancel(d1::execution_data&) override {
    ++cancelled;
    waits.release();
    return nullptr;
  }
  F function;
  d1::wait_context& waits;
  int cancelled = 0;
};

}  // namespace

TEST_CASE("inner tasks spawn, return successors, and are waited for") {
  std::atomic<int> ran{0};
  for (int round = 0; round < 20; ++round) {
    ran = 0;
    d1::wait_context waits(1);
    tbb::task_group_context context;
    d1::execute_and_wait(make_root(ran, waits, 10), context, waits, context);
    REQUIRE(ran == (1 << 11) - 1);
    CHECK(!waits.continue_execution());
  }
}

TEST_CASE("a wait without a first task runs what was spawned; a count can be used again") {
  std::atomic<int> ran{0};
  d1::wait_context waits(0);
  tbb::task_group_context context;
  for (int round = 0; round < 100; ++round) {
    waits.reserve();
    d1::spawn(make_root(ran, waits, 3), context, round % 2 == 0 ? d1::slot_id{1} : d1::any_slot);
    d1::wait(waits, context);
  }
  CHECK(ran == 100 * 15);
}

TEST_CASE("tasks are copied and moved with the objects around them until they are spawned") {
  std::atomic<int> ran{0};
  d1::wait_context waits(0);
  auto const count = [&](d1::execution_data&) { ++ran; };
  std::vector<function_task<decltype(count)>> tasks(10, {count, waits});
  for (int i = 0; i < 90; ++i) tasks.emplace_back(count, waits);
  tbb::task_group_context context;
  waits.reserve(100);
  for (auto& t : tasks) d1::spawn(t, context);
  d1::wait(waits, context);
  CHECK(ran == 100);
}

TEST_CASE("a wait sleeps until another thread releases the count") {
  d1::wait_context waits(1);
  tbb::task_group_context context;
  std::atomic<bool> released{false};
  std::thread other([&] {
    released = true;
    waits.release();
  });
  d1::wait(waits, context);
  CHECK(released);
  other.join();
}

TEST_CASE("two threads wait for one count") {
  for (int round = 0; round < 50; ++round) {
    d1::wait_context waits(2);
    tbb::task_group_context context(tbb::task_group_context::isolated);
    std::thread other([&] { d1::wait(waits, context); });
    std::thread releaser([&] { waits.release(); });
    waits.release();
    d1::wait(waits, context);
    releaser.join();
    other.join();
  }
}

TEST_CASE("an exception cancels the group, the task is told, and the wait rethrows it") {
  d1::wait_context waits(1);
  tbb::task_group_context context;
  auto fail = [](d1::execution_data&) { throw std::runtime_error("no"); };
  function_task<decltype(fail)> t(fail, waits);
  CHECK_THROWS_AS(d1::execute_and_wait(t, context, waits, context), std::runtime_error);
  CHECK(t.cancelled == 1);
  CHECK(context.is_group_execution_cancelled());
  context.reset();
}

TEST_CASE("tasks of a cancelled group are cancelled instead of executed") {
  d1::wait_context waits(1);
  tbb::task_group_context context;
  context.cancel_group_execution();
  std::atomic<int> ran{0};
  d1::execute_and_wait(make_root(ran, waits, 5), context, waits, context);
  CHECK(ran == 0);
}

TEST_CASE("a running task knows its context, its slot and itself") {
  d1::wait_context waits(1);
  tbb::task_group_context context;
  tbb::task_group_context* seen = nullptr;
  tbb::task_group_context* told = nullptr;
  d1::task* self = nullptr;
  bool stolen = true;
  auto look = [&](d1::execution_data& ed) {
    seen = d1::current_context();
    told = ed.context;
    self = d1::current_task_ptr();
    stolen = d1::is_stolen(ed);
    CHECK(tbb::task::current_context() == seen);
    CHECK(d1::execution_slot(ed) == d1::original_slot(ed));
    CHECK(d1::is_same_affinity(ed));
  };
  function_task<decltype(look)> t(look, waits);
  d1::execute_and_wait(t, context, waits, context);
  CHECK(seen == &context);
  CHECK(told == &context);
  CHECK(self == &t);
  CHECK(!stolen);
  CHECK(d1::current_task_ptr() == nullptr);
}

TEST_CASE("an allocator gives an object's memory back when its constructor throws") {
  struct thrower {
    thrower() { throw 1; }
  };
  d1::small_object_allocator a;
  CHECK_THROWS_AS(a.new_object<thrower>(), int);
}
