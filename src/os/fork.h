// SPDX-License-Identifier: Apache-2.0
// What the library does around fork(). One pthread_atfork registration serves all parts of it; any thread may
// add hooks at any time, and hooks stay for the life of the process.
//
// A hook runs in the thread that calls fork(). `child` hooks run with one thread in the process and may use
// only what is safe there: no lock that another thread of the parent might hold.
#pragma once

namespace ashlar {
inline namespace v1 {
namespace os {

// Null members are skipped. `prepare` hooks run newest first, `parent` and `child` hooks oldest first.
struct fork_hooks {
  void (*prepare)() noexcept = nullptr;
  void (*parent)() noexcept = nullptr;
  void (*child)() noexcept = nullptr;
};

// A fork() that is under way in another thread either runs all members of the new hooks or none. False if
// the table (16 entries) is full or pthread_atfork fails; the hooks then never run.
bool add_fork_hooks(fork_hooks hooks) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
