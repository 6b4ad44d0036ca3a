// SPDX-License-Identifier: Apache-2.0
// What the labels of a trace are called: the functions and classes of the recorded program, from its own files.
#pragma once

#include "trace/trace_file.h"

#include <map>
#include <string>
#include <vector>

namespace ashlar::sim {

class symbol_table {
 public:
  explicit symbol_table(std::vector<module_place> modules);
  // The user's function or class behind the address, or "task at 0x…" where the file is gone or has no symbols.
  std::string const& name(std::uint64_t address);

 private:
  struct symbol {
    std::uint64_t at;
    std::uint64_t size;
    std::string name;
  };
  std::vector<symbol> const& symbols_of(std::size_t module);

  std::vector<module_place> modules_;  // by base
  std::map<std::size_t, std::vector<symbol>> loaded_;
  std::map<std::uint64_t, std::string> known_;
};

// The part of a demangled job's name that is the user's: "fork_job<fib(int)::{lambda()#2}>::run_stolen(…)" becomes
// "fib(int)::{lambda()#2}".
std::string user_part(std::string const& demangled);

// Lists of parameters and template arguments of more than 40 characters become "…"; the name as it is if its brackets
// don't match.
std::string shortened(std::string const& name);

}  // namespace ashlar::sim
