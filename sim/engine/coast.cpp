// SPDX-License-Identifier: Apache-2.0
// Fast-forward: a worker that spins while all deques are empty, and knows each as it is, changes nothing and learns
// nothing. Each of its rounds takes as many looks, as much time and as many random numbers as the one before. So it
// passes over them, up to the one after which it will sleep, and is called back to where it would be as soon as a task
// is spawned. Results are those of the long way, but for the hash, which has each event in its order.
#include "engine/run.h"
#include "engine/view.h"

#include <algorithm>

namespace ashlar::sim {

// Of what the machine and the policies allow; no policy that draws more numbers in one round than in another.
bool run::may_coast() const noexcept {
  victim_choice const& v = options_.victim;
  bool const steady = v.is(sched::victim_policy::distance) || v.is(sched::victim_policy::random) ||
                      v.is(sched::victim_policy::pseudo_random) || goes_by_occupancy();
  return options_.fast_forward && steady && !options_.jitter && !tbb41() && options_.idle == sched::idle_policy::park &&
         options_.timeline == nullptr && workers_.size() > 1;
}

// Whose looks cost the same whether the thief knows the deques or not, and which goes nowhere when all are empty.
bool run::goes_by_occupancy() const noexcept {
  victim_choice const& v = options_.victim;
  return v.is(sched::victim_policy::occupancy) ||
         (v.is(sched::victim_policy::by_size) && workers_.size() >= sched::victim_selector::large);
}

// After an empty round that leads to `step`: true if the worker passes over all rounds but the last of those that lead
// to the same.
bool run::coast(unsigned w, idle_step const& step) {
  worker& x = workers_[w];
  if (visible_ != 0 || !x.frames.empty()) return false;
  std::uint32_t const own = std::exchange(seen(w, w), versions_[w]);
  bool const known = goes_by_occupancy() || std::equal(versions_.begin(), versions_.end(), &seen(w, 0));
  seen(w, w) = own;
  if (!known) return false;
  coasting c;
  c.begin = now_;
  c.after = step;
  chooser round = x.victims;
  std::uint64_t const random = x.random;
  for (unsigned v = 0; v != none;) {
    unsigned scans = 0;
    v = round.next(options_.victim, view{*this, w, scans});
    if (v == none && scans == 0) break;
    ++c.looks;
    c.failing += machine_.costs.choose + scans * machine_.costs.scan_entry + (v != none ? machine_.costs.probe : 0);
  }
  c.draws = std::exchange(x.random, random) - random;
  picoseconds const length = c.failing + step.pause;
  sched::idle_state idle = x.idle;
  for (picoseconds at = now_ + length; next_idle_step(x, idle, at) == step; at += length) ++c.rounds;
  if (c.rounds < 2) return false;
  x.coast = c;
  x.doing = mode::coasting;
  coasting_.push_back(w);
  until(w, activity::pausing, step.pause + c.rounds * length);
  return true;
}

// The worker has passed over so many rounds, and pauses after the last of them.
void run::stop_coasting(worker& x, std::uint64_t rounds) {
  coasting const& c = x.coast;
  x.idle.skip(static_cast<unsigned>(rounds * c.after.rounds));
  x.victims.skip(static_cast<unsigned>(rounds));
  x.random += rounds * c.draws;
  result_.failed_steals += rounds * c.looks;
  result_.events += rounds * (c.looks + 1);
  result_.passed_over += rounds * (c.looks + 1);
  x.doing = mode::seeking;
}

// All of its rounds are over; they have been accounted as pauses.
void run::end_coasting(unsigned w) {
  worker& x = workers_[w];
  stop_coasting(x, x.coast.rounds);
  picoseconds const failing = x.coast.rounds * x.coast.failing;
  x.times[static_cast<std::size_t>(activity::failing)] += failing;
  x.times[static_cast<std::size_t>(activity::pausing)] -= failing;
  std::erase(coasting_, w);
}

// Brings all to where they are when worker `cause` handles its event now: those of their events that come before it are
// handled. They look at nothing that has changed, so their order among themselves is no matter.
void run::settle(unsigned cause) {
  steps_ += coasting_.size();
  picoseconds const now = now_;
  std::vector<unsigned> const all = std::exchange(coasting_, {});
  for (unsigned const w : all) {
    worker& x = workers_[w];
    coasting const& c = x.coast;
    picoseconds const length = c.failing + c.after.pause;
    std::uint64_t rounds = std::min((now - c.begin) / length, c.rounds);
    if (rounds != 0 && c.begin + rounds * length == now && w > cause) --rounds;
    stop_coasting(x, rounds);
    x.times[static_cast<std::size_t>(activity::failing)] += rounds * c.failing;
    x.times[static_cast<std::size_t>(activity::pausing)] += rounds * c.after.pause;
    x.since = c.begin + rounds * length;
    picoseconds next = x.since + c.after.pause;
    events_.set(w, next);
    for (; next < now || (next == now && w < cause); next = events_.time_of(w)) {
      now_ = next;
      ++result_.passed_over;
      handle_late(w);
    }
  }
  now_ = now;
}

}  // namespace ashlar::sim
