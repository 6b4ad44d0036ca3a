// SPDX-License-Identifier: Apache-2.0
// What classic TBB's programs expect from its basic header: version and switches, split tags, assertions, the
// version function, and some helpers of tbb::internal.
#pragma once

#include <ashlar/base/cache_line.h>
#include <ashlar/base/split.h>
#include <tbb/detail/_assert.h>
#include <tbb/version.h>

#include <cstddef>
#include <cstdint>

// Build scripts read these numbers in the text of this file, without a compiler. ashlar/base/interface.h, which has
// defined the same, is what counts: the compiler compares the two.
#if !ASHLAR_CLASSIC_DIALECT
#define TBB_VERSION_MAJOR 2023
#define TBB_VERSION_MINOR 2
#define TBB_VERSION_PATCH 0
#define TBB_VERSION_STRING "2023.2.0"
#define TBB_INTERFACE_VERSION 12200
#define TBB_COMPATIBLE_INTERFACE_VERSION 2
#define __TBB_BINARY_VERSION 12
#endif

using assertion_handler_type = ::tbb::assertion_handler_type;

namespace tbb {

using ::TBB_runtime_interface_version;
using std::ptrdiff_t;
using std::size_t;

namespace internal {

using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

/// The largest line size that two independent objects must be kept apart by.
inline constexpr std::size_t NFS_MaxLineSize = ::ashlar::no_sharing;

/// T, filled up to a multiple of S bytes.
template <typename T, std::size_t S, std::size_t R>
struct padded_base : T {
  char pad[S - R];
};
template <typename T, std::size_t S>
struct padded_base<T, S, 0> : T {};
template <typename T, std::size_t S = NFS_MaxLineSize>
struct padded : padded_base<T, S, sizeof(T) % S> {};

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

template <typename T>
bool is_aligned(T* pointer, std::uintptr_t alignment) {
  return (reinterpret_cast<std::uintptr_t>(pointer) & (alignment - 1)) == 0;
}
template <typename Integer>
bool is_power_of_two(Integer value) {
  return value && (value & (value - 1)) == 0;
}
/// TBB marks a pointer as one that is not to be used again where its assertions are on.
template <typename T>
void poison_pointer(T*) {}
template <typename... T>
void suppress_unused_warning(T const&...) {}

}  // namespace internal
}  // namespace tbb

#if !ASHLAR_LEAN_HEADERS
#include <memory>
#include <utility>
#endif
