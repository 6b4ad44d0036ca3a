// SPDX-License-Identifier: Apache-2.0
// The machine that a simulation runs on: cores in clusters (a shared cache) in sockets, what the scheduler's operations
// cost on it, and its power. machine/machine_file.h reads and writes it as JSON.
//
// A simulation may have more workers than the machine has cores: they run on more sockets of the same kind.
#pragma once

#include "program/program.h"

#include <string>

namespace ashlar::sim {

// How a thief takes from a deque that others are at, and how it searches and sleeps.
enum class steal_protocol {
  ashlar,  // lock-free: a thief that loses goes on to its next victim; a round of victims, then a pause; sleepers are
           // called by the library's rule (wake_rule.h); whoever waits inside may sleep, too
  tbb41,   // a lock: back-off in five doubling steps, then yield, until the lock is free or the deque is empty (the
           // pseudo-random policy leaves after the five steps); random pauses after each failure; a worker leaves after
           // 100 failures, whoever waits inside never does; all that left are called back when the first task appears
};

struct machine {
  std::string name;
  unsigned cores = 1;
  unsigned cluster_size = 1;
  unsigned socket_size = 1;
  // Moving a cache line between two cores of a cluster / of a socket / of two sockets.
  picoseconds cluster_line = 0, socket_line = 0, remote_line = 0;
  // What each step on a square mesh of all simulated cores adds to that; 0: no mesh.
  picoseconds mesh_hop = 0;
  // So much of the transfer of a stolen task's line a thief that takes one after the other doesn't wait for.
  picoseconds line_ahead = 0;
  // How long a core that fetches a contended line keeps the next one waiting.
  picoseconds line_busy = 0;

  struct operations {
    picoseconds cycle = 0;       // of the core's clock
    picoseconds spawn = 0;       // make a task and push it
    picoseconds pop = 0;         // take an own task, run its frame, end it
    picoseconds wait = 0;        // a blocking wait's scope
    picoseconds resume = 0;      // going on with a continuation
    picoseconds choose = 0;      // picking a victim
    picoseconds scan_entry = 0;  // reading one deque's occupancy
    picoseconds probe = 0;       // looking at a deque whose line is in the cache
    picoseconds steal = 0;       // taking a task, beside moving the lines
    picoseconds steal_hold = 0;  // how long that keeps other thieves, or the owner at the last task, out
    picoseconds pause = 0;       // after an empty round
    picoseconds back_off = 0;    // the first of the five steps
    picoseconds yield = 0;       // a yield with nobody to yield to
    // Protocol ashlar: a thief that has reached the part of a deque which its owner pops without a fence opens half of
    // it.
    picoseconds fence = 0;      // for the thief
    picoseconds fence_hit = 0;  // for the owner, who is interrupted
    // What is measured with two threads, 0 in the papers' machines:
    picoseconds first_theft = 0;  // the first theft from a deque that was empty costs the thief so much more
    picoseconds task_away =
        0;  // a task costs so much more to a thread that is in another one's group (option group_counters)
    picoseconds wake_call = 0;     // for the caller
    picoseconds wake_latency = 0;  // until the sleeper runs
  } costs;

  struct milliwatts {
    std::uint64_t busy = 0, spinning = 0, parked = 0;
  } power;

  steal_protocol protocol = steal_protocol::ashlar;
};

}  // namespace ashlar::sim
