// SPDX-License-Identifier: Apache-2.0
// The graphs by name. A graph is asked for as "fib" or "fib:n=20,leaf=100": parameters are whole numbers; those that end
// in _ns are durations.
#pragma once

#include "program/program.h"

#include <memory>
#include <string_view>
#include <vector>

namespace ashlar::sim {

struct parameter {
  std::string_view name;
  std::int64_t value;  // the default, in the table of graphs
  std::int64_t least;
  std::int64_t most;
  std::string_view help;
};

class parameters {
 public:
  explicit parameters(std::vector<parameter> values) : values_(std::move(values)) {}
  // The value of a parameter that the graph's table names.
  std::int64_t operator[](std::string_view name) const;
  // Throws bad_input if the graph has no such parameter or the value is out of range.
  void set(std::string_view graph, std::string_view name, std::int64_t value);
  std::vector<parameter> const& all() const noexcept { return values_; }

 private:
  std::vector<parameter> values_;
};

struct graph {
  std::string_view name;
  std::string_view description;
  std::vector<parameter> defaults;
  std::unique_ptr<program> (*make)(parameters const& p);
};

std::vector<graph> const& all_graphs();

// Throws bad_input for an unknown graph or parameter, naming it.
std::unique_ptr<program> make_graph(std::string_view specification);

}  // namespace ashlar::sim
