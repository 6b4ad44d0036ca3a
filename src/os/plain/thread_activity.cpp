// SPDX-License-Identifier: Apache-2.0
// Where the system does not tell what threads do: nobody is said to do nothing.
#include "os/thread_activity.h"

namespace ashlar::inline v1::os {

thread_look look_at_thread(int) noexcept { return {}; }

activity between(thread_look const&, thread_look const&) noexcept { return activity::computes; }

bool lacks_processor(thread_look const&, thread_look const&) noexcept { return true; }

switches own_switches() noexcept { return {}; }

std::uint64_t own_queued_ns() noexcept { return unknown_wait; }

bool read_memory(void const*, void*, std::size_t) noexcept { return false; }

char const* name_of_call(long) noexcept { return nullptr; }

void for_each_thread(void (*)(int, void*) noexcept, void*) noexcept {}

}  // namespace ashlar::inline v1::os
