// SPDX-License-Identifier: Apache-2.0
// The loader's record of what programs loaded.
#pragma once

#include "places.h"

#include <map>
#include <string>
#include <vector>

namespace ashlar::command {

enum class other_kind {
  copy,      // oneTBB's, whose functions a preloaded library of ours takes the place of
  classic,   // another interface, as libtbb.so.2
  allocator  // libtbbmalloc
};

struct other_library {
  other_kind kind = other_kind::copy;
  bool besides = false;  // ours was there, too
};

struct loaded_libraries {
  bool recorded = false;                     // there is a record at all
  bool used = false;                         // ours, by a program that asks for TBB
  std::map<fs::path, other_library> others;  // libtbb*.so* of other folders
};

// Of all files record.* in the folder. `links` holds other names of ours. What is preloaded is there in each program:
// it is used where the program or something that it loaded needs or opens it, and where the program's file can't be
// found to ask it.
loaded_libraries read_record(fs::path const& folder, fs::path const& ours, fs::path const& links);

}  // namespace ashlar::command
