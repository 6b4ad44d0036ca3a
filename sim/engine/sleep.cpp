// SPDX-License-Identifier: Apache-2.0
// Parking and waking.
#include "engine/run.h"

namespace ashlar::sim {

// False if the worker has to stay awake: there is work, or it waits inside under TBB 4.1.
bool run::park(unsigned w) {
  worker& x = workers_[w];
  if (visible_ != 0 || (tbb41() && (w == 0 || !x.frames.empty()))) return false;
  x.searching = false;
  --searching_;
  x.idle.reset();
  x.action = sched::idle_action::pause;
  x.doing = mode::parked;
  x.doing_what = activity::parked;
  x.asleep = true;
  events_.set(w, tournament::never);
  ++result_.parks;
  ++arming_;
  // Who waits by a rule may not be able to take what it would be called for.
  if (x.frames.empty() || options_.wait == wait_rule::any) {
    x.bed = sleepers_.size();
    x.in_bed = true;
    sleepers_.push_back(w);
  }
  return true;
}

void run::wake(unsigned w, picoseconds call) {
  worker& x = workers_[w];
  if (x.in_bed) {
    sleepers_[x.bed] = sleepers_.back();
    workers_[sleepers_[x.bed]].bed = x.bed;
    sleepers_.pop_back();
    x.in_bed = false;
  }
  x.asleep = false;
  ++result_.wakes;
  until(w, activity::parked, call + machine_.costs.wake_latency + delay());
}

// A task has been pushed. What its spawner pays for calling sleepers.
picoseconds run::call_for_help(unsigned w) {
  if (sleepers_.empty()) return 0;
  picoseconds const call = machine_.costs.wake_call;
  if (tbb41()) {
    if (visible_ != 1) return 0;
    while (!sleepers_.empty()) wake(sleepers_.back(), call);
    return call;
  }
  // As the runtime: a searcher will find the task; and each worker calls once after somebody has gone to sleep.
  worker& x = workers_[w];
  if (searching_ != 0 || x.armed == arming_) return 0;
  x.armed = arming_;
  wake(sleepers_.back(), call);
  return call;
}

// Who has found something calls the next one if there is more.
picoseconds run::pass_on() {
  if (tbb41() || visible_ == 0 || searching_ != 0 || sleepers_.empty()) return 0;
  wake(sleepers_.back(), machine_.costs.wake_call);
  return machine_.costs.wake_call;
}

}  // namespace ashlar::sim
