// SPDX-License-Identifier: Apache-2.0
// Parking: no job stays in a deque for good while somebody who could take it sleeps, and no completion is missed.
// parking_scene.h has the scene. scheduler_model.cpp searches the product's own code. This scene is smaller, so that
// deeper searches end, and it has no sentinel, which would find again what is lost where a step is left out.
#include <doctest/doctest.h>

#include <engine/model.h>
#include <engine/os.h>

#include "parking_scene.h"

namespace {

using namespace ashlar;
using namespace ashlar::model::parking;

using script = void (*)(scene&);

void push(scene& s) { s.spawn(0); }
void push_twice(scene& s) {
  s.spawn(0);
  s.spawn(1);
}
void push_thrice(scene& s) {
  push_twice(s);
  s.spawn(2);
}
void push_pop_push(scene& s) {
  s.spawn(0);
  s.pop();
  s.spawn(1);
}

// The owner leaves after its script. `working`: the workers begin in the arena, else on their way to bed.
model::result park(mistake wrong, int count, script owner, bool working, model::options how = {}) {
  return model::check(how, [=] {
    scene s(wrong, count);
    if (working) s.wanted = s.allotted = s.limit;
    model::thread first("worker 1", [&s] { s.worker(); });
    if (count == 2) model::thread second("worker 2", [&s] { s.worker(); });
    owner(s);
    first.join();
  });
}

// A thread waits in the arena for what the owner completes, before or after its push; and there is a free worker.
model::result park_waiter(mistake wrong, bool restricted, bool push_first, model::options how,
                          bool pop_and_push = false) {
  return model::check(how, [=] {
    scene s(wrong, 1);
    sched::latch state;
    model::label(state, "state");
    model::thread worker("worker", [&s] { s.worker(); });
    model::thread waiter("waiter", [&s, &state, restricted] {
      sleeper bed;
      s.wait(bed, state, restricted);
    });
    if (push_first) push(s);
    if (pop_and_push) s.pop();
    s.finish(state);
    if (!push_first) push(s);
    if (pop_and_push) s.spawn(1);
    waiter.join();
    worker.join();
  });
}

// A thread waits in the arena until the last job is done, which somebody else, or the waiter, is called for.
model::result push_beside_waiter(mistake wrong, bool working, model::options how) {
  return model::check(how, [=] {
    scene s(wrong, working ? 1 : 0);
    s.ends_with_jobs = true;
    if (working) s.wanted = s.allotted = s.limit;
    sched::latch state;
    model::label(state, "state");
    if (working) model::thread worker("worker", [&s] { s.worker(); });
    model::thread waiter("waiter", [&s, &state] {
      sleeper bed;
      s.wait(bed, state, false);
    });
    push_twice(s);
    waiter.join();
  });
}

// A worker takes a small loop's job and is busy until the next one is done, which another worker has to be called for.
model::result take_small_job(mistake wrong, bool working, model::options how) {
  return model::check(how, [=] {
    scene s(wrong, 2);
    s.first_is_small = true;
    model::label(s.second_is_done, "second_is_done");
    if (working) s.wanted = s.allotted = s.limit;
    model::thread first("worker 1", [&s] { s.worker(); });
    model::thread second("worker 2", [&s] { s.worker(); });
    push_twice(s);
    first.join();
    second.join();
  });
}

model::result leave_for_another_arena(mistake wrong, script owner, model::options how) {
  return model::check(how, [=] {
    scene s(wrong, 1);
    s.wanted = s.allotted = s.limit;
    model::thread worker("worker", [&s] { s.worker_of_two_arenas(); });
    owner(s);
    worker.join();
  });
}

model::options bounded(int preemptions, bool trim) {
  model::options how;
  how.preemptions = preemptions;
  how.trim = trim;
  return how;
}

void hold(model::result const& r, unsigned least = 100) {
  INFO(r.report);
  CHECK(!r.failed);
  CHECK(r.complete);
  CHECK(r.executions > least);
}

// What holds where the system has a heavy fence and where it has none.
template <typename Check>
void with_and_without_heavy_fence(Check check) {
  for (bool const missing : {false, true}) {
    CAPTURE(missing);
    heavy_fence_missing = missing;
    check();
  }
  heavy_fence_missing = false;
}

// Two stolen forks, one after the other: the frame of the first is gone when the second is waited for.
model::result wait_for_forks(mistake wrong) {
  return model::check({}, [=] {
    scene s(wrong, 0);
    sleeper bed;
    atomic<sched::latch*> stolen[2];
    model::var<int> results[2];
    model::thread thief("thief", [&] {
      for (int i = 0; i < 2; ++i) {
        sched::latch* state;
        while ((state = stolen[i].load(mo::acquire)) == nullptr) cpu_pause();
        results[i].set(1);
        s.finish(*state);
      }
    });
    for (int i = 0; i < 2; ++i) {
      sched::latch state;
      stolen[i].store(&state, mo::release);
      s.wait(bed, state, true);
      model::require(results[i].get() == 1, "the fork is over");
    }
    thief.join();
  });
}

}  // namespace

TEST_CASE("no job is left to sleepers") {
  with_and_without_heavy_fence([] {
    int const switches = heavy_fence_missing ? 2 : 3;
    unsigned const least = heavy_fence_missing ? 30 : 100;
    for (bool const working : {false, true}) {
      hold(park(mistake::none, 1, push, working), working ? 100 : 5);  // on its way to bed it has nothing to arm
      hold(park(mistake::none, 1, push_twice, working, bounded(switches, true)), least);
      hold(park(mistake::none, 1, push_pop_push, working, bounded(switches, true)), least);
      hold(park(mistake::none, 2, push, working, bounded(switches - 1, heavy_fence_missing)), least);
      hold(park(mistake::none, 2, push_twice, working, bounded(1, heavy_fence_missing)), least);
    }
  });
}

TEST_CASE("a waiter in the arena keeps no job from a worker") {
  for (bool const restricted : {false, true}) {
    for (bool const push_first : {false, true}) {
      hold(park_waiter(mistake::none, restricted, push_first, bounded(2, true)));
    }
  }
}

TEST_CASE("a waiter that nobody completes soon is called for work") {
  for (bool const working : {false, true}) hold(push_beside_waiter(mistake::none, working, bounded(2, true)));
  CHECK(push_beside_waiter(mistake::sleepy_waiter, true, bounded(2, true)).kind == "deadlock");
}

TEST_CASE("without a heavy fence each side makes a full one") {
  heavy_fence_missing = true;
  CHECK(park(mistake::no_owners_fence, 1, push_pop_push, true, bounded(3, true)).kind == "deadlock");
  heavy_fence_missing = false;
}

TEST_CASE("each step of parking is needed") {
  struct {
    mistake wrong;
    script owner;
    int workers;
  } const cases[] = {{mistake::no_heavy_fence, push_pop_push, 1},
                     {mistake::look_before_arming, push_pop_push, 1},
                     {mistake::nobody_arms, push_twice, 1},
                     {mistake::late_entering, push, 1},
                     {mistake::early_stop, push, 1},
                     {mistake::pop_disarms, push_pop_push, 1},
                     {mistake::no_clear_fence, push_twice, 1}};
  for (auto const& c : cases) {
    CAPTURE(static_cast<int>(c.wrong));
    bool const found = park(c.wrong, c.workers, c.owner, false, bounded(3, true)).kind == "deadlock" ||
                       park(c.wrong, c.workers, c.owner, true, bounded(3, true)).kind == "deadlock";
    CHECK(found);
  }
  struct {
    mistake wrong;
    bool push_first;
  } const waiters[] = {{mistake::no_push_fence, false},
                       {mistake::no_search_fence, false},
                       {mistake::searcher_just_leaves, false},
                       {mistake::called_waiter_just_leaves, true},
                       {mistake::early_waiter_just_leaves, true}};
  for (auto const& c : waiters) {
    CAPTURE(static_cast<int>(c.wrong));
    CHECK(park_waiter(c.wrong, false, c.push_first, bounded(3, true)).kind == "deadlock");
  }
  hold(park_waiter(mistake::none, false, true, bounded(1, true), true));
  CHECK(park_waiter(mistake::trusted_waiter, false, true, bounded(2, true), true).kind == "deadlock");
}

TEST_CASE("a worker that is busy with a small job calls nobody for it, but for what comes after it") {
  for (bool const working : {false, true}) hold(take_small_job(mistake::none, working, bounded(1, true)));
  for (mistake const wrong : {mistake::small_unarmed, mistake::small_lightly, mistake::small_unlooked}) {
    CAPTURE(static_cast<int>(wrong));
    CHECK(take_small_job(wrong, false, bounded(1, true)).kind == "deadlock");
  }
}

TEST_CASE("a worker that leaves for another arena is called back") {
  for (script const owner : {push_twice, push_thrice}) {
    hold(leave_for_another_arena(mistake::none, owner, bounded(2, true)));
  }
  CHECK(leave_for_another_arena(mistake::uninformed, push_thrice, bounded(3, true)).kind == "deadlock");
}

TEST_CASE("random search, with futex waits that return for no reason") {
  for (model::search how : {model::search::random, model::search::pct}) {
    model::options o;
    o.how = how;
    o.executions = 10'000;
    o.spurious = 1;
    model::result const r = park(mistake::none, 2, push_pop_push, true, o);
    INFO(r.report);
    CHECK(!r.failed);
    CHECK(r.executions == o.executions);
  }
}

TEST_CASE("no completion is missed, and no frame is touched after its end") {
  hold(wait_for_forks(mistake::none));
  CHECK(wait_for_forks(mistake::late_entering).kind == "deadlock");
  std::string const late = wait_for_forks(mistake::touch_after_exchange).kind;
  CHECK((late == "use after free" || late == "data race"));
}
