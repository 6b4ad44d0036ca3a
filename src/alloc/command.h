// SPDX-License-Identifier: Apache-2.0
// What a program asks the allocator to do at once.
#pragma once

namespace ashlar {
inline namespace v1 {
namespace alloc {

// Sends what is under way from the calling thread and sees to its mail.
void settle_thread() noexcept;

// scalable_allocation_command: results are those of the public header.
int run_command(int command, void* parameter) noexcept;

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
