// SPDX-License-Identifier: Apache-2.0
#include "flow/report/picture_map.h"

namespace ashlar::inline v1::flow {

namespace {

// What receivers have pulled of an output is counted together: it is known whose it is if there is one only.
struct pulled_messages {
  explicit pulled_messages(picture::content::out_port const& from) {
    for (picture::content::tally const& t : from.tallies) {
      if (t.receiver == nullptr) {
        number = t.taken;
      } else {
        ++receivers;
      }
    }
  }
  std::uint64_t number = 0;
  std::size_t receivers = 0;
};

}  // namespace

picture_map::picture_map(graph_core& g) : content_(picture::purpose::show) {
  picture p(content_);
  g.describe(p);
  for (std::size_t i = 0; i < nodes().size(); ++i) {
    content::node const& n = nodes()[i];
    for (std::size_t port = 0; port < n.inputs.size(); ++port) {
      ends_[n.inputs[port].receiver] = {i, port};
      for (void const* const from : n.inputs[port].pulls_from) pulling_[from].push_back(n.inputs[port].receiver);
    }
    for (std::size_t port = 0; port < n.outputs.size(); ++port) ends_[n.outputs[port].sender] = {i, port};
  }
}

picture_map::end const* picture_map::find(void const* sender_or_receiver) const {
  auto const at = ends_.find(sender_or_receiver);
  return at != ends_.end() ? &at->second : nullptr;
}

// ---- names

std::string picture_map::name(std::size_t node) const {
  if (char const* const own = nodes()[node].what->name().text(); own != nullptr) return own;
  return std::string(nodes()[node].kind) + ' ' + std::to_string(node);
}

std::string picture_map::name_of_receiver(void const* r) const {
  end const* const e = find(r);
  if (e == nullptr) return "a receiver that is not in the graph";
  return with_port(e->node, nodes()[e->node].inputs.size(), e->port, input(*e).name);
}

std::string picture_map::name_of_output(std::size_t node, std::size_t port) const {
  return with_port(node, nodes()[node].outputs.size(), port, nullptr);
}

std::string picture_map::with_port(std::size_t node, std::size_t ports, std::size_t port, char const* its_name) const {
  if (its_name != nullptr) return name(node) + " (" + its_name + ')';
  if (ports < 2) return name(node);
  return name(node) + " (port " + std::to_string(port) + ')';
}

// ---- what drawings say

std::string picture_map::text_of_node(std::size_t node) const {
  content::node const& n = nodes()[node];
  std::string text = name(node);
  if (n.what->name().text() != nullptr) text += std::string("\n") + n.kind;
  if (n.is_limited) text += n.limit == 0 ? std::string("\nunlimited") : "\nlimit " + std::to_string(n.limit);
  if (n.busy != 0) text += "\nbusy " + std::to_string(n.busy);
  if (n.queued != 0) text += "\nqueued " + std::to_string(n.queued);
  for (content::out_port const& out : n.outputs) {
    pulled_messages const pulled(out);
    if (pulled.number != 0 && pulled.receivers != 1) text += "\npulled " + std::to_string(pulled.number);
  }
  for (std::string const& s : n.says) text += '\n' + s;
  for (std::string const& s : n.warnings) text += "\n! " + s;
  return text;
}

std::string picture_map::text_of_edge(end const& from, void const* receiver) const {
  pulled_messages const pulled(output(from));
  for (content::tally const& t : output(from).tallies) {
    if (t.receiver != receiver) continue;
    std::string text = std::to_string(t.taken + (pulled.receivers == 1 ? pulled.number : 0));
    if (t.refused != 0) text += "\nrefused " + std::to_string(t.refused);
    return text;
  }
  return "";
}

std::string picture_map::text_of_output(end const& e) const {
  return nodes()[e.node].outputs.size() > 1 ? std::to_string(e.port) : "";
}

std::string picture_map::text_of_input(end const& e) const {
  if (nodes()[e.node].inputs.size() < 2) return "";
  char const* const own = input(e).name;
  return own != nullptr ? own : std::to_string(e.port);
}

}  // namespace ashlar::inline v1::flow
