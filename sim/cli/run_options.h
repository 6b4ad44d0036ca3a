// SPDX-License-Identifier: Apache-2.0
// The options that all simulating commands share, and the runs that they ask for.
#pragma once

#include "cli/limits.h"
#include "engine/simulate.h"
#include "graphs/catalogue.h"
#include "machine/machine_file.h"

#include <string>
#include <vector>

namespace ashlar::sim {

struct cell {
  sim::options how;
  std::string policy;
};

struct run_options {
  std::string machine = "epyc";
  std::string workers = "1,2,4,8,16,32,64";
  std::string policies = "by_size";
  std::string wait = "any";
  std::string idle = "default";
  unsigned seeds = 1;
  limit_options limits;

  void add_to(arguments& a);
  // Throws bad_input.
  std::vector<cell> cells() const;
  // The graph for all of them. Throws bad_input if it is too large.
  std::unique_ptr<program> make(std::string const& graph, std::vector<cell> const& cells) const;
};

// "1,4,16" or "1..1024" (powers of two between, and both ends); throws bad_input.
std::vector<unsigned> parse_workers(std::string const& text);
std::vector<std::string> split(std::string const& text);

}  // namespace ashlar::sim
