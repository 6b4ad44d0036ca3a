// SPDX-License-Identifier: Apache-2.0
// The loader's record of what a program loaded.
#pragma once

#include "places.h"

#include <set>

namespace ashlar::command {

struct loaded_libraries {
  bool recorded = false;  // there is a record at all
  bool ours = false;
  std::set<fs::path> others;  // libtbb*.so* of other folders
};

// Of all files record.* in the folder. `links` holds other names of ours.
loaded_libraries read_record(fs::path const& folder, fs::path const& ours, fs::path const& links);

}  // namespace ashlar::command
