// SPDX-License-Identifier: Apache-2.0
// The name of a function for a signal handler: obs/symbol.h allocates.
#pragma once

#include "obs/text_line.h"

namespace ashlar {
inline namespace v1 {
namespace obs {

// Adds the mangled name from the symbol table of the file that holds the code, if there is one, and the file with the
// offset in it, for addr2line. Async-signal-safe.
void add_code_name(text_line& to, std::uintptr_t code) noexcept;

}  // namespace obs
}  // namespace v1
}  // namespace ashlar
