// SPDX-License-Identifier: Apache-2.0
// How far apart two words must lie so that two threads writing them don't disturb each other, and how to fetch lines
// early.
#pragma once

#include <cstddef>

namespace ashlar {
inline namespace v1 {

// One line, and the distance at which adjacent-line prefetchers no longer couple two lines.
inline constexpr std::size_t cache_line = 64;
inline constexpr std::size_t no_sharing = 128;

// Ask for the line without waiting for it.
inline void prefetch(void const* at) noexcept { __builtin_prefetch(at); }
inline void prefetch_to_write(void const* at) noexcept { __builtin_prefetch(at, 1); }

}  // namespace v1
}  // namespace ashlar
