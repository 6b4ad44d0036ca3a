// SPDX-License-Identifier: Apache-2.0
// What a reader of files, graphs and options throws: one line for the user, with the file and the position where there
// is one ("epyc.json:7: cores: 0 is not between 1 and 4096").
#pragma once

#include <stdexcept>
#include <string>

namespace ashlar::sim {

struct bad_input : std::runtime_error {
  using std::runtime_error::runtime_error;
  // Of parts, texts of any kind.
  template <typename... Parts>
  static bad_input of(Parts const&... parts) {
    std::string line;
    ((line += parts), ...);
    return bad_input(line);
  }
};

}  // namespace ashlar::sim
