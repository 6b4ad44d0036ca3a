// SPDX-License-Identifier: Apache-2.0
// What the recorded threads did, small enough for a page whatever the trace's length: the longest stretches of work,
// how busy each thread was over time, and thefts; who stole from whom; and what each arena's threads did.
#pragma once

#include "trace/run_watcher.h"
#include "trace/trace_file.h"

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ashlar::sim {

class run_picture final : public run_watcher {
 public:
  struct stretch {
    std::uint32_t lane, region;
    std::uint64_t begin, end;  // ticks
  };
  struct theft {
    std::uint64_t ticks;
    std::uint32_t thief, victim;  // lanes
  };
  struct arena {
    std::uint64_t address = 0;  // 0: the trace doesn't tell
    unsigned concurrency = 0;
    std::uint64_t tasks = 0, steals = 0, worked = 0;  // ticks
    std::map<std::uint32_t, std::uint64_t> threads;   // lane -> ticks of work
  };

  explicit run_picture(trace const& t);

  void worked(std::uint32_t lane, std::uint64_t begin, std::uint64_t end, std::uint32_t region) override;
  void parked(std::uint32_t, std::uint64_t, std::uint64_t) override {}
  void began(std::uint32_t lane) override { ++arena_of(lane).tasks; }
  void seated(std::uint32_t lane, std::uint64_t ticks, std::uint64_t slot, std::uint64_t address,
              unsigned slots) override;
  void stole(std::uint32_t lane, std::uint64_t ticks, std::uint64_t victim_slot) override;

  std::size_t lanes = 0;
  std::uint64_t end = 1;  // ticks
  double ticks_per_ns = 1;
  std::vector<stretch> stretches;
  std::uint64_t all_stretches = 0;
  std::vector<theft> thefts;
  std::uint64_t all_thefts = 0;
  std::vector<float> busy;  // lane x bin: ticks of work
  std::size_t bins = 1;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> steals;  // thief, victim
  std::vector<arena> arenas;

 private:
  static constexpr std::uint32_t nobody = ~0u;
  arena& arena_of(std::uint32_t lane) { return arenas[seat_arena_[lane]]; }

  std::uint64_t shortest_ = 0;             // ticks: of the stretches that are kept
  std::uint64_t theft_step_ = 1;           // each so many thefts one is kept
  std::vector<std::size_t> seat_arena_;    // by lane
  std::vector<std::uint64_t*> own_ticks_;  // by lane: its ticks of work in the arena where it sits
  double bins_per_tick_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> slots_;  // who sat there last
};

}  // namespace ashlar::sim
