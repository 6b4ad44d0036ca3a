// SPDX-License-Identifier: Apache-2.0
// Which object belongs to the calling thread: a table per thread, found through one thread-local pointer, in which
// every container of thread-local objects has a slot. A slot says for which container it was filled, and the
// containers' numbers are never used twice, so the slot of a container that is gone, or was cleared, is seen to be
// stale.
//
// The tables are a cache: a container that got no index, or whose slot could not be stored for lack of memory, has to
// find the thread's object by its owner's number.
#pragma once

#include <ashlar/base/config.h>

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace containers {

struct thread_slot {
  std::uint64_t container;  // 0: nobody's
  void* object;
};

/// `mask` + 1 slots, a power of two: a larger index meets another container's slot.
struct thread_slots {
  std::size_t mask;
  thread_slot* entries;
};

extern ASHLAR_EXPORT ASHLAR_INITIAL_EXEC __thread thread_slots current_thread_slots;

/// A container's place in the tables and its number. Neither changes while threads look it up.
struct slot_key {
  std::uint64_t container;
  std::size_t index;
};

/// The calling thread's object of that container, or null.
ASHLAR_ALWAYS_INLINE void* find_slot(slot_key const& key) noexcept {
  thread_slots const& table = current_thread_slots;
  thread_slot const& slot = table.entries[key.index & table.mask];
  return ASHLAR_LIKELY(slot.container == key.container) ? slot.object : nullptr;
}

/// A new key, with an index of its own if there is one left (65536 containers can have one).
ASHLAR_EXPORT slot_key acquire_slot_key() noexcept;
ASHLAR_EXPORT void release_slot_key(slot_key const& key) noexcept;
/// The same index with a new number: all threads' slots are stale at once.
ASHLAR_EXPORT void renew_slot_key(slot_key& key) noexcept;
/// Remembers the calling thread's object; false if that was not possible.
ASHLAR_EXPORT bool store_slot(slot_key const& key, void* object) noexcept;
/// A number of the calling thread that no other living thread has; even, never 0. The number of a thread that has ended
/// goes to one that was started afterwards, which sees what the first one has written. (65536 threads at once can have
/// such numbers; those of further threads are given once.)
ASHLAR_EXPORT std::uint64_t thread_number() noexcept;
/// Whether a thread that has ended may have had the number that thread_number() has returned.
ASHLAR_EXPORT bool thread_number_is_second_hand() noexcept;

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
