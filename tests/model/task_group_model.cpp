// SPDX-License-Identifier: Apache-2.0
// A task group's split counter: nobody's wait ends before the last task, no sleeping waiter is forgotten, and nobody
// touches a group that its waiter has destroyed; a continuation goes on once, after all tasks. group_counter.h,
// task_group.cpp, watch_list.cpp and the parking lot are the real ones.
#include <doctest/doctest.h>

#include <scenes.h>

#include <parking_lot.h>
#include "sched/queue/deque.cpp"
#include "sched/tasks/task_group.cpp"
#include "sched/tasks/watch_list.cpp"

#include <parked_slot.h>

using namespace ashlar;
using sched::group_counter;

namespace {
sched::watch_list* the_watches = nullptr;  // of the execution
}

namespace ashlar::inline v1::sched {

void wake_waiters(void const* address) noexcept {
  model::the_lot->wake_address(address);
  if (!the_watches->empty()) the_watches->notify(address);
}

}  // namespace ashlar::inline v1::sched

namespace {

struct stage {
  model::parking_lot lot;
  sched::watch_list watches;
  sched::slot owner, other, third;
  model::var<int> results[2];

  stage() {
    model::the_lot = &lot;
    the_watches = &watches;
    model::any_slot = &owner;
    model::label(sched::foreign_group_waiters, "foreign_group_waiters");
    model::label(lot, "lot");
  }
  void need(int n) {
    for (int i = 0; i < n; ++i) model::require(results[i].get() == 1, "the wait is over before a task");
  }
};

// The owner waits; its task was stolen.
void stolen() {
  stage s;
  group_counter* g = new group_counter(s.owner);
  model::label(*g, "group");
  g->add(s.owner);
  model::thread thief("thief", [&s, g] {
    s.results[0].set(1);
    g->finish(&s.owner, s.other);
  });
  g->wait(s.owner);
  s.need(1);
  delete g;
  thief.join();
}

// One task runs elsewhere, one is the owner's; the owner waits.
void both() {
  stage s;
  group_counter* g = new group_counter(s.owner);
  model::label(*g, "group");
  g->add(s.owner);
  g->add(s.other);
  model::thread thief("thief", [&s, g] {
    s.results[0].set(1);
    g->finish(&s.other, s.other);
  });
  s.results[1].set(1);
  g->finish(&s.owner, s.owner);
  g->wait(s.owner);
  s.need(2);
  delete g;
  thief.join();
}

// Another thread waits for what the owner runs.
void foreign_waiter() {
  stage s;
  group_counter* g = new group_counter(s.owner);
  model::label(*g, "group");
  g->add(s.owner);
  model::thread owner("owner", [&s, g] {
    s.results[0].set(1);
    g->finish(&s.owner, s.owner);
  });
  g->wait(s.other);
  s.need(1);
  delete g;
  owner.join();
}

// The owner's task forks; the stolen half runs another task of the group on its thread. A third thread waits.
void task_from_elsewhere() {
  stage s;
  group_counter* g = new group_counter(s.owner);
  model::label(*g, "group");
  atomic<int> joined{0};
  g->add(s.owner);
  model::thread owner("owner", [&s, g, &joined] {
    while (joined.load(mo::acquire) == 0) cpu_pause();
    s.results[0].set(1);
    g->finish(&s.owner, s.owner);
  });
  model::thread thief("thief", [&s, g, &joined] {
    g->add(s.other);
    joined.store(1, mo::release);
    s.results[1].set(1);
    g->finish(&s.other, s.other);
  });
  g->wait(s.third);
  s.need(2);
  delete g;
  owner.join();
  thief.join();
}

// What goes on when the group is done, and ends the group.
struct follower : sched::continuation {
  follower(stage& s, group_counter& g, int n)
      : continuation(&go_on, s.owner, nullptr), in(s), group(&g), tasks(n), watch{&g, this} {}
  static sched::job* go_on(sched::job* self, sched::slot&) noexcept {
    auto& f = *static_cast<follower*>(self);
    f.in.need(f.tasks);
    if (!f.keeps) delete f.group;
    f.times.set(f.times.get() + 1);
    return nullptr;
  }
  void wait() {
    if (!in.watches.add(watch)) go_on(this, in.owner);
  }
  stage& in;
  group_counter* group;
  bool keeps = false;  // the group is used after it
  int const tasks;
  sched::group_watch watch;
  model::var<int> times;
};

// One task runs elsewhere, one is the owner's.
void continued() {
  stage s;
  group_counter* g = new group_counter(s.owner);
  model::label(*g, "group");
  follower f(s, *g, 2);
  g->add(s.owner);
  g->add(s.other);
  model::thread thief("thief", [&s, g] {
    s.results[0].set(1);
    g->finish(&s.other, s.other);
  });
  model::thread watcher("watcher", [&f] { f.wait(); });
  s.results[1].set(1);
  g->finish(&s.owner, s.owner);
  thief.join();
  watcher.join();
  model::require(f.times.get() == 1, "it goes on once");
}

// A thread waits, too, and may take the announcement of both back while new tasks are run.
void continued_beside_a_thread() {
  stage s;
  group_counter g(s.owner);
  model::label(g, "group");
  follower f(s, g, 1);
  f.keeps = true;
  g.add(s.other);
  model::thread thief("thief", [&] {
    s.results[0].set(1);
    g.finish(&s.other, s.other);
  });
  model::thread watcher("watcher", [&f] { f.wait(); });
  g.wait(s.third);
  s.need(1);
  thief.join();
  watcher.join();
  model::require(f.times.get() == 1, "it goes on once");
}

model::scene const scenes[] = {{"stolen task", stolen},
                               {"task elsewhere", both},
                               {"foreign waiter", foreign_waiter},
                               {"task from elsewhere", task_from_elsewhere, 3},
                               {"continued", continued, 2},
                               {"continued beside a thread", continued_beside_a_thread, 2}};

}  // namespace

TEST_CASE("a wait ends after the last task, and always") { model::check_all(scenes); }

TEST_CASE("the same without a heavy fence") {
  model::options how;
  how.preemptions = 2;
  heavy_fence_missing = true;
  model::check_all(scenes, how);
  heavy_fence_missing = false;
}

// [N5]: a light fence orders nothing in a model, its partner does.

TEST_CASE("each order is needed") {
  model::options how;
  how.preemptions = 2;
  model::check_each_order(scenes, {"include/ashlar/sched/tasks/group_counter.h"}, {"N5"}, how);
  model::check_each_order(scenes, {"src/sched/tasks/task_group.cpp", "src/sched/tasks/group_wait.h"}, {"N2"}, how);
}
