// SPDX-License-Identifier: Apache-2.0
// What a reader of files, graphs and options throws: one line for the user, with the file and the position where there
// is one ("epyc.json:7: cores: 0 is not between 1 and 4096").
#pragma once

#include "base/nearest_name.h"

#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

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
  // A name that none of `names` is: the nearest of them, and all.
  template <typename Names>
  static bad_input unknown(char const* kind, std::string_view name, Names const& names) {
    std::string_view const near = nearest_name(name, std::begin(names), std::end(names));
    std::string line = std::string("there is no ") + kind + " '" + std::string(name) + "'";
    if (!near.empty()) line += "; '" + std::string(near) + "' is near";
    char const* separator = ". There are: ";
    for (std::string_view const other : names) {
      ((line += separator) += other);
      separator = ", ";
    }
    return bad_input(line);
  }
};

}  // namespace ashlar::sim
