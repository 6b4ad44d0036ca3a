// SPDX-License-Identifier: Apache-2.0
// Files that are made anew and then take the place of older ones. Any thread may call.
#pragma once

#include <cstdio>

namespace ashlar {
inline namespace v1 {
namespace os {

// A new, empty file to write to, which programs that are started meanwhile don't inherit, with the rights that other
// files of the program have. Null if that can't be; `exists` tells whether because there is something of that name.
std::FILE* make_file(char const* path, bool& exists) noexcept;

// Whether a file may take the path: what is there is a file, or nothing; no device, no link.
bool may_replace(char const* path) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
