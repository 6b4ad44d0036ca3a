// SPDX-License-Identifier: Apache-2.0
// The buckets of threads that sleep on an address (wait_on.h), found by hashing the address.
//
// Threads    any. A bucket's plain members are guarded by its `locked`, which src/sync/parker.h takes.
// Ordering   [W7] decision published -> [W8] sleeper reads it
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/base/cache_line.h>

#include <cstddef>
#include <cstdint>

#ifdef ASHLAR_MODEL
#include <mutex>
#endif

namespace ashlar {
inline namespace v1 {
namespace sync {

struct wait_place;

inline constexpr std::uint64_t wait_forever = ~std::uint64_t{0};

/// One line, so that a busy bucket disturbs no other.
struct alignas(cache_line) wait_bucket {
  /// Set as long as a waker without a note must look here. Constant-initialised to "look", and cleared when
  /// nobody was found; not where the heavy fence doesn't work.
  atomic<std::uint32_t> armed{1};
  /// What follows belongs to src/sync/parker.h.
  atomic<std::uint32_t> locked{0};
  wait_place* first = nullptr;
  wait_place* last = nullptr;
  std::uint32_t armed_sleepers = 0;
  std::uint32_t futile_wakes = 0;
  bool fenced = false;
};

#ifdef ASHLAR_MODEL
inline wait_bucket* model_bucket = nullptr;
/// Models of the scheduler use it instead of the bucket's own lock, which multiplies the interleavings and is checked
/// by the models of locks.
inline std::mutex* model_bucket_lock = nullptr;
inline wait_bucket& bucket_of(void const*) noexcept { return *model_bucket; }

inline bool wakers_use_light_fence() noexcept { return true; }
#else
inline constexpr unsigned wait_buckets_log2 = 8;
extern ASHLAR_EXPORT wait_bucket wait_table[std::size_t{1} << wait_buckets_log2];

ASHLAR_ALWAYS_INLINE wait_bucket& bucket_of(void const* address) noexcept {
  std::uint64_t const spread = reinterpret_cast<std::uintptr_t>(address) * 0x9E3779B97F4A7C15u;
  return wait_table[spread >> (64 - wait_buckets_log2)];
}

/// Whether those who free an armed word rely on the light fence; decided when the library is loaded. False: all buckets
/// stay armed for ever, and every waker takes the bucket's lock.
bool wakers_use_light_fence() noexcept;
#endif

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
