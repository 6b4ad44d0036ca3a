// SPDX-License-Identifier: Apache-2.0
// A task program: what the simulator runs, and what the real scheduler runs from the same description.
//
// A task is a step machine whose whole state is plain data, so a graph of billions of tasks unfolds lazily and takes
// the memory of its live tasks only. Times are integer picoseconds, and no program uses the C library's mathematics:
// the same program gives the same steps with every compiler.
//
// Meaning of the steps:
//   work               the task computes for so long
//   spawn              a child comes to life; who runs it, and when, is the scheduler's affair
//   wait               the task blocks until the subtrees of all children that it has spawned are complete
//   wait_continuation  the same, but the thread is free meanwhile: whoever completes the last child goes on with the
//   task end                the task is over. It is complete when its children's subtrees are, too.
#pragma once

#include <cstdint>
#include <string>

namespace ashlar::sim {

using picoseconds = std::uint64_t;
inline constexpr picoseconds nanosecond = 1000;
inline constexpr picoseconds microsecond = 1000 * nanosecond;
inline constexpr picoseconds millisecond = 1000 * microsecond;

enum class step_kind : std::uint8_t { work, spawn, wait, wait_continuation, end };

struct step {
  step_kind kind;
  picoseconds work = 0;  // for step_kind::work
};

// Who waits for the children of a task. The real scheduler has to know before the first one is spawned.
enum class join_kind : std::uint8_t {
  inherited,     // the task has no wait at all: its ancestor's wait covers its children
  blocking,      // it has `wait` steps, and none of its children is left without one
  continuation,  // it has `wait_continuation` steps
};

struct task_state {
  std::uint32_t kind = 0;  // the meaning of all else is the program's
  std::uint32_t pc = 0;
  std::uint64_t seed = 0;
  std::int64_t a = 0, b = 0, c = 0;
};

// Immutable once built; any number of threads may call.
class program {
 public:
  virtual ~program() = default;
  virtual task_state root() const = 0;
  // Advances `self` by one step and returns that step; for a spawn it fills in `child`. After `end` it isn't called
  // again.
  virtual step next(task_state& self, task_state& child) const = 0;
  virtual join_kind join_of(task_state const& task) const = 0;
  // The region (function, loop, user's name) that a task belongs to, a small number, and its name.
  virtual std::uint32_t region_of(task_state const& task) const { return task.kind; }
  virtual std::string region_name(std::uint32_t region) const = 0;
};

// The next number of the sequence that starts with `seed` (splitmix64), and a child's seed.
constexpr std::uint64_t splitmix(std::uint64_t& seed) noexcept {
  std::uint64_t z = (seed += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}
constexpr std::uint64_t child_seed(std::uint64_t seed, std::uint64_t index) noexcept {
  std::uint64_t s = seed + index * 0xD1342543DE82EF95u;
  return splitmix(s);
}

}  // namespace ashlar::sim
