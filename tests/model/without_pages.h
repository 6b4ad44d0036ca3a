// SPDX-License-Identifier: Apache-2.0
// What hash tables take from the library, for models that are not linked with it; nothing of it belongs to a protocol.
// For one file of a program.
#pragma once

#include <cstddef>

namespace ashlar {
inline namespace v1 {

void prefer_huge_pages(void*, std::size_t) noexcept {}
bool drop_pages(void*, void*, bool, bool) noexcept { return true; }

}  // namespace v1
}  // namespace ashlar
