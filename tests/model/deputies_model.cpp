// SPDX-License-Identifier: Apache-2.0
// A job that no thread is there to do is done by a deputy, as long as somebody waits, and none comes into an arena
// where an application thread is at work: src/sched/README.md, 'Progress'. The code is the product's
// (scheduler_scene.h). Without deputies each scene is a deadlock.
#include "scheduler_scene.h"

#include <scenes.h>

using namespace ashlar;
using namespace ashlar::model;

namespace {

// No worker is allowed. The job lies with a thread that is outside of the library, and another thread waits for it.
template <unsigned Workers>
void elsewhere() {
  scheduler_scene s(Workers);
  s.with_deputies();
  latch over;
  application other(2);
  other.spawn(s.make(over));
  application here(2);
  here.wait(over);
  s.rest();
}

// The same, and the other arena has no place for workers but the one of enqueued jobs.
void elsewhere_without_places() {
  scheduler_scene s(0);
  s.with_deputies();
  latch over;
  application other(1);
  other.spawn(s.make(over));
  application here(1);
  here.wait(over);
  s.rest();
}

// The only worker waits for a job that lies in an arena which nobody serves.
void worker_waits() {
  scheduler_scene s(1);
  s.with_deputies();
  latch inner, outer;
  application other(2);
  application here(2);
  job& second = s.make(inner);
  here.spawn(s.make([&](slot& at) {
    other.own_slot().home().enqueue(second, 1);
    wait_for(at, inner);
    latch::set(outer);
  }));
  here.wait(outer);
  s.rest();
}

// A deputy waits itself: then it counts as one that rests, and another one comes.
void deputy_waits() {
  scheduler_scene s(0);
  s.with_deputies();
  latch inner, outer;
  application first(2);
  application second(2);
  second.spawn(s.make(inner));
  first.spawn(s.make([&](slot& at) {
    wait_for(at, inner);
    latch::set(outer);
  }));
  application here(2);
  here.wait(outer);
  s.rest();
}

// An application thread is at work, and its job is its own until it has ended.
void bystander() {
  scheduler_scene s(0);
  s.with_deputies();
  latch over, awaited;
  bool at_work = true;  // seen at once, as the slot's running task is
  application busy(2);
  context group(nullptr, nullptr);
  slot& its = busy.own_slot();
  slot::frame const outside(its);
  its.enter(group);
  busy.spawn(s.make([&](slot&) {
    require(!at_work, "a deputy came beside an application thread at work");
    latch::set(awaited);
  }));
  thread waiter("waiter", [&] {
    application here(2);
    here.wait(awaited);
  });
  sleeper its_own;
  for (int i = 0; i < 8; ++i) its_own.sleep(1);  // while the thread works, others may look at the clock
  at_work = false;
  outside.restore(its);
  s.expect(1);
  waiter.join();
  s.done();
  s.rest();
}

scene const scenes[] = {{"elsewhere", elsewhere<0>, 0},
                        {"elsewhere without places", elsewhere_without_places, 0},
                        {"worker waits", worker_waits, 0},
                        {"deputy waits", deputy_waits, 0},
                        {"bystander", bystander, 0}};

options bounded() {
  options how;
  how.timeouts = 3;
  how.trim = true;
  how.leaks = false;
  return how;
}

}  // namespace

TEST_CASE("work that no thread is there for is done by deputies") {
  check_randomly(scenes, 500, {search::random, search::pct}, bounded());
}
