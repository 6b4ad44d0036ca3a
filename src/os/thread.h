// SPDX-License-Identifier: Apache-2.0
// Threads of the library. Any thread may call anything here.
//
// A started thread
//  - keeps the module that holds this code mapped for ever, so that it never runs unmapped code when a plugin
//    that the library is linked into is closed;
//  - has a name (at most 15 characters are kept) that debuggers and `top -H` show;
//  - inherits the starter's signal mask and blocks in addition the signals that tell an application of events
//    (SIGALRM, SIGCHLD, SIGIO, SIGURG, SIGWINCH), so that their handlers run on the application's own threads.
//    Signals that end a process stay as they were, because programs started from a task inherit the mask;
//    faults, profiling signals and those that garbage collectors send to a thread pass too.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

// Runs fn(arg) in a new thread. `stack_size` in bytes is rounded up to what the system needs; 0 means the
// system's default. False if the system has no more threads or memory.
bool start_detached(void (*fn)(void*), void* arg, std::size_t stack_size, char const* name) noexcept;

// The right to join one thread. join() must have been called before a handle that owns a thread is destroyed
// or assigned to; an empty handle joins at once.
class thread_handle {
 public:
  thread_handle() noexcept = default;
  thread_handle(thread_handle&& other) noexcept : thread_(other.thread_), owns_(other.owns_) { other.owns_ = false; }
  thread_handle& operator=(thread_handle&& other) noexcept;
  ~thread_handle();

  // Of a thread that has been started to be joined.
  explicit thread_handle(pthread_t thread) noexcept : thread_(thread), owns_(true) {}
  explicit operator bool() const noexcept { return owns_; }
  // Waits until the thread has ended; everything it did is visible afterwards.
  void join() noexcept;

 private:
  pthread_t thread_{};
  bool owns_ = false;
};

// As start_detached; the handle is empty if the thread could not be started.
thread_handle start_joinable(void (*fn)(void*), void* arg, std::size_t stack_size, char const* name) noexcept;

// The addresses [low, high) that the calling thread's stack may use; both null if the system does not tell.
// On a fiber or a signal stack the answer is still the thread's own stack. Cost: about 1 us.
struct stack_bounds {
  char* low = nullptr;
  char* high = nullptr;
};
stack_bounds current_stack() noexcept;

// The system's number of the calling thread.
int thread_id() noexcept;

// Waits until the system has no thread of this process with that number any more: a detached thread that is about to
// return. For a second at most.
void wait_until_gone(int thread) noexcept;

// Lets another thread that is ready run on this CPU.
void yield() noexcept;
// Sleeps for at least so many nanoseconds.
void sleep_ns(std::uint64_t nanoseconds) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
