// SPDX-License-Identifier: Apache-2.0
// What a graph tells of itself: its drawing, what is probably wrong with it, why a wait for it doesn't return.
#include "flow/picture.h"

#include <cinttypes>
#include <unordered_map>

namespace ashlar::inline v1::flow {

namespace {

using content = picture::content;
using input_kind = picture::input_kind;
using output_kind = picture::output_kind;
using purpose = picture::purpose;

// A picture, and which node's the ends of edges are.
class map {
 public:
  struct end {
    std::size_t node;
    std::size_t port;
  };

  explicit map(content const& c) : content_(c) {
    for (std::size_t i = 0; i < nodes().size(); ++i) {
      content::node const& n = nodes()[i];
      for (std::size_t p = 0; p < n.inputs.size(); ++p) ends_[n.inputs[p].receiver] = {i, p};
      for (std::size_t p = 0; p < n.outputs.size(); ++p) ends_[n.outputs[p].sender] = {i, p};
    }
  }
  std::vector<content::node> const& nodes() const noexcept { return content_.nodes; }
  // Null: it is not in the graph.
  end const* find(void const* sender_or_receiver) const {
    auto const at = ends_.find(sender_or_receiver);
    return at != ends_.end() ? &at->second : nullptr;
  }
  content::in_port const& input(end const& e) const { return nodes()[e.node].inputs[e.port]; }
  content::out_port const& output(end const& e) const { return nodes()[e.node].outputs[e.port]; }

  std::string name(std::size_t node) const {
    if (char const* const own = nodes()[node].what->name().text(); own != nullptr) return own;
    return std::string(nodes()[node].kind) + ' ' + std::to_string(node);
  }
  std::string name_of_receiver(void const* r) const {
    end const* const e = find(r);
    if (e == nullptr) return "a receiver that is not in the graph";
    return with_port(e->node, nodes()[e->node].inputs.size(), e->port, input(*e).name);
  }
  std::string name_of_output(std::size_t node, std::size_t port) const {
    return with_port(node, nodes()[node].outputs.size(), port, nullptr);
  }
  // Calls f(sender's end or null, receiver, it is pulled from) for each edge.
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

 private:
  std::string with_port(std::size_t node, std::size_t ports, std::size_t port, char const* its_name) const {
    if (its_name != nullptr) return name(node) + " (" + its_name + ')';
    if (ports < 2) return name(node);
    return name(node) + " (port " + std::to_string(port) + ')';
  }

  content const& content_;
  std::unordered_map<void const*, end> ends_;
};

// ---- the drawing

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

std::string label_of(map const& m, std::size_t i) {
  content::node const& n = m.nodes()[i];
  std::string text = m.name(i);
  if (n.what->name().text() != nullptr) text += std::string("\n") + n.kind;
  if (n.is_limited) text += n.limit == 0 ? std::string("\nunlimited") : "\nlimit " + std::to_string(n.limit);
  if (n.busy != 0) text += "\nbusy " + std::to_string(n.busy);
  if (n.queued != 0) text += "\nqueued " + std::to_string(n.queued);
  for (std::string const& s : n.says) text += '\n' + s;
  for (std::string const& s : n.warnings) text += "\n! " + s;
  return text;
}

std::string tally_text(content::out_port const& from, void const* receiver) {
  for (content::tally const& t : from.tallies) {
    if (t.receiver != receiver) continue;
    std::string text = std::to_string(t.taken);
    if (t.refused != 0) text += "\nrefused " + std::to_string(t.refused);
    return text;
  }
  return "";
}

void draw_edge(std::FILE* to, map const& m, map::end const* from, void const* receiver, bool pulled) {
  map::end const* const at = m.find(receiver);
  std::string attributes = pulled ? "style=dashed" : "";
  auto const add = [&](char const* name, std::string const& value) {
    if (!attributes.empty()) attributes += ", ";
    attributes += std::string(name) + '=' + value;
  };
  if (from != nullptr) {
    std::string const label = tally_text(m.output(*from), receiver);
    if (!label.empty()) add("label", quoted(label));
    if (m.nodes()[from->node].outputs.size() > 1) add("taillabel", quoted(std::to_string(from->port)));
  }
  if (at != nullptr && m.nodes()[at->node].inputs.size() > 1) {
    char const* const name = m.input(*at).name;
    add("headlabel", quoted(name != nullptr ? name : std::to_string(at->port)));
  }
  char outside[40];
  std::snprintf(outside, sizeof outside, "x%" PRIxPTR, reinterpret_cast<std::uintptr_t>(receiver));
  if (at == nullptr) std::fprintf(to, "  %s [shape=ellipse, label=\"receiver of the program\"];\n", outside);
  std::string const tail = from != nullptr ? 'n' + std::to_string(from->node) : "sender";
  std::string const head = at != nullptr ? 'n' + std::to_string(at->node) : outside;
  std::fprintf(to, "  %s -> %s [%s];\n", tail.c_str(), head.c_str(), attributes.c_str());
}

void draw(std::FILE* to, map const& m, char const* name) {
  std::fprintf(to, "digraph %s {\n  rankdir=LR;\n  node [shape=box];\n",
               quoted(name != nullptr ? name : "graph").c_str());
  for (std::size_t i = 0; i < m.nodes().size(); ++i) {
    std::fprintf(to, "  n%zu [label=%s%s];\n", i, quoted(label_of(m, i)).c_str(),
                 m.nodes()[i].warnings.empty() ? "" : ", color=red");
  }
  bool outsiders = false;
  m.for_each_edge([&](map::end const* from, void const* receiver, bool pulled) {
    if (from == nullptr && !outsiders) {
      std::fputs("  sender [shape=ellipse, label=\"sender of the program\"];\n", to);
      outsiders = true;
    }
    draw_edge(to, m, from, receiver, pulled);
  });
  std::fputs("}\n", to);
}

// ---- what is probably wrong

class linter {
 public:
  linter(std::FILE* to, map const& m) : to_(to), map_(m) {}

  std::size_t check() {
    for (std::size_t i = 0; i < map_.nodes().size(); ++i) {
      for (std::string const& w : map_.nodes()[i].warnings) tell(map_.name(i) + ": " + w);
      for (std::size_t p = 0; p < map_.nodes()[i].outputs.size(); ++p) check_output(i, p);
    }
    check_inputs();
    return found_;
  }

 private:
  void tell(std::string const& text) {
    std::fprintf(to_, "ashlar: flow graph: %s\n", text.c_str());
    ++found_;
  }
  void check_output(std::size_t node, std::size_t port) {
    content::out_port const& out = map_.nodes()[node].outputs[port];
    std::string const from = map_.name_of_output(node, port);
    std::unordered_map<void const*, int> times;
    map_.for_each_edge([&](map::end const* e, void const* r, bool) {
      if (e != nullptr && e->node == node && e->port == port && ++times[r] == 2) {
        tell("the edge from " + from + " to " + map_.name_of_receiver(r) + " was made more than once");
      }
    });
    if (out.kind == output_kind::keeps) return;
    for (auto const& [r, n] : times) {
      map::end const* const e = map_.find(r);
      if (e == nullptr) continue;
      std::string const to = map_.name_of_receiver(r);
      if (map_.input(*e).kind == input_kind::refuses) {
        tell("messages from " + from + " to " + to + " can get lost: " + to + " refuses them while it is busy, and " +
             from + " keeps none; put a queue_node between");
      }
      if (map_.input(*e).kind == input_kind::only_pulls) {
        tell("messages from " + from + " never come to " + to + ", which takes only what it can reserve, and " + from +
             " keeps none; put a queue_node between");
      }
    }
  }
  // Inputs that nobody sends to, although the node can't do without.
  void check_inputs() {
    std::unordered_map<void const*, bool> has_edge;
    map_.for_each_edge([&](map::end const*, void const* r, bool) { has_edge[r] = true; });
    for (std::size_t i = 0; i < map_.nodes().size(); ++i) {
      for (content::in_port const& in : map_.nodes()[i].inputs) {
        if (has_edge[in.receiver]) continue;
        if (in.name != nullptr) {
          tell(map_.name_of_receiver(in.receiver) +
               " has no predecessor: if the program puts nothing into it either, " + map_.name(i) +
               " stops at its limit");
        }
        if (in.kind == input_kind::only_pulls) {
          tell(map_.name_of_receiver(in.receiver) + " has no predecessor to take messages from");
        }
      }
    }
  }

  std::FILE* const to_;
  map const& map_;
  std::size_t found_ = 0;
};

// ---- why a wait doesn't return

// Why the successors have not taken what a node keeps.
void explain_output(std::FILE* to, map const& m, content::out_port const& out) {
  if (out.kind != output_kind::keeps) return;
  bool any = false;
  m.for_each_edge([&](map::end const* from, void const* r, bool pulled) {
    if (from == nullptr || m.output(*from).sender != out.sender) return;
    any = true;
    if (pulled) std::fprintf(to, "    %s asks for a message when it has room\n", m.name_of_receiver(r).c_str());
  });
  if (!any) std::fputs("    no successor takes them\n", to);
}

void explain_numbers(std::FILE* to, content::node const& n) {
  char const* mark = ":";
  if (n.busy != 0 && n.is_limited) {
    std::fprintf(to, "%s %zu of %zu bodies run", std::exchange(mark, ","), n.busy, n.limit);
  }
  if (n.busy != 0 && !n.is_limited) std::fprintf(to, "%s its body runs", std::exchange(mark, ","));
  if (n.queued == 1) std::fprintf(to, "%s 1 message waits", mark);
  if (n.queued > 1) std::fprintf(to, "%s %zu messages wait", mark, n.queued);
  std::fputs(n.busy == 0 && n.queued == 0 ? ":\n" : "\n", to);
}

void explain_node(std::FILE* to, map const& m, std::size_t i) {
  content::node const& n = m.nodes()[i];
  if (n.queued == 0 && n.busy == 0 && n.says.empty() && n.warnings.empty()) return;
  std::fprintf(to, "  %s", m.name(i).c_str());
  if (n.what->name().text() != nullptr) std::fprintf(to, " (%s)", n.kind);
  explain_numbers(to, n);
  for (std::string const& s : n.says) std::fprintf(to, "    %s\n", s.c_str());
  for (std::string const& s : n.warnings) std::fprintf(to, "    %s\n", s.c_str());
  if (n.queued == 0 || !n.says.empty()) return;  // it has said why
  for (content::out_port const& out : n.outputs) explain_output(to, m, out);
}

content look(graph_core& g, purpose what_for) {
  content c(what_for);
  picture p(c);
  g.describe(p);
  return c;
}

}  // namespace

// ---- graph_core's part

void graph_core::describe(picture& to) {
  lock::scoped_lock const held(nodes_lock_);
  for (node_base* n = first_; n != nullptr; n = n->next_) {
    to.next_node(*n);
    n->describe(to);
  }
}

void graph_core::count_messages(bool on) {
  counts_messages_.store(on, mo::relaxed);
  look(*this, on ? purpose::start_counting : purpose::stop_counting);
}

void graph_core::dot(std::FILE* to) {
  content const c = look(*this, purpose::show);
  draw(to, map(c), name_.text());
}

std::size_t graph_core::check(std::FILE* to) {
  content const c = look(*this, purpose::show);
  return linter(to, map(c)).check();
}

void graph_core::explain(std::FILE* to) {
  content const c = look(*this, purpose::show);
  map const m(c);
  std::fprintf(to, "ashlar: flow graph %s%s%p: %s\n", name_.text() != nullptr ? name_.text() : "",
               name_.text() != nullptr ? " at " : "", static_cast<void*>(this),
               idle() ? "nothing is under way" : "work is under way");
  std::int64_t const reserved = reserved_.load(mo::relaxed);
  if (reserved != 0) {
    std::fprintf(to,
                 "  reserve_wait was called %" PRId64 " time%s more than release_wait: a wait doesn't return before\n",
                 reserved, reserved == 1 ? "" : "s");
  }
  if (group_.is_cancelled()) {
    std::fputs("  it is cancelled: bodies that have not begun are dropped, and messages refused\n", to);
  }
  for (std::size_t i = 0; i < m.nodes().size(); ++i) explain_node(to, m, i);
}

}  // namespace ashlar::inline v1::flow
