// SPDX-License-Identifier: Apache-2.0
// One simulated run of a program: deterministic, the same on every computer and with every compiler.
#pragma once

#include "engine/policy.h"
#include "machine/machine.h"
#include "program/program.h"

#include "sched/policy/idle.h"

#include <array>
#include <vector>

namespace ashlar::sim {

// What a worker does at a time.
enum class activity : unsigned {
  work,        // steps of tasks
  scheduling,  // spawn, pop, wait, resume, wake calls
  stealing,    // thefts that brought something
  failing,     // looking at victims in vain
  pausing,     // pauses, back-off and yields between looks
  parked,      // asleep or waking up
};
inline constexpr std::size_t activities = 6;
inline constexpr char const* activity_names[activities] = {"work",    "scheduling", "stealing",
                                                           "failing", "pausing",    "parked"};
using activity_times = std::array<picoseconds, activities>;

// What a worker did without a break.
struct stretch {
  std::uint32_t worker;
  std::uint32_t region;  // of work
  activity what;
  picoseconds begin, end;
};

struct options {
  unsigned workers = 1;  // 1 to max_workers
  victim_choice victim;
  wait_rule wait = wait_rule::any;
  sched::idle_policy idle = sched::idle_policy::park;
  std::uint64_t seed = 1;
  // Threads start, and wake, up to a pause later, and a pause lasts an eighth of itself more or less, as the seed
  // tells. Else policies that draw no random numbers have one run for all seeds.
  bool jitter = false;
  std::uint64_t max_tasks = 1'000'000'000'000;
  std::uint64_t max_open_tasks = 20'000'000;  // 128 bytes each, with their places in deques
  // Tasks that a wait covers count themselves in one counter, as those of a task_group do, and not each in its parent:
  // the line of that counter moves between those that end tasks and who waits.
  bool group_counters = false;
  // Passes over what idle workers repeat (engine/coast.cpp): the same results in less time, but another hash.
  bool fast_forward = false;
  std::uint64_t max_steps = ~std::uint64_t{0};  // of the simulator's own: beyond it, too_many_steps is thrown
  std::vector<stretch>* timeline = nullptr;     // if given, gets what each worker did; a worker's are in order
  std::size_t max_stretches = 5'000'000;
};
inline constexpr unsigned max_workers = 4096;
inline constexpr picoseconds longest_run = (picoseconds(1) << 52) - 1;  // 75 minutes

struct result {
  unsigned workers = 0;
  picoseconds makespan = 0;
  activity_times times{};                  // sums to workers * makespan
  std::vector<activity_times> per_worker;  // each sums to makespan
  std::uint64_t events = 0;
  std::uint64_t passed_over = 0;  // of the events, by fast_forward
  std::uint64_t hash = 0;         // of all events: equal for equal runs
  std::uint64_t tasks = 0, spawns = 0, waits = 0;
  std::uint64_t steals = 0;         // successful thefts
  std::uint64_t stolen_tasks = 0;   // more than thefts where half a deque is taken
  std::uint64_t failed_steals = 0;  // victims with nothing, or nothing to the thief's rule; vain scans
  std::uint64_t conflicts = 0;      // deques that another thief was at
  std::uint64_t parks = 0, wakes = 0;
  std::uint64_t pops = 0;  // tasks that a worker took from its own deque
  // Of the scheduling time: spawning, and taking own tasks. Of the stealing time: taking a victim's task, from the lock
  // on. Of the pausing time: waiting for its lock. What was begun at the end of the run counts whole.
  picoseconds spawning = 0, popping = 0, taking = 0, lock_waits = 0;
  std::uint64_t most_open_tasks = 0;
  // Waits that were over while their worker ran something on top of them, and for how long in all.
  std::uint64_t buried_waits = 0;
  picoseconds buried_time = 0;
  // Idle time (failing, pausing, parked) before a worker's first task, after its last, and between.
  picoseconds idle_ramp_up = 0, idle_tail = 0, idle_between = 0;

  picoseconds operator[](activity a) const noexcept { return times[static_cast<std::size_t>(a)]; }
  // Joules.
  double energy(machine const& m) const noexcept;
};

struct too_many_steps {};

// Throws bad_input if the options are out of range, or the program needs more tasks, open tasks, stretches or time than
// the simulator takes.
result simulate(program const& p, machine const& m, options const& o);

}  // namespace ashlar::sim
