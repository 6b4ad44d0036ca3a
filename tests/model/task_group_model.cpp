// SPDX-License-Identifier: Apache-2.0
// A task group's split counter: nobody's wait ends before the last task, no sleeping waiter is forgotten, and nobody
// touches a group that its waiter has destroyed. group_counter.h, task_group.cpp and the parking lot are the real ones.
#include <doctest/doctest.h>

#include <engine/model.h>
#include <engine/os.h>

#include "sched/deque.cpp"
#include "sched/parking.cpp"
#include "sched/task_group.cpp"

using namespace ashlar;
using sched::group_counter;

namespace {
sched::parking_lot* the_lot = nullptr;  // of the execution
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

void wake_waiters(void const* address) noexcept { the_lot->wake_address(address); }

void context::retire() noexcept { model::require(false, "no context is cancelled here"); }

}  // namespace ashlar::sched

namespace {

struct scene {
  sched::parking_lot lot;
  sched::slot owner, other, third;
  model::var<int> results[2];

  scene() {
    the_lot = &lot;
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

struct {
  char const* name;
  void (*body)();
} const scenes[] = {{"stolen task", stolen},
                    {"task elsewhere", both},
                    {"foreign waiter", foreign_waiter},
                    {"task from elsewhere", task_from_elsewhere}};

}  // namespace

TEST_CASE("a wait ends after the last task, and always") {
  for (auto const& s : scenes) {
    model::options how;
    how.name = s.name;
    if (s.body == task_from_elsewhere) how.preemptions = 3;
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
        how.preemptions = 3;
        how.weaken = model::tagged(file, tag);
        caught = caught || model::check(how, s.body).failed;
      }
      INFO(std::string(file) << " [" << tag << "]");
      CHECK(caught);
    }
  }
}
