// SPDX-License-Identifier: Apache-2.0
// Exceptions and cancellation of classic tasks.
#include <tbb/task.h>
#include <tbb/task_scheduler_init.h>

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

using tbb::task;

namespace {

std::atomic<int> alive{0};

class calling : public task {
 public:
  explicit calling(std::function<task*(calling&)> f) : f_(std::move(f)) { ++alive; }
  ~calling() override { --alive; }
  task* execute() override { return f_(*this); }

 private:
  std::function<task*(calling&)> f_;
};

template <typename... Context>
calling& root(std::function<task*(calling&)> f, Context&... context) {
  return *new (task::allocate_root(context...)) calling(std::move(f));
}
calling& child_of(task& parent, std::function<task*(calling&)> f) {
  return *new (parent.allocate_child()) calling(std::move(f));
}

struct oops : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename F>
std::string text_of(F f) {
  try {
    f();
  } catch (oops const& e) {
    return e.what();
  }
  return "nothing";
}

template <typename F>
void with_threads(int n, F f) {
  std::thread([&] {
    tbb::task_scheduler_init init(n);
    f();
  }).join();
}

// A binary tree of tasks in the blocking style whose leaf number `bad` throws.
struct tree : task {
  int depth, number, bad;
  std::atomic<int>& leaves;
  tree(int d, int n, int b, std::atomic<int>& l) : depth(d), number(n), bad(b), leaves(l) { ++alive; }
  ~tree() override { --alive; }
  task* execute() override {
    if (depth == 0) {
      ++leaves;
      if (number == bad) throw oops("leaf " + std::to_string(number));
      return nullptr;
    }
    set_ref_count(3);
    tree& a = *new (allocate_child()) tree(depth - 1, number * 2, bad, leaves);
    spawn(*new (allocate_child()) tree(depth - 1, number * 2 + 1, bad, leaves));
    spawn_and_wait_for_all(a);
    return nullptr;
  }
};

}  // namespace

TEST_CASE("an exception of the root reaches the caller, and the next root runs") {
  for (int threads : {1, 4}) {
    with_threads(threads, [] {
      for (int i = 0; i < 50; ++i) {
        CHECK(text_of([] { task::spawn_root_and_wait(root([](calling&) -> task* { throw oops("root"); })); }) ==
              "root");
        bool ran = false;
        task::spawn_root_and_wait(root([&](calling&) -> task* { return ran = true, nullptr; }));
        CHECK(ran);
        CHECK_FALSE(task::self().is_cancelled());
      }
    });
  }
  CHECK(alive == 0);
}

TEST_CASE("an exception of a leaf passes every enclosing wait and leaves nothing behind") {
  for (int threads : {1, 2, 8}) {
    with_threads(threads, [] {
      for (int bad = 0; bad < 64; bad += 7) {
        std::atomic<int> leaves{0};
        CHECK(text_of([&] { task::spawn_root_and_wait(*new (task::allocate_root()) tree(6, 0, bad, leaves)); }) ==
              "leaf " + std::to_string(bad));
        CHECK(leaves >= 1);
        CHECK(alive == 0);
      }
      std::atomic<int> leaves{0};
      task::spawn_root_and_wait(*new (task::allocate_root()) tree(6, 0, -1, leaves));
      CHECK(leaves == 64);
    });
  }
}

TEST_CASE("a wait in the body may catch; the group stays cancelled") {
  with_threads(1, [] {
    tbb::task_group_context group;
    std::string caught;
    bool second_ran = false;
    CHECK(text_of([&] {
            task::spawn_root_and_wait(root(
                [&](calling& t) -> task* {
                  t.set_ref_count(2);
                  caught = text_of(
                      [&] { t.spawn_and_wait_for_all(child_of(t, [](calling&) -> task* { throw oops("child"); })); });
                  CHECK(t.is_cancelled());
                  t.set_ref_count(2);
                  CHECK(text_of([&] {
                          t.spawn_and_wait_for_all(child_of(t, [&](calling&) -> task* {
                            second_ran = true;
                            return nullptr;
                          }));
                        }) == "child");
                  return nullptr;
                },
                group));
          }) == "child");
    CHECK(caught == "child");
    CHECK_FALSE(second_ran);
    CHECK(group.is_group_execution_cancelled());
    group.reset();
    bool ran = false;
    task::spawn_root_and_wait(root([&](calling&) -> task* { return ran = true, nullptr; }, group));
    CHECK(ran);
  });
  CHECK(alive == 0);
}

TEST_CASE("an exception stays in its own group") {
  with_threads(1, [] {
    tbb::task_group_context inner(tbb::task_group_context::isolated);
    bool after = false;
    task::spawn_root_and_wait(root([&](calling& t) -> task* {
      CHECK(text_of([&] { task::spawn_root_and_wait(root([](calling&) -> task* { throw oops("inner"); }, inner)); }) ==
            "inner");
      CHECK_FALSE(t.is_cancelled());
      // A child of another group: its exception is not this wait's.
      inner.reset();
      calling& child = child_of(t, [](calling&) -> task* { throw oops("other group"); });
      child.change_group(inner);
      t.set_ref_count(2);
      CHECK(text_of([&] { t.spawn_and_wait_for_all(child); }) == "nothing");
      after = true;
      return nullptr;
    }));
    CHECK(after);
    CHECK(inner.is_group_execution_cancelled());
  });
  CHECK(alive == 0);
}

TEST_CASE("exceptions from continuations, successors, recycled tasks, note_affinity and lists are delivered") {
  for (int threads : {1, 2}) {
    with_threads(threads, [] {
      CHECK(text_of([] {
              task::spawn_root_and_wait(root([](calling& t) -> task* {
                calling& c = *new (t.allocate_continuation()) calling([](calling&) -> task* { throw oops("sum"); });
                c.set_ref_count(1);
                return &child_of(c, [](calling&) -> task* { return nullptr; });
              }));
            }) == "sum");
      CHECK(text_of([] {
              task::spawn_root_and_wait(root([](calling& t) -> task* {
                calling& c = *new (t.allocate_continuation()) calling([](calling&) -> task* { return nullptr; });
                c.set_ref_count(1);
                return &child_of(c, [](calling&) -> task* { throw oops("successor"); });
              }));
            }) == "successor");
      int round = 0;
      CHECK(text_of([&] {
              task::spawn_root_and_wait(root([&](calling& t) -> task* {
                if (++round == 2) throw oops("again");
                t.set_ref_count(1);
                t.recycle_as_safe_continuation();
                return nullptr;
              }));
            }) == "again");
      round = 0;
      CHECK(text_of([&] {
              task::spawn_root_and_wait(root([&](calling& t) -> task* {
                ++round;
                t.set_ref_count(1);
                t.recycle_as_safe_continuation();
                throw oops("kept");
              }));
            }) == "kept");
      CHECK(round == 1);
      CHECK(text_of([] {
              tbb::task_list list;
              for (int i = 0; i < 10; ++i) {
                list.push_back(root([i](calling&) -> task* { return i == 3 ? throw oops("listed") : nullptr; }));
              }
              task::spawn_root_and_wait(list);
            }) == "listed");
    });
  }
  CHECK(alive == 0);
}

TEST_CASE("cancelled tasks are destroyed without running") {
  with_threads(1, [] {
    tbb::task_group_context group;
    int ran = 0;
    task::spawn_root_and_wait(root(
        [&](calling& t) -> task* {
          t.set_ref_count(11);
          for (int i = 0; i < 9; ++i) task::spawn(child_of(t, [&](calling&) -> task* { return ++ran, nullptr; }));
          t.spawn_and_wait_for_all(child_of(t, [&](calling& c) -> task* {
            CHECK(c.cancel_group_execution());
            CHECK_FALSE(c.cancel_group_execution());
            CHECK(c.is_cancelled());
            return nullptr;
          }));
          CHECK(t.is_cancelled());
          return nullptr;
        },
        group));
    CHECK(ran == 0);
    CHECK(group.is_group_execution_cancelled());
    task::spawn_root_and_wait(root([&](calling&) -> task* { return ++ran, nullptr; }, group));
    CHECK(ran == 0);
  });
  CHECK(alive == 0);
}

TEST_CASE("cancelling a parent group cancels the groups below, not those beside") {
  with_threads(1, [] {
    tbb::task_group_context outer;
    bool isolated_ran = false, bound_ran = false;
    task::spawn_root_and_wait(root(
        [&](calling& t) -> task* {
          tbb::task_group_context below;
          tbb::task_group_context beside(tbb::task_group_context::isolated);
          calling& a = root([&](calling&) -> task* { return bound_ran = true, nullptr; }, below);
          calling& b = root([&](calling&) -> task* { return isolated_ran = true, nullptr; }, beside);
          t.cancel_group_execution();
          CHECK(a.is_cancelled());
          CHECK_FALSE(b.is_cancelled());
          task::spawn_root_and_wait(a);
          task::spawn_root_and_wait(b);
          return nullptr;
        },
        outer));
    CHECK_FALSE(bound_ran);
    CHECK(isolated_ran);
  });
  CHECK(alive == 0);
}

TEST_CASE("cancelling the thread's own group ends with its outermost wait") {
  with_threads(2, [] {
    for (int i = 0; i < 20; ++i) {
      bool ran = false;
      task::spawn_root_and_wait(root([](calling& t) -> task* { return t.cancel_group_execution(), nullptr; }));
      task::spawn_root_and_wait(root([&](calling&) -> task* { return ran = true, nullptr; }));
      CHECK(ran);
    }
  });
}
