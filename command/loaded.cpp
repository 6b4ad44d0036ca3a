// SPDX-License-Identifier: Apache-2.0
#include "loaded.h"

#include <fstream>
#include <string_view>

namespace ashlar::command {

namespace {

constexpr std::string_view mark = "calling init: ";

bool below(fs::path const& file, fs::path const& folder) {
  return file.lexically_normal().string().rfind(folder.lexically_normal().string() + "/", 0) == 0;
}

// tbbbind has no tasks, and is loaded by oneTBB's own library only.
bool of_tbb(std::string const& name) {
  bool const shared = name.find(".so") != std::string::npos;
  return shared && name.rfind("libtbb", 0) == 0 && name.rfind("libtbbbind", 0) != 0;
}

}  // namespace

loaded_libraries read_record(fs::path const& folder, fs::path const& ours, fs::path const& links) {
  loaded_libraries found;
  for (auto const& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().rfind("record", 0) != 0) continue;
    found.recorded = true;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      std::size_t const at = line.find(mark);
      if (at == std::string::npos) continue;
      fs::path const file = line.substr(at + mark.size());
      std::string const name = file.filename();
      if (!of_tbb(name)) continue;
      // Programs compiled with our headers load libtbb-ashlar.so.0, from anywhere.
      bool const native = name.find("-ashlar.so") != std::string::npos;
      if (native || below(file, ours) || below(file, links)) {
        found.ours = found.ours || name.rfind("libtbbmalloc", 0) != 0;
      } else {
        found.others.insert(file);
      }
    }
  }
  return found;
}

}  // namespace ashlar::command
