// SPDX-License-Identifier: Apache-2.0
#include "graphs/catalogue.h"

#include "graphs/families.h"
#include "program/bad_input.h"

#include <charconv>

namespace ashlar::sim {

std::vector<graph> const& all_graphs() {
  static std::vector<graph> const graphs = [] {
    std::vector<graph> all;
    for (auto const family : {tree_graphs, uts_graphs, loop_graphs, nested_graphs}) {
      for (graph& g : family()) all.push_back(std::move(g));
    }
    return all;
  }();
  return graphs;
}

namespace {

void set_one(parameters& values, std::string_view name, std::string_view setting) {
  std::size_t const equals = setting.find('=');
  std::int64_t value = 0;
  if (equals != std::string_view::npos) {
    std::string_view const text = setting.substr(equals + 1);
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && !text.empty()) {
      values.set(name, setting.substr(0, equals), value);
      return;
    }
  }
  throw bad_input::of("graph ", name, ": '", setting, "' is not NAME=NUMBER");
}

// Calls use(graph, its parameters).
template <typename Use>
auto with_graph(std::string_view specification, Use const& use) {
  std::size_t const colon = specification.find(':');
  std::string_view const name = specification.substr(0, colon);
  for (graph const& g : all_graphs()) {
    if (g.name != name) continue;
    parameters values(g.defaults);
    std::string_view rest = colon == std::string_view::npos ? "" : specification.substr(colon + 1);
    while (!rest.empty()) {
      std::size_t const comma = rest.find(',');
      set_one(values, name, rest.substr(0, comma));
      rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    }
    return use(g, values);
  }
  std::vector<std::string_view> names;
  for (graph const& g : all_graphs()) names.push_back(g.name);
  throw bad_input::unknown("graph", name, names);
}

}  // namespace

std::unique_ptr<program> make_graph(std::string_view specification) {
  return with_graph(specification, [](graph const& g, parameters const& p) { return g.make(p); });
}

graph_size size_of_graph(std::string_view specification) {
  return with_graph(specification, [](graph const& g, parameters const& p) { return g.size(p); });
}

}  // namespace ashlar::sim
