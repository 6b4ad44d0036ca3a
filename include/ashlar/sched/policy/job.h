// SPDX-License-Identifier: Apache-2.0
// The unit that deques hold and threads run. A job is one word (its entry point) in front of whatever the
// algorithm needs: stack jobs of a fork-join, pool jobs of a range algorithm or a task_group, and the prefix
// of a classic tbb::task all begin with it, so that one scheduler serves them without a virtual table.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

class slot;

struct job {
  // Runs the job on the calling thread's slot and returns the job to run next in its place (scheduler bypass,
  // 2007 paper) or null. The job may be gone when the call returns. Never throws.
  using entry = job* (*)(job* self, slot& here) noexcept;

  entry run;
};

// What a deque knows of a job besides its address; a thief reads it before it claims the job, so that it never
// has to give one back.
//   bits 32..63  isolation tag: a thread in an isolated region takes only jobs of that region (0: no region)
//   bit  31      reserved: the job is too small to be worth a theft while it is young (decision record 6)
//   bit  30      marked: set in the key of a running task only, while it is one that others may wait for by itself
//                (completion.h); what it spawns inherits the bit, and it is dropped when that runs
//   bit  29      mailed: reserved for the thread that has a proxy about it (affinity.h)
//   bit  28      halved: before it runs a body the job offers parts of itself; who steals it calls others after that
//                (slot::call_others). Of a reserved job: nobody helps with it while it is young, because its maker
//                tries out itself whether others are to take part
//   bit  27      of a context: the job is a context_job, so whoever has claimed it finds its context (context_job.h)
//   bits 0..26   depth (the 2007 paper's rule compares it): one more than that of the job that spawned it. What a
//                thread calls directly has the depth of the job it runs; a classic task has its own.
using job_key = std::uint64_t;

inline constexpr job_key key_depth_mask = 0x07ffffffu;
inline constexpr job_key key_of_context = 0x08000000u;
inline constexpr job_key key_halved = 0x10000000u;
inline constexpr job_key key_unhelped = key_halved;
inline constexpr job_key key_mailed = 0x20000000u;
inline constexpr job_key key_marked = 0x40000000u;
inline constexpr job_key key_reserved = 0x80000000u;
inline constexpr int key_isolation_shift = 32;

constexpr std::uint32_t depth_of(job_key key) noexcept { return static_cast<std::uint32_t>(key & key_depth_mask); }
// What a task runs with: without the bits that are said of a job in a deque, or of the task that spawned it.
constexpr job_key running_key(job_key key) noexcept {
  return key & ~(key_reserved | key_marked | key_mailed | key_halved | key_of_context);
}
// With what a job is spawned again that has been claimed.
constexpr job_key respawned_key(job_key key) noexcept { return running_key(key) | (key & key_of_context); }
constexpr bool of_small_loop(job_key key) noexcept { return (key & (key_reserved | key_mailed)) == key_reserved; }
constexpr bool is_halved(job_key key) noexcept { return (key & key_halved) != 0; }
constexpr std::uint32_t isolation_of(job_key key) noexcept {
  return static_cast<std::uint32_t>(key >> key_isolation_shift);
}
// The same key in another isolated region.
constexpr job_key key_in_region(job_key key, std::uint32_t tag) noexcept {
  return (key & 0xffffffffu) | job_key{tag} << key_isolation_shift;
}

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
