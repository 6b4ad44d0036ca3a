// SPDX-License-Identifier: Apache-2.0
// Where the simulated workers sit, and how long a cache line takes between two of them. Worker i sits on core i.
#pragma once

#include "machine/machine.h"

#include <algorithm>

namespace ashlar::sim {

class geometry {
 public:
  geometry(machine const& m, unsigned workers)
      : workers_(workers),
        cluster_(m.cluster_size),
        socket_(m.socket_size),
        hop_(m.mesh_hop),
        lines_{m.cluster_line, m.socket_line, m.remote_line} {
    while (width_ * width_ < workers) ++width_;
  }

  // 0: the same cluster, 1: the same socket, 2: another.
  unsigned distance(unsigned a, unsigned b) const noexcept {
    if (a / cluster_ == b / cluster_) return 0;
    return a / socket_ == b / socket_ ? 1 : 2;
  }
  picoseconds line(unsigned a, unsigned b) const noexcept {
    if (a == b) return 0;
    picoseconds const base = lines_[distance(a, b)];
    return hop_ == 0 ? base : base + hop_ * (apart(a % width_, b % width_) + apart(a / width_, b / width_));
  }

  // How many other workers are at this distance from a worker, and the i-th of them.
  unsigned ring_size(unsigned self, unsigned d) const noexcept {
    unsigned const cluster = extent(self, cluster_), socket = extent(self, socket_);
    return d == 0 ? cluster - 1 : d == 1 ? socket - cluster : workers_ - socket;
  }
  unsigned ring_member(unsigned self, unsigned d, unsigned i) const noexcept {
    if (d == 0) return skip(self / cluster_ * cluster_ + i, self, 1);
    if (d == 1) return skip(self / socket_ * socket_ + i, self / cluster_ * cluster_, cluster_);
    return skip(i, self / socket_ * socket_, socket_);
  }

 private:
  static unsigned apart(unsigned a, unsigned b) noexcept { return a > b ? a - b : b - a; }
  // Members of the group of `size` that holds the worker.
  unsigned extent(unsigned self, unsigned size) const noexcept {
    unsigned const first = self / size * size;
    return std::min(first + size, workers_) - first;
  }
  // The number, if `hole` numbers from `first` on don't count.
  static unsigned skip(unsigned i, unsigned first, unsigned hole) noexcept { return i < first ? i : i + hole; }

  unsigned const workers_, cluster_, socket_;
  picoseconds const hop_;
  picoseconds const lines_[3];
  unsigned width_ = 1;
};

}  // namespace ashlar::sim
