// SPDX-License-Identifier: Apache-2.0
// What the loader reads of a program: how it is linked. The file is read as hostile: every offset is checked.
#pragma once

#include "places.h"

#include <vector>

namespace ashlar::command {

struct elf_file {
  bool elf = false;     // a 64-bit file of this machine; else a script, or something else
  bool loaded = false;  // by the dynamic loader: it has an interpreter
  bool rpath = false;   // a DT_RPATH, which the loader asks before LD_LIBRARY_PATH
  std::vector<std::string> needed;
};

// Never throws for what the file contains.
elf_file read_elf(fs::path const& file);

}  // namespace ashlar::command
