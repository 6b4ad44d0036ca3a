// SPDX-License-Identifier: Apache-2.0
#include "sched/market/load.h"

#include "os/clock.h"
#include "os/topology.h"

#include <algorithm>
#include <utility>

namespace ashlar::inline v1::sched {

unsigned load::places(unsigned limit) const noexcept {
  unsigned const most = limit - std::min(limit, withdrawn_);
  // Whoever allows more threads than there are processors wants them beside the busy ones.
  if (threads_.threads() < 2 || limit >= os::available_cpus()) return most;
  unsigned const taken = threads_.processors(os::now_ns());
  unsigned const processors = os::available_cpus() - std::min(os::available_cpus(), withdrawn_);
  return std::min(most, processors - std::min(taken, processors));
}

void load::survive(occupancy::thread* t) noexcept { threads_.survive(t, os::now_ns()); }

void load::count_caller(occupancy::thread& t) noexcept {
  if (!t.enrolled) return threads_.enroll(t, os::now_ns());
  if (threads_.threads() > 1) threads_.wake(t, os::now_ns());
}

bool load::due(occupancy::observer by) const noexcept {
  return threads_.threads() > 1 && threads_.due(os::now_ns(), by);
}

bool load::measure(occupancy::observer by) noexcept { return threads_.measure(os::now_ns(), by); }

bool load::set_processors(unsigned now) noexcept {
  unsigned const at_start = os::available_cpus();
  unsigned const withdrawn = at_start - std::min(at_start, now);
  return std::exchange(withdrawn_, withdrawn) != withdrawn;
}

bool load::take_refusals() noexcept { return std::exchange(refused_, false); }

void load::grant_visit() noexcept {
  // Beyond a quota the kernel stops all threads at once.
  if (withdrawn_ != 0 && ++visits_refused_ % visits_beyond_quota != 0) return;
  visit_ = true;
}

arena* load::to_visit(allotment const& arenas) noexcept {
  if (!visit_) return nullptr;
  arena* best = nullptr;
  arenas.for_each([&](arena& a) {
    if (!a.has_visible_work()) return;
    if (best == nullptr || a.market_state.visited < best->market_state.visited) best = &a;
  });
  visit_ = best != nullptr;
  if (best != nullptr) best->market_state.visited = ++visits_;
  return best;
}

}  // namespace ashlar::inline v1::sched
