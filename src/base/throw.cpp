// SPDX-License-Identifier: Apache-2.0
// The exceptions that headers throw by identity; the types are those that TBB documents.
#include "base/raise.h"

#include <ashlar/base/atomic.h>
#include <ashlar/base/exceptions.h>
#include <ashlar/base/throw.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace ashlar {
inline namespace v1 {
namespace {

atomic<bool> exceptions_end{false};

[[noreturn]] void raise_system(int error, char const* message) {
  raise(std::system_error(error, std::generic_category(), message));
}

}  // namespace

void end_process_on_exception(bool on) noexcept { exceptions_end.store(on, mo::relaxed); }
bool exceptions_end_process() noexcept { return exceptions_end.load(mo::relaxed); }

void throw_exception(exception_id id) {
  switch (id) {
    case exception_id::bad_alloc:
      raise(std::bad_alloc());
    case exception_id::bad_last_alloc:
      raise(::tbb::bad_last_alloc());
    case exception_id::user_abort:
      raise(::tbb::user_abort());
    case exception_id::nonpositive_step:
      raise(std::invalid_argument("the step of a parallel loop must be positive"));
    case exception_id::out_of_range:
      raise(std::out_of_range("index out of range, or the element is not there"));
    case exception_id::reservation_length_error:
      raise(std::length_error("more elements reserved than the container can hold"));
    case exception_id::missing_wait:
      raise(::tbb::missing_wait());
    case exception_id::invalid_load_factor:
      raise(std::out_of_range("a load factor must be a positive number"));
    case exception_id::invalid_key:
      raise(std::out_of_range("no element has this key"));
    case exception_id::bad_tagged_msg_cast:
      raise(std::runtime_error("a tagged_msg was cast to a type that it does not hold"));
    case exception_id::unsafe_wait:
      raise(::tbb::unsafe_wait("waiting for the worker threads is unsafe here"));
    case exception_id::operation_not_permitted:
      raise_system(EPERM, "operation not permitted");
    case exception_id::condvar_wait_failed:
      raise(std::runtime_error("waiting on a condition variable failed"));
    case exception_id::invalid_swap:
      raise(std::invalid_argument("swap of two objects that can't be exchanged"));
    case exception_id::invalid_multiple_scheduling:
      raise(::tbb::invalid_multiple_scheduling());
    case exception_id::improper_lock:
      raise(::tbb::improper_lock());
    case exception_id::possible_deadlock:
      raise_system(EDEADLK, "the operation would deadlock");
    case exception_id::blocking_thread_join:
      raise_system(EDEADLK, "a thread can't wait for worker threads of which it is one");
    case exception_id::invalid_argument:
      raise(std::invalid_argument("invalid argument"));
    case exception_id::range_error:
      raise(std::range_error("the element's memory could not be allocated"));
  }
  raise(std::logic_error("unknown exception identity"));
}

}  // namespace v1
}  // namespace ashlar
