// SPDX-License-Identifier: Apache-2.0
// oneTBB's names for the exceptions and for the function that throws them by identity.
#pragma once

#include <ashlar/base/exceptions.h>
#include <ashlar/base/throw.h>

namespace tbb {
namespace detail {
inline namespace d0 {
inline namespace ashlar_v1 {

enum class exception_id : int {
  bad_alloc = static_cast<int>(::ashlar::exception_id::bad_alloc),
  bad_last_alloc = static_cast<int>(::ashlar::exception_id::bad_last_alloc),
  user_abort = static_cast<int>(::ashlar::exception_id::user_abort),
  nonpositive_step = static_cast<int>(::ashlar::exception_id::nonpositive_step),
  out_of_range = static_cast<int>(::ashlar::exception_id::out_of_range),
  reservation_length_error = static_cast<int>(::ashlar::exception_id::reservation_length_error),
  missing_wait = static_cast<int>(::ashlar::exception_id::missing_wait),
  invalid_load_factor = static_cast<int>(::ashlar::exception_id::invalid_load_factor),
  invalid_key = static_cast<int>(::ashlar::exception_id::invalid_key),
  bad_tagged_msg_cast = static_cast<int>(::ashlar::exception_id::bad_tagged_msg_cast),
  unsafe_wait = static_cast<int>(::ashlar::exception_id::unsafe_wait),
  last_entry
};

[[noreturn]] inline void throw_exception(exception_id id) {
  ::ashlar::throw_exception(static_cast<::ashlar::exception_id>(id));
}

}  // namespace ashlar_v1
}  // namespace d0

namespace r1 {
inline namespace ashlar_v1 {
using ::tbb::bad_last_alloc;
using ::tbb::missing_wait;
using ::tbb::unsafe_wait;
using ::tbb::user_abort;
using ::tbb::detail::throw_exception;
}  // namespace ashlar_v1
}  // namespace r1

}  // namespace detail
}  // namespace tbb
