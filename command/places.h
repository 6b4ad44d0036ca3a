// SPDX-License-Identifier: Apache-2.0
// Where the command finds the libraries and ashlar-sim: by its own place, so that a whole installation can be moved.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace ashlar::command {

namespace fs = std::filesystem;

// One line for the user.
struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The folder of libtbb.so.12. Throws failure if it isn't where it was installed or built.
fs::path compat_folder();
// ashlar-sim beside this program; else in the build tree; else that of PATH.
std::string simulator();
// The file that the shell would start for this name. Throws failure.
fs::path program_file(std::string const& name);

}  // namespace ashlar::command
