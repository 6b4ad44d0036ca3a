// SPDX-License-Identifier: Apache-2.0
// graph::dot: a graph in the language of Graphviz.
#include "flow/report/picture_map.h"

#include <cinttypes>

namespace ashlar::inline v1::flow {

namespace {

std::string quoted(std::string const& text) {
  std::string to = "\"";
  for (char const c : text) {
    if (c == '"' || c == '\\') to += '\\';
    if (c == '\n') {
      to += "\\n";
    } else {
      to += c;
    }
  }
  return to + '"';
}

void draw_edge(std::FILE* to, picture_map const& m, picture_map::end const* from, void const* receiver, bool pulled) {
  picture_map::end const* const at = m.find(receiver);
  std::string attributes = pulled ? "style=dashed" : "";
  auto const add = [&](char const* name, std::string const& value) {
    if (value.empty()) return;
    if (!attributes.empty()) attributes += ", ";
    attributes += std::string(name) + '=' + quoted(value);
  };
  if (from != nullptr) {
    add("label", m.text_of_edge(*from, receiver));
    add("taillabel", m.text_of_output(*from));
  }
  if (at != nullptr) add("headlabel", m.text_of_input(*at));
  char outside[40];
  std::snprintf(outside, sizeof outside, "x%" PRIxPTR, reinterpret_cast<std::uintptr_t>(receiver));
  if (at == nullptr) std::fprintf(to, "  %s [shape=ellipse, label=\"receiver of the program\"];\n", outside);
  std::string const tail = from != nullptr ? 'n' + std::to_string(from->node) : "sender";
  std::string const head = at != nullptr ? 'n' + std::to_string(at->node) : outside;
  std::fprintf(to, "  %s -> %s [%s];\n", tail.c_str(), head.c_str(), attributes.c_str());
}

}  // namespace

void graph_core::dot(std::FILE* to) {
  picture_map const m(*this);
  std::fprintf(to, "digraph %s {\n  rankdir=LR;\n  node [shape=box];\n",
               quoted(name_.text() != nullptr ? name_.text() : "graph").c_str());
  for (std::size_t i = 0; i < m.nodes().size(); ++i) {
    std::fprintf(to, "  n%zu [label=%s%s];\n", i, quoted(m.text_of_node(i)).c_str(),
                 m.nodes()[i].warnings.empty() ? "" : ", color=red");
  }
  bool externals = false;
  m.for_each_edge([&](picture_map::end const* from, void const* receiver, bool pulled) {
    if (from == nullptr && !externals) {
      std::fputs("  sender [shape=ellipse, label=\"sender of the program\"];\n", to);
      externals = true;
    }
    draw_edge(to, m, from, receiver, pulled);
  });
  std::fputs("}\n", to);
}

}  // namespace ashlar::inline v1::flow
