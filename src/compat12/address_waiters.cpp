// SPDX-License-Identifier: Apache-2.0
// Waits by address of oneTBB's mutex and rw_mutex, on sync/wait_on.h. A wait has a context besides (readers and writers
// of one mutex wait in different ones), which becomes part of the key: a program's address has no more than 57 bits.
//
// The words are the program's, changed by locked instructions before it calls a notify function. A waker takes a
// bucket's lock only if somebody sleeps there (wait_kind::armed).
//
// Model      tests/model/compat12_waits_model.cpp
#include "contract.h"

#include <ashlar/sync/wait_on.h>

#include <cstdint>

namespace tbb::detail::r1 {

namespace {

namespace mo = ashlar::mo;
namespace sync = ashlar::sync;

constexpr unsigned address_bits = 57;
constexpr std::uintptr_t contexts = 127;

// Contexts beyond 127 share a key: all that costs is a wake-up in vain.
std::uintptr_t folded(std::uintptr_t context) noexcept { return context == 0 ? 0 : (context - 1) % contexts + 1; }
// Context 0 is the address itself.
void const* key_of(void const* address, std::uintptr_t context) noexcept {
  return reinterpret_cast<void const*>(reinterpret_cast<std::uintptr_t>(address) ^ folded(context) << address_bits);
}

// The largest context, folded, that was ever waited in.
// [AW1] a waiter raises it, fence, then asks its condition under the bucket's lock <-> [AW2] a waker, after its locked
//       change of the word, reads it: one of the two sees the other
ashlar::atomic<std::uintptr_t> highest_context{0};

void announce(std::uintptr_t context) noexcept {
  std::uintptr_t old = highest_context.load(mo::relaxed);
  std::uintptr_t const mine = folded(context);
  while (old < mine && !highest_context.compare_exchange(old, mine, mo::relaxed, mo::relaxed)) {
  }
  ashlar::fence_seq_cst();  // [AW1]
}

// After a locked instruction, which is the fence that sync/wait_on.h asks of a waker.
bool nobody_at(void const* key) noexcept { return sync::bucket_of(key).armed.load(mo::relaxed) == 0; }
std::size_t wake_one(void const* key) noexcept { return nobody_at(key) ? 0 : sync::wake_one(key); }
void wake_all(void const* key) noexcept {
  if (!nobody_at(key)) sync::wake_all(key);
}

}  // namespace

// Returns when woken, or at once if the condition holds; may return in vain.
ASHLAR_EXPORT void wait_on_address(void* address, d1::delegate_base& satisfied, std::uintptr_t context) {
  announce(context);
  sync::wait_while(key_of(address, context), [&satisfied]() noexcept { return !satisfied(); }, sync::wait_kind::armed);
}

// Those that wait in this context.
ASHLAR_EXPORT void notify_by_address(void* address, std::uintptr_t context) { wake_all(key_of(address, context)); }

ASHLAR_EXPORT void notify_by_address_one(void* address) {
  std::uintptr_t const highest = highest_context.load(mo::seq_cst);  // [AW2]
  for (std::uintptr_t context = 0; context <= highest; ++context) {
    if (wake_one(key_of(address, context)) != 0) return;
  }
}

ASHLAR_EXPORT void notify_by_address_all(void* address) {
  std::uintptr_t const highest = highest_context.load(mo::seq_cst);  // [AW2]
  for (std::uintptr_t context = 0; context <= highest; ++context) wake_all(key_of(address, context));
}

}  // namespace tbb::detail::r1
