// SPDX-License-Identifier: Apache-2.0
// What a thread of this process does, as the system tells it: its name, whether it runs, how often it has slept, and
// the system call that it is in. For reports: it reads files below /proc.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {
namespace os {

struct thread_look {
  char name[32] = "?";
  char state = '?';          // as in proc(5)
  std::uint64_t cpu = 0;     // clock ticks of processor time
  std::uint64_t sleeps = 0;  // times that it gave up the processor
  long call = -1;            // system call that it is blocked in; -1: none, or not known
};

// Everything as it is before if the thread is gone.
thread_look look_at_thread(int thread) noexcept;

// What the thread did between two looks.
//   computes   it had the processor, or waits for one
//   polls      it slept for moments, again and again
//   sleeps     in one call that ends by itself (nanosleep)
//   blocks     in one call until something else happens
enum class activity { computes, polls, sleeps, blocks };
activity between(thread_look const& first, thread_look const& second) noexcept;
// True if the thread could go on at the second look, but has had no processor since the first: nobody can tell what it
// is about to do.
bool lacks_processor(thread_look const& first, thread_look const& second) noexcept;

// How often the calling thread has given up its processor, and how often it was taken away.
struct switches {
  long voluntary = 0;
  long involuntary = 0;
};
switches own_switches() noexcept;

// How long the calling thread has waited for a processor so far; unknown_wait if the system doesn't tell.
inline constexpr std::uint64_t unknown_wait = ~std::uint64_t{0};
std::uint64_t own_queued_ns() noexcept;

// Copies what lies in this process's memory. False instead of a fault, if it is not there or not all of it.
bool read_memory(void const* from, void* to, std::size_t bytes) noexcept;

// The call's name; null for those that aren't known.
char const* name_of_call(long number) noexcept;

// Calls take(thread) for each thread of the process.
void for_each_thread(void (*take)(int thread, void* context) noexcept, void* context) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
