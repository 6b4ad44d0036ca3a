// SPDX-License-Identifier: Apache-2.0
// A task group's split counter: nobody's wait ends before the last task, no sleeping waiter is forgotten, and nobody
// touches a group that its waiter has destroyed; a continuation goes on once, after all tasks. group_counter.h,
// task_group.cpp, watch_list.cpp and the parking lot are the real ones.
#include <doctest/doctest.h>

#include <engine/model.h>
#include <engine/os.h>

#include "sched/deque.cpp"
#include "sched/parking.cpp"
#include "sched/task_group.cpp"
#include "sched/watch_list.cpp"

using namespace ashlar;
using sched::group_counter;

namespace {
sched::parking_lot* the_lot = nullptr;  // of the execution
sched::watch_list* the_watches = nullptr;
sched::slot* any_slot = nullptr;
}

namespace ashlar::sched {

// What the library's slot does when a wait finds nothing else to run: dispatch.cpp, park_waiter.
void slot::wait(wait_target const& target) noexcept {
  sleeper bed;
  while (!target.done(target)) {
    the_lot->enter_waiter(bed, *reinterpret_cast<arena*>(this), target.address, true);
    bool const announced = target.announce(target);
    if (announced) os::heavy_fence();
    if (!announced || target.done(target)) {
      the_lot->leave(bed);
      continue;
    }
    bed.sleep();
  }
}

void wake_waiters(void const* address) noexcept {
  the_lot->wake_address(address);
  if (!the_watches->empty()) the_watches->notify(address);
}

continuation::continuation(entry e, slot&, context*) noexcept : job{e}, where_(nullptr), group_(nullptr), key_(0) {}
continuation::~continuation() {}
void continuation::resume() noexcept { run(this, *any_slot); }

void context::retire() noexcept { model::require(false, "no context is cancelled here"); }

}  // namespace ashlar::sched

namespace {

struct scene {
  sched::parking_lot lot;
  sched::watch_list watches;
  sched::slot owner, other, third;
  model::var<int> results[2];

  scene() {
    the_lot = &lot;
    the_watches = &watches;
    any_slot = &owner;
    model::label(sched::foreign_group_waiters, "foreign_group_waiters");
    model::label(lot, "lot");
  }
  void need(int n) {
    for (int i = 0; i < n; ++i) model::require(results[i].get() == 1, "the wait is over before a task");
  }
};

// The owner waits; its task was stolen.
void stolen() {
  scene s;
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
  scene s;
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
  scene s;
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
  scene s;
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
  follower(scene& s, group_counter& g, int n)
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
  scene& in;
  group_counter* group;
  bool keeps = false;  // the group is used after it
  int const tasks;
  sched::group_watch watch;
  model::var<int> times;
};

// One task runs elsewhere, one is the owner's.
void continued() {
  scene s;
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
  scene s;
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

struct {
  char const* name;
  void (*body)();
} const scenes[] = {{"stolen task", stolen},
                    {"task elsewhere", both},
                    {"foreign waiter", foreign_waiter},
                    {"task from elsewhere", task_from_elsewhere},
                    {"continued", continued},
                    {"continued beside a thread", continued_beside_a_thread}};

}  // namespace

TEST_CASE("a wait ends after the last task, and always") {
  for (auto const& s : scenes) {
    model::options how;
    how.name = s.name;
    if (s.body == task_from_elsewhere) how.preemptions = 3;
    if (s.body == continued || s.body == continued_beside_a_thread) how.preemptions = 2;
    model::result const r = model::check(how, s.body);
    INFO(r.report);
    CHECK(!r.failed);
    CHECK(r.complete);
    CHECK(r.executions > 10);
  }
}

TEST_CASE("each order is needed") {
  struct {
    char const* file;
    std::set<std::string> without;
  } const cases[] = {// A light fence orders nothing in a model: its partner does.
                     {"include/ashlar/sched/group_counter.h", {"N5"}},
                     // After announce(), slot::wait executes a heavy fence and looks again.
                     {"src/sched/task_group.cpp", {"N2", "N6"}}};
  for (auto const& [file, without] : cases) {
    for (std::string const& tag : model::tags_of(file)) {
      if (without.count(tag) != 0) continue;
      bool caught = false;
      for (auto const& s : scenes) {
        model::options how;
        how.preemptions = s.body == continued || s.body == continued_beside_a_thread ? 1 : 3;
        how.weaken = model::tagged(file, tag);
        caught = caught || model::check(how, s.body).failed;
      }
      INFO(std::string(file) << " [" << tag << "]");
      CHECK(caught);
    }
  }
}
