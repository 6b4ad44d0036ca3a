// SPDX-License-Identifier: Apache-2.0
// The decisions of the parking protocol: who calls whom, and who arms the arena (README.md, 'Parking'). Pure, so that
// the simulator compiles the same file; the words that are read, and the fences between, are the arena's.
//
// "Searching" is always one word: the number of threads that look for work in an arena.
#pragma once

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

// What a thread that searches is counted as: workers below, threads that wait for something above.
enum class searcher : std::uint32_t { worker = 1, waiter = 1u << 16 };
constexpr std::uint32_t searching_workers(std::uint32_t searching) noexcept { return searching & 0xffffu; }
constexpr std::uint32_t searching_waiters(std::uint32_t searching) noexcept { return searching >> 16; }

struct wake_rule {
  // After a push by a thread whose WAKE bit is up. The waiters find the job or hand it over; the next push asks again,
  // because waiters don't arm when they stop.
  static constexpr bool left_to_waiters(std::uint32_t searching) noexcept {
    return searching != 0 && searching_workers(searching) == 0;
  }
  // The same, once the bit is down: a worker that searches finds the job, or calls somebody before it stops.
  static constexpr bool calls_for_push(std::uint32_t searching) noexcept { return searching_workers(searching) == 0; }
  // A thread stops searching, because it has something else to do; `others` search on. Whether jobs may have been left
  // to it for which nobody else answers.
  static constexpr bool jobs_were_left_to(searcher what, std::uint32_t others) noexcept {
    return what == searcher::worker ? searching_workers(others) == 0 : others == 0;
  }
  // The same for a thread that is about to sleep: whether it has to raise the WAKE bits.
  static constexpr bool arms(std::uint32_t others) noexcept { return searching_workers(others) == 0; }
  // How many threads could use what is left where a thread has found a job: more than two call further ones.
  static constexpr unsigned left_for_others(long jobs) noexcept { return jobs > 1 ? 2 : jobs > 0 ? 1 : 0; }
  // How many threads are called by one that has found a job. `owed`: jobs were left to it, or it was called itself;
  // `left`: for others, where the job lay.
  static constexpr unsigned calls_for_find(bool owed, unsigned left) noexcept {
    if (left > 1) return 2;
    return owed || left != 0 ? 1 : 0;
  }
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
