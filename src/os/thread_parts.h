// SPDX-License-Identifier: Apache-2.0
// What POSIX systems have each in its own way of threads.
#pragma once

namespace ashlar {
inline namespace v1 {
namespace os {

// At most 15 characters.
void name_own_thread(char const* name) noexcept;
// Whether the loader never unloads the module that this is linked into, and knows it.
bool is_kept_by_loader() noexcept;
// Whether the program itself begins there, which is never unloaded.
bool is_program(void const* base) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
