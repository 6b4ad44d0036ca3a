// SPDX-License-Identifier: Apache-2.0
// Priorities of classic groups and tasks, and critical tasks.
#include <ashlar/sched/tasks/affinity.h>
#include <ashlar/sched/tasks/wait_count.h>

#include <tbb/global_control.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

using tbb::task;
using tbb::task_group_context;

namespace {

// In an arena of one thread; the worker that would come for enqueued jobs is kept busy meanwhile.
template <typename Body>
void on_one_thread(Body body) {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
  tbb::task_arena arena(1, 1);
  std::atomic<bool> busy{false}, go{false}, gone{false};
  arena.enqueue([&] {
    busy = true;
    while (!go) std::this_thread::yield();
    gone = true;
  });
  while (!busy) std::this_thread::yield();
  arena.execute(body);
  go = true;
  while (!gone) std::this_thread::yield();
}

struct note : task {
  note(std::vector<int>& o, int n) : order(o), number(n) {}
  task* execute() override {
    order.push_back(number);
    return nullptr;
  }
  std::vector<int>& order;
  int number;
};

struct parent_of {
  explicit parent_of(int children) : task(*new (tbb::task::allocate_root()) tbb::empty_task) {
    task.set_ref_count(children + 1);
  }
  ~parent_of() {
    task.wait_for_all();
    tbb::task::destroy(task);
  }
  tbb::empty_task& task;
};

}  // namespace

TEST_CASE("a context inherits the priority that was set last, its own or an ancestor's") {
  task_group_context outer, inner, free(task_group_context::isolated);
  CHECK(outer.priority() == tbb::priority_normal);
  struct look : task {
    look(task_group_context& o, task_group_context& i, task_group_context& f) : outer(o), inner(i), free(f) {}
    task* execute() override {
      inner.priority();
      new_in(inner), new_in(free);  // binds them here
      outer.set_priority(tbb::priority_high);
      CHECK(inner.priority() == tbb::priority_high);
      CHECK(group_priority() == tbb::priority_high);
      CHECK(free.priority() == tbb::priority_normal);
      inner.set_priority(tbb::priority_low);
      CHECK(inner.priority() == tbb::priority_low);
      CHECK(outer.priority() == tbb::priority_high);
      set_group_priority(tbb::priority_normal);
      CHECK(inner.priority() == tbb::priority_normal);
      inner.reset();
      inner.set_priority(tbb::priority_high);
      inner.reset();
      CHECK(inner.priority() == tbb::priority_high);
      return nullptr;
    }
    static void new_in(task_group_context& c) { destroy(*new (allocate_root(c)) tbb::empty_task); }
    task_group_context &outer, &inner, &free;
  };
  task::spawn_root_and_wait(*new (task::allocate_root(outer)) look(outer, inner, free));
}

TEST_CASE("tasks of a high group come before a thread's own, those of a low one after all others") {
  std::vector<int> order;
  on_one_thread([&] {
    task_group_context high, low;
    high.set_priority(tbb::priority_high);
    low.set_priority(tbb::priority_low);
    parent_of parent(6);
    auto const spawn = [&](int n, task_group_context* c) {
      note& t =
          c != nullptr ? *new (task::allocate_root(*c)) note(order, n) : *new (task::allocate_root()) note(order, n);
      t.set_parent(&parent.task);
      task::spawn(t);
    };
    spawn(1, &high);
    spawn(5, &low);
    spawn(4, nullptr);
    spawn(2, &high);
    spawn(6, &low);
    spawn(3, nullptr);
  });
  CHECK(order == std::vector<int>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("no worker comes for spawned tasks, whatever their priority, to an arena of one thread") {
  struct look : task {
    look(std::thread::id m, std::atomic<int>& e) : me(m), elsewhere(e) {}
    task* execute() override {
      elsewhere += std::this_thread::get_id() != me;
      for (int i = 0; i < 100; ++i) std::this_thread::yield();  // long enough for a worker to come
      return nullptr;
    }
    std::thread::id const me;
    std::atomic<int>& elsewhere;
  };
  std::atomic<int> elsewhere{0};
  tbb::task_arena one(1);
  one.execute([&] {
    for (tbb::priority_t p : {tbb::priority_high, tbb::priority_low}) {
      task_group_context group;
      group.set_priority(p);
      parent_of parent(200);
      for (int i = 0; i < 200; ++i) {
        task& t = *new (task::allocate_root(group)) look(std::this_thread::get_id(), elsewhere);
        t.set_parent(&parent.task);
        task::spawn(t);
      }
    }
  });
  CHECK(elsewhere == 0);
}

TEST_CASE("a task enqueued with high priority runs before the thread's next task, one with normal after all") {
  for (tbb::priority_t p : {tbb::priority_high, tbb::priority_normal}) {
    std::vector<int> order;
    on_one_thread([&] {
      struct first : task {
        first(std::vector<int>& o, tbb::priority_t p, task& up) : order(o), priority(p), parent(up) {}
        task* execute() override {
          note& t = *new (allocate_root()) note(order, 1);
          t.set_parent(&parent);
          enqueue(t, priority);
          order.push_back(0);
          return nullptr;
        }
        std::vector<int>& order;
        tbb::priority_t priority;
        task& parent;
      };
      parent_of parent(4);
      for (int i = 3; i >= 2; --i) task::spawn(*new (parent.task.allocate_child()) note(order, i));
      task::spawn(*new (parent.task.allocate_child()) first(order, p, parent.task));
    });
    CHECK(order == (p == tbb::priority_high ? std::vector<int>{0, 1, 2, 3} : std::vector<int>{0, 2, 3, 1}));
  }
}

TEST_CASE("task::enqueue without a priority takes that of the group") {
  std::vector<int> order;
  on_one_thread([&] {
    task_group_context high, low;
    high.set_priority(tbb::priority_high);
    low.set_priority(tbb::priority_low);
    parent_of parent(3);
    auto const enqueue = [&](int n, task_group_context* c) {
      note& t =
          c != nullptr ? *new (task::allocate_root(*c)) note(order, n) : *new (task::allocate_root()) note(order, n);
      t.set_parent(&parent.task);
      task::enqueue(t);
    };
    enqueue(3, &low);
    enqueue(2, nullptr);
    enqueue(1, &high);
  });
  CHECK(order == std::vector<int>{1, 2, 3});
}

namespace {

struct critical : ashlar::sched::job {
  critical(std::vector<int>& o, ashlar::sched::wait_count& d) : job{&run_it}, order(o), done(d) {}
  static job* run_it(job* self, ashlar::sched::slot&) noexcept {
    auto& c = *static_cast<critical*>(self);
    c.order.push_back(1);
    c.done.release();
    return nullptr;
  }
  std::vector<int>& order;
  ashlar::sched::wait_count& done;
};

}  // namespace

TEST_CASE("a critical task comes before those of a task_group that are newer in the deque") {
  std::vector<int> order;
  ashlar::sched::wait_count done(1);
  critical urgent(order, done);
  on_one_thread([&] {
    ashlar::sched::slot& s = ashlar::sched::this_slot();
    ashlar::sched::spawn_urgent(s, urgent, s.child_key());
    tbb::task_group group;
    group.run([&] { order.push_back(3); });
    group.run([&] { order.push_back(2); });
    group.wait();
  });
  CHECK(!done.busy());
  CHECK(order == std::vector<int>{1, 2, 3});
}

TEST_CASE("in an isolated region a critical task keeps its place, and other regions leave it alone") {
  std::vector<int> order;
  ashlar::sched::wait_count first(1), second(1);
  critical outside(order, first), inside(order, second);
  on_one_thread([&] {
    ashlar::sched::slot& s = ashlar::sched::this_slot();
    ashlar::sched::spawn_urgent(s, outside, s.child_key());
    tbb::this_task_arena::isolate([&] {
      ashlar::sched::spawn_urgent(s, inside, s.child_key());
      tbb::task_group group;
      group.run([&] { order.push_back(2); });
      group.wait();
      CHECK(order == std::vector<int>{2});
      second.wait(s);
      CHECK(order == std::vector<int>{2, 1});
      CHECK(first.busy());
    });
    first.wait(s);
  });
  CHECK(order == std::vector<int>{2, 1, 1});
}
