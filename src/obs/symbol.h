// SPDX-License-Identifier: Apache-2.0
// Names of code in this process, for reports: from the symbol tables of the files that are loaded. Reads these files at
// each call; not for signal handlers.
#pragma once

#include <cstdint>
#include <string>

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {
namespace obs {

struct symbol {
  std::string file;           // the last part of its name; empty: the address is in none
  std::uintptr_t offset = 0;  // in the file's image, for addr2line
  std::string name;           // demangled; empty: not known (the file is stripped)
};

// Of the code or the object that contains the address. Throws std::bad_alloc.
symbol symbol_at(void const* address);

// True for what belongs to the libraries: ours, the compiler's, the system's.
bool is_of_library(symbol const& s);

}  // namespace obs
}  // namespace v1
}  // namespace ashlar
