// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace ashlar::sim {

// Is told what the threads of a run did, each in the order of time.
class run_watcher {
 public:
  virtual ~run_watcher() = default;
  // The thread computed for a task.
  virtual void worked(std::uint32_t lane, std::uint64_t begin, std::uint64_t end, std::uint32_t region) = 0;
  virtual void parked(std::uint32_t lane, std::uint64_t begin, std::uint64_t end) = 0;
  virtual void began(std::uint32_t lane) = 0;  // a task
  // Addresses; arena and slots are 0 in traces that don't tell them.
  virtual void seated(std::uint32_t lane, std::uint64_t ticks, std::uint64_t slot, std::uint64_t arena,
                      unsigned slots) = 0;
  virtual void stole(std::uint32_t lane, std::uint64_t ticks, std::uint64_t victim_slot) = 0;
};

struct graph_settings {
  std::size_t most_tasks = none_folded;  // of the graph: beyond it, small parts are folded
  run_watcher* watcher = nullptr;
  static constexpr std::size_t none_folded = ~std::size_t{0};
};

}  // namespace ashlar::sim
