// SPDX-License-Identifier: Apache-2.0
// The exceptions of both dialects:
//   bad_last_alloc, user_abort, missing_wait, unsafe_wait, improper_lock, invalid_multiple_scheduling
// and classic TBB's carriers tbb_exception, captured_exception and movable_exception<T>. Exceptions that leave
// the body of an algorithm arrive at its caller unchanged; the carriers are for programs that use them themselves.
#pragma once

#include <ashlar/base/classic_exceptions.h>
#include <ashlar/base/exceptions.h>
#include <ashlar/base/throw.h>

// Classic TBB's numbers of what its headers throw.
namespace tbb {
namespace internal {

enum exception_id {
  eid_bad_alloc = 1,
  eid_bad_last_alloc,
  eid_nonpositive_step,
  eid_out_of_range,
  eid_segment_range_error,
  eid_index_range_error,
  eid_missing_wait,
  eid_invalid_multiple_scheduling,
  eid_improper_lock,
  eid_possible_deadlock,
  eid_operation_not_permitted,
  eid_condvar_wait_failed,
  eid_invalid_load_factor,
  eid_reserved,
  eid_invalid_swap,
  eid_reservation_length_error,
  eid_invalid_key,
  eid_user_abort,
  eid_reserved1,
  eid_blocking_thread_join_impossible = eid_reserved1,
  eid_bad_tagged_msg_cast,
  eid_max
};

[[noreturn]] inline void throw_exception_v4(exception_id id) {
  using what = ::ashlar::exception_id;
  constexpr what same[eid_max] = {what::invalid_argument,
                                  what::bad_alloc,
                                  what::bad_last_alloc,
                                  what::nonpositive_step,
                                  what::out_of_range,
                                  what::range_error,  // of a segment
                                  what::range_error,  // of an index
                                  what::missing_wait,
                                  what::invalid_multiple_scheduling,
                                  what::improper_lock,
                                  what::possible_deadlock,
                                  what::operation_not_permitted,
                                  what::condvar_wait_failed,
                                  what::invalid_load_factor,
                                  what::invalid_argument,
                                  what::invalid_swap,
                                  what::reservation_length_error,
                                  what::invalid_key,
                                  what::user_abort,
                                  what::blocking_thread_join,
                                  what::bad_tagged_msg_cast};
  ::ashlar::throw_exception(id > 0 && id < eid_max ? same[id] : what::invalid_argument);
}
[[noreturn]] inline void throw_exception(exception_id id) { throw_exception_v4(id); }

}  // namespace internal
}  // namespace tbb

#include <tbb/detail/closure/stddef.h>
#if !ASHLAR_LEAN_HEADERS
#include <tbb/tbb_allocator.h>
#include <cstring>
#include <string>
#endif
