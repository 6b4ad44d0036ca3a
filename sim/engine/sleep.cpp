// SPDX-License-Identifier: Apache-2.0
// Parking and waking.
#include "engine/run.h"

#include <algorithm>

namespace ashlar::sim {

// False if the worker has to stay awake: there is work, or it waits inside under TBB 4.1.
bool run::park(unsigned w) {
  worker& x = workers_[w];
  if (visible_ != 0 || (tbb41() && (w == 0 || !x.frames.empty()))) return false;
  if (!x.searching || sched::wake_rule::arms(leave_search(x))) arm(x);
  x.idle.reset();
  x.action = sched::idle_action::pause;
  x.doing = mode::parked;
  x.doing_what = activity::parked;
  x.asleep = true;
  x.parked_at = now_;
  x.alone = w != 0 && x.frames.empty() && ++outside_ == workers_.size() - 1;
  events_.set(w, tournament::never);
  ++result_.parks;
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
  if (w != 0 && x.frames.empty()) --outside_;
  ++result_.wakes;
  until(w, activity::parked,
        std::max(call, x.bedtime - std::min(x.bedtime, now_)) + machine_.costs.wake_latency + delay());
}

// Asks each push to call somebody from now on. Where no bit was down nothing has to be done; else the worker makes a
// fence that interrupts all who run.
void run::arm(worker& x) {
  if (tbb41() || lowered_ == 0) return;
  ++arming_;
  lowered_ = 0;
  x.bedtime = now_ + machine_.costs.fence;
  for (worker& y : workers_) {
    if (&y != &x && !y.asleep) y.owed += machine_.costs.fence_hit;
  }
}

// Wakes so many of those who sleep, and returns what it costs the caller.
picoseconds run::call(unsigned threads) {
  if (tbb41()) return 0;
  picoseconds cost = 0;
  for (; threads != 0 && !sleepers_.empty(); --threads) {
    unsigned const u = sleepers_.back();
    workers_[u].called = !workers_[u].frames.empty();
    cost += machine_.costs.wake_call;
    wake(u, cost);
  }
  return cost;
}

// A task has been pushed. What its spawner pays for calling sleepers.
picoseconds run::call_for_help(unsigned w) {
  if (tbb41()) {
    if (sleepers_.empty() || visible_ != 1) return 0;
    while (!sleepers_.empty()) wake(sleepers_.back(), machine_.costs.wake_call);
    return machine_.costs.wake_call;
  }
  worker& x = workers_[w];
  if (x.armed == arming_ || sched::wake_rule::left_to_waiters(searching_)) return 0;
  x.armed = arming_;
  ++lowered_;
  return sched::wake_rule::calls_for_push(searching_) ? call(1) : 0;
}

}  // namespace ashlar::sim
