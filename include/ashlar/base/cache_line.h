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

}  // namespace v1
}  // namespace ashlar
