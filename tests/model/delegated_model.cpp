// SPDX-License-Identifier: Apache-2.0
// A call into a full arena: it is made once, by a thread of the arena or by the caller once it has a slot; the caller
// wakes after it, with all that it did; the record is freed once. sched/api/delegated.h, the latch and the parking lot
// are the real ones; the loop of delegate.cpp is as short as one round of it.
#include <scenes.h>

#include <parking_lot.h>

#include "sched/api/delegated.h"
#include "sched/queue/deque.cpp"

using namespace ashlar;

namespace {

enum class mistake { none, no_claim, no_announcement, one_holder };
mistake wrong = mistake::none;
model::parking_lot* the_lot = nullptr;  // of the execution

}  // namespace

namespace ashlar::inline v1::sched {

void wake_waiters(void const* address) noexcept { the_lot->wake_address(address); }
slot::~slot() = default;  // no stacks
void context::retire() noexcept { model::require(false, "no context is cancelled here"); }
void slot::switch_fp(fp_settings const*) noexcept { model::require(false, "a call has no settings"); }

}  // namespace ashlar::inline v1::sched

namespace {

struct scene {
  model::parking_lot lot;
  sched::slot there;
  model::var<int> made{0};
  sched::delegated* record;

  scene() : record(new sched::delegated(&call, this, nullptr)) {
    the_lot = &lot;
    model::label(lot, "lot");
    model::label(record->claimed, "claimed");
    model::label(record->end, "end");
    model::label(record->holders, "holders");
  }
  static void call(void* self) {
    auto& s = *static_cast<scene*>(self);
    s.made.set(s.made.get() + 1);
  }
  // A thread of the arena takes it out of the queue.
  void find() {
    sched::job* const what = record;
    if (wrong != mistake::no_claim) return static_cast<void>(what->run(what, there));
    record->run_here();
    record->release();
  }
  // call_in_full_arena; `slot`: it gets one after it has slept in vain, or before.
  void wait(bool gets_slot) {
    sched::sleeper own;
    sched::delegated& d = *record;
    if (gets_slot && d.claim()) d.run_here();
    while (!d.end.done()) {
      lot.enter_slot_waiter(own, *reinterpret_cast<sched::arena*>(this), &d.end);
      if (wrong != mistake::no_announcement && !d.end.announce()) {
        lot.leave(own);
        continue;
      }
      own.sleep();
    }
    model::require(made.get() == 1, "the call has been made once, and is seen");
    if (wrong == mistake::one_holder) return delete record;
    d.release();
  }
};

void run(bool gets_slot) {
  scene s;
  model::thread inside("in the arena", [&s] { s.find(); });
  s.wait(gets_slot);
  inside.join();
}

constexpr model::scene scenes[] = {{"the caller sleeps", [] { run(false); }},
                                   {"the caller gets a slot", [] { run(true); }}};

bool fails(mistake m) {
  wrong = m;
  bool failed = false;
  for (model::scene const& s : scenes) failed = failed || model::check_scene(s, {}).failed;
  wrong = mistake::none;
  return failed;
}

}  // namespace

TEST_CASE("a call is made once, and its caller goes on after it") { model::check_all(scenes); }

TEST_CASE("each step is needed") {
  CHECK(fails(mistake::no_claim));
  CHECK(fails(mistake::no_announcement));
  CHECK(fails(mistake::one_holder));
}

TEST_CASE("each order is needed") {
  model::check_each_order(scenes, {"src/sched/api/delegated.h", "include/ashlar/sched/park/latch.h"});
}
