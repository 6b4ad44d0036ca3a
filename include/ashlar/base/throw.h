// SPDX-License-Identifier: Apache-2.0
// The exceptions that the library throws, by identity: headers name one and need not include the library
// headers of its type. The types and texts are those that TBB documents.
#pragma once

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {

enum class exception_id : int {
  bad_alloc = 1,                // std::bad_alloc
  bad_last_alloc,               // tbb::bad_last_alloc
  user_abort,                   // tbb::user_abort
  nonpositive_step,             // std::invalid_argument
  out_of_range,                 // std::out_of_range
  reservation_length_error,     // std::length_error
  missing_wait,                 // tbb::missing_wait
  invalid_load_factor,          // std::out_of_range
  invalid_key,                  // std::out_of_range
  bad_tagged_msg_cast,          // std::runtime_error
  unsafe_wait,                  // tbb::unsafe_wait
  operation_not_permitted,      // std::system_error (EPERM)
  condvar_wait_failed,          // std::runtime_error
  invalid_swap,                 // std::invalid_argument
  invalid_multiple_scheduling,  // tbb::invalid_multiple_scheduling
  improper_lock,                // tbb::improper_lock
  possible_deadlock,            // std::system_error (EDEADLK)
  blocking_thread_join,         // std::system_error (EDEADLK)
  invalid_argument,             // std::invalid_argument
  range_error,                  // std::range_error
};

// Throws the exception of that identity; terminates with one line where exceptions are switched off.
[[noreturn]] ASHLAR_EXPORT void throw_exception(exception_id id);

}  // namespace v1
}  // namespace ashlar
