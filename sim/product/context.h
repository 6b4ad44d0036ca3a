// SPDX-License-Identifier: Apache-2.0
// Where a thread of the program is left while another one has the processor: its stack and its thread pointer, so that
// one thread of the system runs them all in turn, each with its own thread-local variables. A change takes some 10 ns;
// between two threads of the system it takes some 10 us.
#pragma once

namespace ashlar::sim::product {

struct context {
  void* stack = nullptr;
  void* thread_pointer = nullptr;
};

// Whether the system allows user programs to set the thread pointer (Linux 5.9 and such a processor).
bool can_change_contexts() noexcept;

// One that begins with run(), which never returns, on the memory below `top`, as the calling thread.
context fresh_context(void* top, void (*run)()) noexcept;

// Leaves the calling context in `from` and continues `to`.
extern "C" void simulated_change_context(context* from, context const* to) noexcept;

}  // namespace ashlar::sim::product
