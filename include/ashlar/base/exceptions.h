// SPDX-License-Identifier: Apache-2.0
// The exception types of namespace tbb. They are inline throughout, so that libtbb exports nothing of that
// namespace; a catch clause finds them across libraries because libstdc++ compares type names.
#pragma once

#include <ashlar/base/config.h>
#include <ashlar/base/improper_lock.h>

#include <exception>
#include <new>
#include <stdexcept>

namespace tbb {

// A container operation failed earlier, or fails now in another thread, and left a part that can't be used.
class bad_last_alloc : public std::bad_alloc {
 public:
  char const* what() const noexcept override { return "tbb::bad_last_alloc: an earlier allocation failed"; }
};

// abort() of a bounded queue ended this blocking operation.
class user_abort : public std::exception {
 public:
  char const* what() const noexcept override { return "tbb::user_abort: the operation was aborted by the user"; }
};

// A task group was destroyed before its tasks were waited for.
class missing_wait : public std::exception {
 public:
  char const* what() const noexcept override { return "tbb::missing_wait: a task group was destroyed without wait()"; }
};

// finalize() was called where waiting for the workers would deadlock.
class unsafe_wait : public std::runtime_error {
 public:
  unsafe_wait(char const* message) : std::runtime_error(message) {}  // NOLINT: implicit, as in oneTBB
};

// A task_handle of a structured_task_group was run twice.
class invalid_multiple_scheduling : public std::exception {
 public:
  char const* what() const noexcept override {
    return "tbb::invalid_multiple_scheduling: a task handle was scheduled more than once";
  }
};

}  // namespace tbb
