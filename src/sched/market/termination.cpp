// SPDX-License-Identifier: Apache-2.0
// How all workers end for finalize(): README.md, 'Ending the workers'.
#include "sched/market/market.h"
#include "sched/park/parking.h"

#include <ashlar/sched/arena/arena_handle.h>

namespace ashlar::inline v1::sched {

// What is advertised while workers end may reach nobody: those who end look no more, and no others are made.
void market::advertise_missed() noexcept {
  arena* missed = nullptr;
  {
    std::lock_guard guard(lock_);
    members_.for_each([&](arena& a) {
      if (missed == nullptr && a.has_visible_work() && a.try_retain()) missed = &a;
    });
  }
  if (missed == nullptr) return;
  if (without_workers()) {
    arena_visit const visit(*missed);  // runs what is enqueued there
  } else {
    advertise_again(*missed);
  }
  missed->release();
}

void market::worker_ends() noexcept {
  {
    std::lock_guard guard(lock_);
    workers_.retire();
  }
  advertise_missed();
  workers_.leave();
}

// True if an application thread is in an arena with work. `work_left`: there is work that nobody is there to wait for.
bool market::work_of_others(bool& work_left) noexcept {
  work_left = false;
  bool others = false;
  members_.for_each([&](arena& a) {
    bool application = false;
    bool work = a.has_visible_work();
    for (unsigned i = 0; i < a.slots_in_use(); ++i) {
      if (a.at(i).is_free()) continue;
      auto const state = a.at(i).state();
      application = application || state == occupied_by_application;
      work = work || state == occupied_by_busy_worker;
    }
    others = others || (work && application);
    work_left = work_left || work;
  });
  return others;
}

bool market::terminate_workers() noexcept {
  for (;;) {
    bool refused = false;
    bool work_left = false;
    bool over = false;
    std::uint32_t n = 0;
    {
      std::lock_guard guard(lock_);
      refused = work_of_others(work_left);
      n = workers_.alive();
      over = n == 0 && !work_left && !refused;
      workers_.set_ending(n != 0 && !work_left && !refused);
    }
    if (over) {
      workers_.wait_for_last();
      return true;
    }
    if (refused || work_left) {
      advertise_missed();
    } else {
      parking_lot::get().wake_workers();
    }
    if (refused) return false;
    workers_.wait_for_end(n);
  }
}

bool market::terminating() noexcept {
  std::lock_guard guard(lock_);
  return workers_.ending();
}

}  // namespace ashlar::inline v1::sched
