// SPDX-License-Identifier: Apache-2.0
// Two slots with their deques, pools and the parking lot, for models of what tasks do: the main thread sits in the
// first one, a thief in the second. Waits find nothing else to run (parked_slot.h). To be included after parking_lot.h.
#pragma once

#include "sched/queue/deque.cpp"
#include "sched/queue/task_pool.cpp"

#include <parked_slot.h>

namespace ashlar::inline v1::sched {

__thread slot* current_slot = nullptr;
std::mutex process_locks::orphans;

void wake_waiters(void const* address) noexcept { model::the_lot->wake_address(address); }
slot& attach_thread() { __builtin_unreachable(); }
void slot::switch_fp(fp_settings const*) noexcept { model::require(false, "no job has settings"); }
void slot::run_urgent() noexcept { model::require(false, "no job is urgent"); }
bool slot::run_newest_specially() noexcept { return model::require(false, "no job is urgent"), false; }
void slot::attend() noexcept { model::require(false, "nothing needs attention"); }
bool slot::check_cancelled(context&) noexcept { return false; }
void slot::run(job* what, job_key key) noexcept { run_own(what, key); }
void slot::offer(job& what, job_key key, bool) { spawn(what, key); }  // as where nobody could be woken

}  // namespace ashlar::inline v1::sched

namespace ashlar::model {

struct two_slots {
  parking_lot lot;
  sched::task_pool pools[2];
  sched::slot slots[2];

  two_slots() {
    own(sched::current_slot);
    the_lot = &lot;
    label(lot, "lot");
    for (unsigned i = 0; i < 2; ++i) {
      label(slots[i], i == 0 ? "slot 0" : "slot 1");
      slots[i].belong_to(*reinterpret_cast<sched::arena*>(this), i);
      slots[i].make_room(0);
      slots[i].sit_down(*reinterpret_cast<sched::thread_data*>(this), pools[i], false, 0);
    }
    sched::current_slot = &slots[0];
  }
  void sit_as_thief() { sched::current_slot = &slots[1]; }
  void steal() {
    sit_as_thief();
    sched::job* what = nullptr;
    sched::job_key key = 0;
    if (slots[0].steal(what, key, [](auto...) { return true; }) != sched::deque::outcome::taken) return;
    slots[1].run(what, key);
  }
};

// Pools keep their memory for ever.
inline options without_leaks() {
  options how;
  how.leaks = false;
  return how;
}

}  // namespace ashlar::model
