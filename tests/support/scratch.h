// SPDX-License-Identifier: Apache-2.0
// A folder of the test's own for what it writes: several runs at a time, in whatever folder, don't meet.
#pragma once

#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

namespace test {

class scratch_folder {
 public:
  scratch_folder() : path_((std::filesystem::temp_directory_path() / "ashlar-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) {
      std::perror(path_.c_str());
      std::abort();
    }
  }
  scratch_folder(scratch_folder const&) = delete;
  scratch_folder& operator=(scratch_folder const&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string file(char const* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace test
