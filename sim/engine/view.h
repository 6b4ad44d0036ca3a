// SPDX-License-Identifier: Apache-2.0
// A thief's view of the deques.
#pragma once

#include "engine/run.h"

namespace ashlar::sim {

// What the policies ask; counts the deques whose occupancy they read.
struct run::view {
  run& r;
  unsigned w;
  unsigned& scans;

  unsigned size() const noexcept { return static_cast<unsigned>(r.workers_.size()); }
  unsigned self() const noexcept { return w; }
  long occupancy(unsigned i) const noexcept {
    ++scans;
    return static_cast<long>(r.workers_[i].deque.size());
  }
  // Only our threads tell each other.
  bool visited(unsigned i) const noexcept { return !r.tbb41() && r.workers_[i].crowd != 0; }
  unsigned congestion(unsigned i) const noexcept { return r.workers_[i].crowd; }
  unsigned distance(unsigned i) const noexcept { return r.where_.distance(w, i); }
  unsigned ring_size(unsigned d) const noexcept { return r.where_.ring_size(w, d); }
  unsigned ring_member(unsigned d, unsigned i) const noexcept { return r.where_.ring_member(w, d, i); }
  std::uint32_t random() const noexcept { return static_cast<std::uint32_t>(splitmix(r.workers_[w].random) >> 32); }
};

}  // namespace ashlar::sim
