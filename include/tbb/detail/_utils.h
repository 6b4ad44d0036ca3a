// SPDX-License-Identifier: Apache-2.0
// Small helpers by oneTBB's names, for programs that use them.
#pragma once

#include <ashlar/base/cache_line.h>
#include <tbb/detail/_assert.h>
#include <tbb/detail/_machine.h>

#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

namespace tbb {
namespace detail {
inline namespace d0 {
inline namespace ashlar_v1 {

template <typename... T>
void suppress_unused_warning(T&&...) {}

inline constexpr std::size_t max_nfs_size = ::ashlar::no_sharing;

template <typename Integer>
constexpr bool is_power_of_two(Integer value) {
  return value && (value & (value - 1)) == 0;
}

template <typename T>
bool is_aligned(T* pointer, std::uintptr_t alignment) {
  return (reinterpret_cast<std::uintptr_t>(pointer) & (alignment - 1)) == 0;
}

/// The next multiple of the alignment, a power of two, that is greater than the argument; the second form also
/// returns the argument itself.
template <typename T>
T align_to_greater(T value, std::uintptr_t alignment) {
  __TBB_ASSERT(is_power_of_two(alignment), "an alignment is a power of two");
  return T((std::uintptr_t(value) + alignment) & ~(alignment - 1));
}
template <typename T>
T align_to_greater_or_equal(T value, std::uintptr_t alignment) {
  __TBB_ASSERT(is_power_of_two(alignment), "an alignment is a power of two");
  return T((std::uintptr_t(value) + alignment - 1) & ~(alignment - 1));
}

template <typename T>
std::uintptr_t log2(T value) {
  __TBB_ASSERT(value > 0, "only positive numbers have a logarithm");
  return machine_log2(static_cast<std::uintptr_t>(value));
}

template <typename T>
T reverse_bits(T value) {
  return machine_reverse_bits(value);
}

template <typename T>
T clamp(T value, T lower, T upper) {
  __TBB_ASSERT(lower <= upper, "the bounds are in order");
  return value < lower ? lower : (value > upper ? upper : value);
}

template <typename F, typename... Args>
decltype(auto) invoke(F&& f, Args&&... args) noexcept(std::is_nothrow_invocable_v<F, Args...>) {
  return std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
}

/// Tries the condition for the short time that it pays to wait for before a thread sleeps. Whether it came true.
template <typename Condition>
bool timed_spin_wait_until(Condition condition) {
  constexpr int pausing = 5, rounds = 40;  // 31 pauses, then one yield a round
  for (int round = 0; round < rounds; ++round) {
    if (condition()) return true;
    if (round < pausing) {
      machine_pause(1 << round);
    } else {
      yield();
    }
  }
  return condition();
}

enum class do_once_state { uninitialized, pending, executed, initialized = executed };

/// Calls the function, which throws nothing, unless a call for this state is over or in progress; then waits for its
/// end. What the function has done is visible to all that return.
/// [O1] the function's effects -> [O2] whoever finds that it was called.
template <typename F>
void atomic_do_once(F const& f, std::atomic<do_once_state>& state) {
  while (state.load(std::memory_order_acquire) != do_once_state::executed) {  // [O2]
    do_once_state expected = do_once_state::uninitialized;
    if (state.compare_exchange_strong(expected, do_once_state::pending, std::memory_order_relaxed)) {
      f();
      state.store(do_once_state::executed, std::memory_order_release);  // [O1]
      return;
    }
    yield();
  }
}

class no_assign {
 public:
  no_assign() = default;
  no_assign(no_assign const&) = default;
  void operator=(no_assign const&) = delete;
};

class no_copy {
 public:
  no_copy() = default;
  no_copy(no_copy const&) = delete;
  void operator=(no_copy const&) = delete;
};

/// A set of core types packed into one core_type_id: none is `automatic`, one is itself, several are a bit mask
/// marked by the four highest bits.
struct multi_core_type_codec {
  using core_type_id = int;
  static constexpr core_type_id automatic = -1;
  static constexpr std::size_t bitmask_width = sizeof(core_type_id) * CHAR_BIT - 4;
  static constexpr std::size_t encoding_format = 0x8;

  static core_type_id encode(std::vector<core_type_id> const& ids) {
    if (ids.empty()) {
      return automatic;
    }
    if (ids.size() == 1) {
      return ids.front();
    }
    unsigned mask = static_cast<unsigned>(encoding_format) << bitmask_width;
    for (core_type_id const id : ids) {
      __TBB_ASSERT(id >= 0 && id < static_cast<core_type_id>(bitmask_width), "a core type that exists");
      mask |= 1u << id;
    }
    return static_cast<core_type_id>(mask);
  }
  static std::vector<core_type_id> decode(core_type_id id) {
    if (!is_encoded(id)) {
      return {id};
    }
    std::vector<core_type_id> ids;
    for (std::size_t bit = 0; bit < bitmask_width; ++bit) {
      if (static_cast<unsigned>(id) >> bit & 1u) {
        ids.push_back(static_cast<core_type_id>(bit));
      }
    }
    return ids;
  }
  static bool is_single(core_type_id id) { return (id >> bitmask_width) == 0; }
  static bool is_encoded(core_type_id id) { return (static_cast<unsigned>(id) >> bitmask_width) == encoding_format; }
  static bool is_core_type(core_type_id id) { return is_single(id) || is_encoded(id); }
};

}  // namespace ashlar_v1
}  // namespace d0
}  // namespace detail
}  // namespace tbb
