// SPDX-License-Identifier: Apache-2.0
// What the library throws into foreign programs: their own exception types, defined here with type information and
// virtual tables, as programs import them.
#include "contract.h"

#include <ashlar/base/exceptions.h>
#include <ashlar/sched/api/global_control.h>

namespace tbb::detail::r1 {

char const* bad_last_alloc::what() const noexcept { return tbb::bad_last_alloc().what(); }
char const* user_abort::what() const noexcept { return tbb::user_abort().what(); }
char const* missing_wait::what() const noexcept { return tbb::missing_wait().what(); }

ASHLAR_EXPORT void throw_exception(exception_id id) {
  if (ashlar::sched::active_control(tbb::global_control::terminate_on_exception) != 0) std::terminate();
  switch (id) {
    case exception_id::bad_alloc:
      throw std::bad_alloc();
    case exception_id::bad_last_alloc:
      throw bad_last_alloc();
    case exception_id::user_abort:
      throw user_abort();
    case exception_id::nonpositive_step:
      throw std::invalid_argument("the step of a parallel loop must be positive");
    case exception_id::out_of_range:
      throw std::out_of_range("index out of range, or the element is not there");
    case exception_id::reservation_length_error:
      throw std::length_error("more elements are reserved than the container can hold");
    case exception_id::missing_wait:
      throw missing_wait();
    case exception_id::invalid_load_factor:
      throw std::out_of_range("the load factor must be a positive number");
    case exception_id::invalid_key:
      throw std::out_of_range("the container has no element with this key");
    case exception_id::bad_tagged_msg_cast:
      throw std::runtime_error("the message holds a value of another type");
    case exception_id::unsafe_wait:
      throw unsafe_wait("the scheduler can't be finalized here: it is still in use");
  }
}

}  // namespace tbb::detail::r1
