// SPDX-License-Identifier: Apache-2.0
// What the system gives a process as a whole: its number, its environment, standard error, random bytes, and calls
// around fork(). Any thread may call; nothing here allocates or takes a lock. errno may change. Inline, so that the
// allocator, which links nothing of this layer, has them.
#pragma once

#include <cstddef>

namespace ashlar {
inline namespace v1 {
namespace os {

int process_id() noexcept;

// Writes to standard error at once, as one piece where the system can; what fails is lost. Also in signal handlers.
void write_error(char const* text, std::size_t length) noexcept;

// The variable's value; null if it is not set, or not to be trusted because the program has rights that its user
// lacks. Nobody may change the environment at the same time.
char const* trusted_variable(char const* name) noexcept;
// The environment's entries, NAME=value, with a null at the end; null: there is none.
char** environment_entries() noexcept;

// Bytes that can't be foretold. False: the system has none.
bool random_bytes(void* to, std::size_t bytes) noexcept;

// Has the functions called around each fork(): the first in the parent before, newest first; the others after it in
// their process, oldest first. Null ones are skipped. False if the system refuses. A system without fork() calls none
// of them, and says true.
bool call_at_fork(void (*prepare)(), void (*parent)(), void (*child)()) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar

#if defined(_WIN32)
#include "os/windows/process.h"
#else
#if defined(__linux__)
#include "os/linux/process.h"
#elif defined(__APPLE__)
#include "os/bsd/process.h"
#include "os/darwin/process.h"
#elif defined(__FreeBSD__)
#include "os/bsd/process.h"
#include "os/freebsd/process.h"
#endif
#include "os/posix/process.h"
#endif
