// SPDX-License-Identifier: Apache-2.0
// What the labels of a trace are called: the functions and classes of the recorded program, from its own files.
#pragma once

#include "trace/source_place.h"
#include "trace/trace_file.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ashlar::sim {

class symbol_table {
 public:
  explicit symbol_table(std::vector<module_place> modules);
  // The user's function or class behind the address, and where it is in the sources if the file has debug information:
  // "sort()::{lambda(int, int)#1} (main.cpp:12)"; "task at program+0x12" where the file is gone or has no symbols.
  std::string const& name(std::uint64_t address);
  // What is missing for better names, a sentence each; of the modules that were asked about.
  std::vector<std::string> const& complaints() const noexcept { return complaints_; }

 private:
  struct symbol {
    std::uint64_t at;
    std::uint64_t size;
    std::string name;
  };
  struct module_symbols {
    std::vector<symbol> list;  // by address
    std::unique_ptr<source_places> places;
  };
  module_symbols& symbols_of(std::size_t module);
  std::string place_of(module_symbols& in, symbol const& s, std::string const& user_name);

  std::vector<module_place> modules_;  // by base
  std::map<std::size_t, module_symbols> loaded_;
  std::vector<std::string> complaints_;
  std::map<std::uint64_t, std::string> known_;
};

}  // namespace ashlar::sim
