// SPDX-License-Identifier: Apache-2.0
// Machines as JSON files; sim/machines has those of the papers. sim/README.md describes the format.
#pragma once

#include "machine/machine.h"

#include <string>
#include <vector>

namespace ashlar::sim {

struct machine_file {
  machine described;
  std::vector<std::string> source;  // where the numbers come from
};

// Throws bad_input, "FILE:LINE: what", for a file that can't be read, isn't JSON, has an unknown or a missing entry, or
// an impossible value.
machine_file parse_machine(std::string const& text, std::string const& file_name);
// The file's machine; a name without a slash or a dot is one of sim/machines.
machine_file load_machine(std::string const& name_or_path);
std::string to_json(machine_file const& m);

// Replaces the file as a whole, or throws bad_input and leaves it alone.
void write_file(std::string const& path, std::string const& text);
std::string read_file(std::string const& path);

}  // namespace ashlar::sim
