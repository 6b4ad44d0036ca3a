// SPDX-License-Identifier: Apache-2.0
// Figures about the allocator's memory, for programs (ashlar/alloc/malloc_stats.h) and for people.
#pragma once

#include <ashlar/alloc/malloc_stats.h>

namespace ashlar {
inline namespace v1 {
namespace alloc {

// A table of the figures on file descriptor 2, written without allocating.
void print_stats() noexcept;
void print_stats_at_exit() noexcept;

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
