// SPDX-License-Identifier: Apache-2.0
// Figures about the allocator's memory, for programs (ashlar/alloc/malloc_stats.h) and for people.
#pragma once

#include <ashlar/alloc/malloc_stats.h>

namespace ashlar {
inline namespace v1 {
namespace alloc {

// A table of the figures on file descriptor 2, or a line of JSON, written without allocating.
void print_stats(bool json) noexcept;
void print_stats_at_exit(bool json) noexcept;

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
