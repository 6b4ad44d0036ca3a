// SPDX-License-Identifier: Apache-2.0
// What the simulated processors and their system take for what they do, in nanoseconds. The defaults are what
// calibrate.py found on an otherwise idle machine with the programs of system_costs.cpp, which have no scheduler.
#pragma once

#include <cstdint>

namespace ashlar::sim::product {

using nanoseconds = std::uint64_t;

struct costs {
  nanoseconds processors = 2;
  nanoseconds seed = 1;
  // A thread may run ahead of another one by so much, and by so much more while it only reads lines that it has: it
  // then sees what others write so much later.
  nanoseconds slack = 200, readers_slack = 0;
  // So many neighbours share a cache, and so many are a socket of their own; 0: all processors are equally far, and
  // what the library finds out about them is the real machine.
  nanoseconds cluster = 0, socket = 0;
  // Moving a cache line to another processor: of the cluster, of the socket, of another socket; and how long that keeps
  // others from the line. Reading a line that the processor has.
  nanoseconds line = 50, line_far = 90, line_remote = 200, line_busy = 10, cached = 1;
  // Reads of lines that begin so soon after the last one take a share of their time only: several are under way at
  // once.
  nanoseconds ahead = 16, overlap = 8;
  nanoseconds ticks = 10, pause = 25, locked = 5;
  // The system.
  nanoseconds call = 300, clock = 24;
  nanoseconds yield = 550;         // with nobody to yield to
  nanoseconds change = 1'500;      // from one thread of a processor to the next
  nanoseconds slice = 3'000'000;   // with others waiting for the processor
  nanoseconds idle_exit = 45'000;  // until an idle processor runs what has become ready
  nanoseconds timer = 4'500;       // a sleep lasts so much longer than told, beside idle_exit
  nanoseconds timer_hit = 2'000;   // for whoever runs where a timer expires
  // Thousandths by which idle_exit, timer and the calls below differ from time to time, and all of them from run to
  // run.
  nanoseconds spread = 300, pace = 0;
  nanoseconds sleep_call = 10'000;  // to set a timer
  nanoseconds wake_call = 3'500;    // for who wakes
  nanoseconds fence = 13'600;       // membarrier, for its caller
  nanoseconds fence_hit = 10'000;   // for each other thread that runs
  nanoseconds create = 20'000;      // a thread, for its maker
  // What a thread computes after each of its sleeps, in programs whose bodies compute without reading a clock.
  nanoseconds computing = 0;
};

// Reads `name=value,name=value`. False: there is no such cost.
bool read(costs& to, char const* text);

}  // namespace ashlar::sim::product
