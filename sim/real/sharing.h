// SPDX-License-Identifier: Apache-2.0
// What threads on two processors cost each other. All are 0 with one processor.
#pragma once

#include "program/program.h"

namespace ashlar::sim {

// One way of a cache line between two threads, the median of stretches of 128: they may share a processor for a while.
// Stops after 20 ms if it has 15 stretches, and after half a second.
picoseconds line_transfer(std::uint32_t rounds = 100000);

struct fence_times {
  picoseconds call = 0, hit = 0;
};

// A heavy fence while another thread computes: for the caller, and for the other. Medians.
fence_times heavy_fence();

// From one stolen task's begin to the next one's, without its work: while their spawner computes, the other thread
// takes them one after the other. The median, so without fences; 0 if nobody came to steal. A round takes a
// millisecond.
picoseconds theft(int rounds);

// What a task costs more if its thread works for a group of another one, which computes meanwhile. Takes about 2 ms.
picoseconds task_away();

}  // namespace ashlar::sim
