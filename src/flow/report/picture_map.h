// SPDX-License-Identifier: Apache-2.0
// A picture of a graph with the node that each end of an edge belongs to, and the words that drawings and reports use.
#pragma once

#include "flow/engine/picture.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace ashlar::inline v1::flow {

class picture_map {
 public:
  using content = picture::content;
  struct end {
    std::size_t node;
    std::size_t port;
  };

  /// Takes the picture. Throws std::bad_alloc, as all members here do that return strings.
  explicit picture_map(graph_core& g);
  picture_map(picture_map const&) = delete;
  picture_map& operator=(picture_map const&) = delete;

  std::vector<content::node> const& nodes() const noexcept { return content_.nodes; }
  /// Null: it is not in the graph.
  end const* find(void const* sender_or_receiver) const;
  content::in_port const& input(end const& e) const { return nodes()[e.node].inputs[e.port]; }
  content::out_port const& output(end const& e) const { return nodes()[e.node].outputs[e.port]; }

  std::string name(std::size_t node) const;
  std::string name_of_receiver(void const* r) const;
  std::string name_of_output(std::size_t node, std::size_t port) const;
  /// What a drawing says of a node, in lines.
  std::string text_of_node(std::size_t node) const;
  /// What it says of an edge: the messages that were carried and refused. Empty while nothing is counted.
  std::string text_of_edge(end const& from, void const* receiver) const;
  /// Which port of its node an end is; empty: it is the only one.
  std::string text_of_output(end const& e) const;
  std::string text_of_input(end const& e) const;

  /// Calls f(sender's end or null, receiver, it is pulled from) for each edge.
  template <typename F>
  void for_each_edge(F f) const {
    for (std::size_t i = 0; i < nodes().size(); ++i) {
      content::node const& n = nodes()[i];
      for (std::size_t p = 0; p < n.outputs.size(); ++p) {
        end const from{i, p};
        for (void const* const to : n.outputs[p].edges) f(&from, to, false);
      }
      for (content::in_port const& in : n.inputs) {
        for (void const* const from : in.pulls_from) f(find(from), in.receiver, true);
      }
    }
  }
  /// Calls f(receiver, it is pulled from) for each edge of an output.
  template <typename F>
  void for_each_edge_of(content::out_port const& from, F f) const {
    for (void const* const to : from.edges) f(to, false);
    auto const at = pulling_.find(from.sender);
    if (at == pulling_.end()) return;
    for (void const* const to : at->second) f(to, true);
  }

 private:
  std::string with_port(std::size_t node, std::size_t ports, std::size_t port, char const* its_name) const;

  content content_;
  std::unordered_map<void const*, end> ends_;
  std::unordered_map<void const*, std::vector<void const*>> pulling_;  // the receivers, by the sender
};

}  // namespace ashlar::inline v1::flow
