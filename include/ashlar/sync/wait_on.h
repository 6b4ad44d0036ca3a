// SPDX-License-Identifier: Apache-2.0
// Sleeping on an address until another thread wakes it: for locks whose word has no room or no right alignment for a
// futex, and for whom a wake-up must not touch the lock's memory, which may be gone by then. A table of buckets,
// found by hashing the address, holds the sleepers.
//
// The caller's word changes first, then the waker calls; a sleeper's condition is evaluated under the bucket's lock,
// so a sleeper either sees the change or is found. Two kinds of wakers:
//  - wake_*() takes the bucket's lock. For protocols whose word says that somebody sleeps.
//  - wake_one_if_armed() costs a load when nobody sleeps in the bucket. The word has no room for a note, and the
//    releasing store needs no fence: the sleeper pays for both sides (`armed` below). Sleepers of such words say
//    wait_kind::armed.
//
// Threads    any.
// Ordering   [W1] unlock: store of the word, light fence, armed loaded <-> [W2] sleeper: armed stored, heavy fence,
//                 word read under the bucket's lock: one of the two sees the other
// Model      tests/model/mutex_model.cpp
#pragma once

#include <ashlar/sync/wait_table.h>

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sync {

enum class wait_kind { noted, armed };
enum class wait_result { woken, refused, timed_out };

/// Sleeps until woken through `address`. `still(context)` is asked once under the bucket's lock: if it is false the
/// call returns `refused` without sleeping. It must be short and must not wait or wake. The address is a key; nothing
/// reads it. A timed wait may return `woken` without a waker: the caller looks at its word again in any case.
ASHLAR_EXPORT wait_result wait_on(void const* address, bool (*still)(void const* context) noexcept, void const* context,
                                  wait_kind kind, std::uint64_t nanoseconds = wait_forever) noexcept;

/// For condition variables: sleeps in any case, after it has called enlisted(context), which releases the lock that the
/// wakers hold before they wake. Whoever wakes this address after the call of `enlisted` began finds the sleeper.
ASHLAR_EXPORT wait_result wait_after(void const* address, void (*enlisted)(void* context) noexcept, void* context,
                                     std::uint64_t nanoseconds = wait_forever) noexcept;

/// Wakes the thread that has slept longest on the address, or all of them; returns how many.
ASHLAR_EXPORT std::size_t wake_one(void const* address) noexcept;
ASHLAR_EXPORT std::size_t wake_all(void const* address) noexcept;

/// To be called directly after the store that frees the word.
ASHLAR_ALWAYS_INLINE void wake_one_if_armed(void const* address) noexcept {
  fence_light();  // [W1]
  if (ASHLAR_UNLIKELY(bucket_of(address).armed.load(mo::relaxed) != 0)) wake_one(address);
}

/// Sleeps while condition() is true.
template <typename Condition>
wait_result wait_while(void const* address, Condition const& condition, wait_kind kind,
                       std::uint64_t nanoseconds = wait_forever) noexcept {
  return wait_on(
      address, [](void const* c) noexcept { return (*static_cast<Condition const*>(c))(); }, &condition, kind,
      nanoseconds);
}

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
