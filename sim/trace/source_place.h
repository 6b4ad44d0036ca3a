// SPDX-License-Identifier: Apache-2.0
// Where in the sources the user's part of a job is, from the program's debug information (DWARF, read by elfutils'
// libdw). Without that, or where the build found no libdw, nothing is known.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace ashlar::sim {

class source_places {
 public:
  explicit source_places(std::string const& file);
  ~source_places();
  source_places(source_places const&) = delete;
  source_places& operator=(source_places const&) = delete;

  // Has the file, or one that belongs to it by its build number, debug information?
  bool known() const noexcept;
  // "main.cpp:12": where the user's function or class is defined that the code at the address (in the file) was made
  // for; empty if that is unknown.
  std::string of_code(std::uint64_t address);
  // The same for a class, or clang's lambda, by its qualified name.
  std::string of_class(std::string const& name);

 private:
  class reader;
  std::unique_ptr<reader> reader_;
};

}  // namespace ashlar::sim
