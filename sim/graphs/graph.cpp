// SPDX-License-Identifier: Apache-2.0
#include "graphs/graph.h"

#include "program/bad_input.h"

#include <stdexcept>
#include <string>

namespace ashlar::sim {

std::int64_t parameters::operator[](std::string_view name) const {
  for (parameter const& p : values_) {
    if (p.name == name) return p.value;
  }
  throw std::logic_error("the graph's table lacks " + std::string(name));
}

void parameters::set(std::string_view graph, std::string_view name, std::int64_t value) {
  for (parameter& p : values_) {
    if (p.name != name) continue;
    if (value < p.least || value > p.most) {
      throw bad_input::of("graph ", graph, ": ", name, "=", std::to_string(value), " is not between ",
                          std::to_string(p.least), " and ", std::to_string(p.most));
    }
    p.value = value;
    return;
  }
  std::string names;
  for (parameter const& p : values_) (names += names.empty() ? "; it has: " : ", ") += p.name;
  throw bad_input::of("graph ", graph, " has no parameter '", name, "'", names);
}

}  // namespace ashlar::sim
