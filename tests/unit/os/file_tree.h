// SPDX-License-Identifier: Apache-2.0
// A directory of files that a test makes up and that vanishes with the test.
#pragma once

#include <doctest/doctest.h>

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

class file_tree {
 public:
  file_tree() {
    std::string path = (std::filesystem::temp_directory_path() / "ashlar_XXXXXX").string();
    REQUIRE(::mkdtemp(path.data()) != nullptr);
    root_ = path;
  }
  file_tree(file_tree const&) = delete;
  file_tree& operator=(file_tree const&) = delete;
  ~file_tree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  std::string const& root() const { return root_; }

  // `path` starts with a slash; its directories are made as needed.
  void write(std::string const& path, std::string const& text) {
    std::filesystem::path const file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

 private:
  std::string root_;
};
