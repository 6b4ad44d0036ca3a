// SPDX-License-Identifier: Apache-2.0
// Resuming a suspended stack: the occupant of its slot finds it, asleep or awake, with all that the resumer did before,
// and a completion that only a stack aside waits for wakes it, too. stack_inbox.h and the parking lot are the real
// ones.
#include <doctest/doctest.h>

#include <engine/model.h>
#include <engine/os.h>

#include <parking_lot.h>
#include "sched/queue/stack_inbox.h"

#include <functional>
#include <initializer_list>

using namespace ashlar;

namespace {

bool announces = true;  // the occupant marks the inbox before it sleeps
bool looks_again = true;
bool knows_all = true;  // the sleeper is found by the addresses of the stacks aside

struct scene {
  model::parking_lot lot;
  sched::stack_inbox inbox;
  sched::stack_link stacks[2];
  model::var<int> done[2];         // by whoever resumes
  atomic<std::uint32_t> aside{0};  // what another stack of the thread waits for: 1 reached, 2 its waiter sleeps

  scene() {
    model::label(lot, "lot");
    model::label(inbox, "inbox");
    model::label(aside, "aside");
  }
  // stack_set::push_resumed.
  void resume(int i) {
    done[i].set(1);
    if (inbox.push(stacks[i])) lot.wake_address(&inbox);
  }
  void reach() {
    if (aside.exchange(1, mo::acq_rel) == 2) lot.wake_address(&aside);
  }
  // Until so many stacks have been taken and, if asked for, the target of the stack aside is reached.
  void occupy(int stacks_wanted, bool target_wanted) {
    sched::sleeper own;
    sync::wait_place places[2];
    int taken = 0;
    for (;;) {
      for (sched::stack_link* s = inbox.take(); s != nullptr; s = s->next) {
        model::require(done[s - stacks].get() == 1, "the stack goes on without what its resumer did");
        ++taken;
      }
      bool const reached = aside.load(mo::acquire) == 1;
      if (taken == stacks_wanted && (reached || !target_wanted)) return;
      // dispatch.cpp, park_waiter.
      lot.enter_waiter(own, *reinterpret_cast<sched::arena*>(this), &own, true);
      own.enter(places[0], &inbox);
      if (knows_all) own.enter(places[1], &aside);
      bool asleep = !announces || inbox.announce();
      if (asleep && target_wanted && !reached) {
        std::uint32_t expected = 0;
        asleep = aside.compare_exchange(expected, 2, mo::acq_rel, mo::acquire) || expected == 2;
      }
      if (asleep) os::heavy_fence();
      if (!asleep || (looks_again && !inbox.looks_empty())) {
        lot.leave(own);
        continue;
      }
      own.sleep();
    }
  }
};

void resumed_once() {
  scene s;
  model::thread resumer("resumer", [&] { s.resume(0); });
  s.occupy(1, false);
  resumer.join();
}

void resumed_by_two() {
  scene s;
  model::thread a("a", [&] { s.resume(0); });
  model::thread b("b", [&] { s.resume(1); });
  s.occupy(2, false);
  a.join();
  b.join();
}

void resumed_and_reached() {
  scene s;
  model::thread a("a", [&] { s.resume(0); });
  model::thread b("b", [&] { s.reach(); });
  s.occupy(1, true);
  a.join();
  b.join();
}

bool fails(void (*what)(), char const* weaken = nullptr) {
  model::options how;
  how.preemptions = 2;
  if (weaken != nullptr) how.weaken = model::tagged("src/sched/queue/stack_inbox.h", weaken);
  return model::check(how, what).failed;
}

}  // namespace

TEST_CASE("a resumed stack is found, and the sleeping thread woken") {
  for (auto* const what : {&resumed_once, &resumed_by_two, &resumed_and_reached}) {
    model::options how;
    how.preemptions = 3;
    model::result const r = model::check(how, *what);
    INFO(r.report);
    CHECK(!r.failed);
  }
}

TEST_CASE("each step and each order is needed") {
  CHECK(fails(&resumed_once, "SI1"));
  CHECK(fails(&resumed_once, "SI2"));
  announces = false;
  looks_again = false;
  CHECK(fails(&resumed_once));
  announces = true;
  looks_again = true;
  knows_all = false;
  CHECK(fails(&resumed_and_reached));
  knows_all = true;
}
