// SPDX-License-Identifier: Apache-2.0
// task_scheduler_init in all its forms, and runtime_loader.
#include "support/death.h"
#include "support/eventually.h"

#include <tbb/runtime_loader.h>
#include <tbb/task.h>
#include <tbb/task_scheduler_init.h>

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <system_error>
#include <thread>

using tbb::task;
using tbb::task_scheduler_init;

namespace {

struct counting : task {
  std::atomic<int>& count;
  explicit counting(std::atomic<int>& c) : count(c) {}
  task* execute() override {
    ++count;
    return nullptr;
  }
};

int run_some() {
  std::atomic<int> count{0};
  tbb::task_list list;
  for (int i = 0; i < 50; ++i) list.push_back(*new (task::allocate_root()) counting(count));
  task::spawn_root_and_wait(list);
  return count;
}

template <typename F>
void in_a_new_thread(F f) {
  std::thread(f).join();
}

// True if a task that this thread leaves alone is run by another one.
bool helped() {
  std::atomic<int> count{0};
  tbb::empty_task& parent = *new (task::allocate_root()) tbb::empty_task;
  parent.set_ref_count(2);
  task::spawn(*new (parent.allocate_child()) counting(count));
  for (int i = 0; i < 2000 && count == 0; ++i) std::this_thread::yield();
  bool const by_another = count == 1;
  parent.wait_for_all();
  task::destroy(parent);
  return by_another;
}

}  // namespace

TEST_CASE("forms of construction") {
  in_a_new_thread([] {
    CHECK(task_scheduler_init::default_num_threads() >= 1);
    CHECK(task_scheduler_init::automatic != task_scheduler_init::deferred);
    CHECK(task_scheduler_init::occ_stealer > 0);
    task_scheduler_init a;
    CHECK(a.is_active());
    task_scheduler_init b(2);
    CHECK(b.is_active());
    task_scheduler_init c(task_scheduler_init::automatic, 1 << 20);
    task_scheduler_init d(2, (1 << 20) | 1);
    task_scheduler_init e(task_scheduler_init::deferred);
    CHECK_FALSE(e.is_active());
    e.terminate();
    e.initialize(3);
    CHECK(e.is_active());
    e.terminate();
    CHECK_FALSE(e.is_active());
    e.initialize(2, 1 << 18);
    CHECK(e.is_active());
    e.initialize();
    CHECK(run_some() == 50);
    CHECK_THROWS_AS(task_scheduler_init(0), std::invalid_argument);
    CHECK_THROWS_AS(task_scheduler_init(-7), std::invalid_argument);
  });
}

TEST_CASE("the outermost object decides on the number of threads") {
  in_a_new_thread([] {
    task_scheduler_init one(1);
    task_scheduler_init inner(4);
    CHECK_FALSE(helped());
    inner.terminate();
    CHECK_FALSE(helped());
    one.terminate();
    task_scheduler_init two(2);
    CHECK(test::eventually(helped));
  });
}

TEST_CASE("many terms, and use after the last") {
  in_a_new_thread([] {
    for (int i = 0; i < 20; ++i) {
      task_scheduler_init init(1 + i % 4);
      CHECK(run_some() == 50);
    }
    CHECK(run_some() == 50);
  });
}

TEST_CASE("an object in a task is an inner one") {
  in_a_new_thread([] {
    task_scheduler_init init(2);
    struct nesting : task {
      task* execute() override {
        task_scheduler_init inner(5);
        CHECK(inner.is_active());
        CHECK(run_some() == 50);
        CHECK_FALSE(inner.blocking_terminate(std::nothrow));
        return nullptr;
      }
    };
    task::spawn_root_and_wait(*new (task::allocate_root()) nesting);
    CHECK(run_some() == 50);
  });
}

TEST_CASE("blocking_terminate waits for the workers, and the next use makes new ones") {
  in_a_new_thread([] {
    for (int i = 0; i < 3; ++i) {
      task_scheduler_init outer(3);
      CHECK(run_some() == 50);
      {
        task_scheduler_init inner;
        CHECK_THROWS_AS(inner.blocking_terminate(), std::system_error);
        CHECK_FALSE(inner.is_active());
      }
      CHECK(outer.blocking_terminate(std::nothrow));
      CHECK_FALSE(outer.is_active());
      CHECK(outer.blocking_terminate(std::nothrow));
    }
    task_scheduler_init last(2);
    CHECK_NOTHROW(last.blocking_terminate());
    CHECK_NOTHROW(last.blocking_terminate());
  });
}

TEST_CASE("runtime_loader says that there is nothing to load") {
  using tbb::runtime_loader;
  char const* path[] = {"/usr/lib", nullptr};
  runtime_loader loader(runtime_loader::em_status);
  CHECK(loader.status() == runtime_loader::ec_ok);
  CHECK(loader.load(path) == runtime_loader::ec_bad_call);
  CHECK(loader.status() == runtime_loader::ec_bad_call);
  CHECK(loader.load(nullptr) == runtime_loader::ec_bad_arg);
  CHECK(loader.load(path, 5, 4) == runtime_loader::ec_bad_arg);
  runtime_loader throwing(runtime_loader::em_throw);
  CHECK_THROWS_AS(throwing.load(path), runtime_loader::error_code);
  runtime_loader at_once(path, 1, 99999, runtime_loader::em_status);
  CHECK(at_once.status() == runtime_loader::ec_bad_call);
}

TEST_CASE("runtime_loader ends the program where its user asked for that") {
  char const* path[] = {"/usr/lib", nullptr};
  test::death const end = test::run_in_child([&] { tbb::runtime_loader const loader(path); });
  CHECK(end.by_signal(SIGABRT));
  CHECK(end.errors ==
        "tbb::runtime_loader: the program is linked with the library already; there is nothing to load at run time\n");
}
