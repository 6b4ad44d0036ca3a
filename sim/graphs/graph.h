// SPDX-License-Identifier: Apache-2.0
// A kind of graph: its parameters, and how it is made of them. Parameters are whole numbers; those that end in _ns are
// durations.
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

// How large a graph is before it is unfolded; exact, unless it is random: then what is to be expected.
struct graph_size {
  double tasks = 0;
  double work = 0;       // picoseconds
  double open = 0;       // tasks that one worker has open at once, at most
  double open_each = 0;  // what each further worker adds to that
  double items = 0;      // what the description looks at to tell its tasks' work: boards, items of uneven loops
};

struct graph {
  std::string_view name;
  std::string_view description;
  std::vector<parameter> defaults;
  std::unique_ptr<program> (*make)(parameters const& p);
  graph_size (*size)(parameters const& p);
};

}  // namespace ashlar::sim
