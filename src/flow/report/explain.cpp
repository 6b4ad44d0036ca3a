// SPDX-License-Identifier: Apache-2.0
// What a graph tells of itself in words: what is probably wrong with it, why a wait for it doesn't return.
#include "flow/report/picture_map.h"

#include <cinttypes>
#include <unordered_map>

namespace ashlar::inline v1::flow {

namespace {

using content = picture::content;
using input_kind = picture::input_kind;
using output_kind = picture::output_kind;

// ---- what is probably wrong

class linter {
 public:
  linter(std::FILE* to, picture_map const& m) : to_(to), map_(m) {}

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
    map_.for_each_edge_of(out, [&](void const* r, bool) {
      if (++times[r] == 2) {
        tell("the edge from " + from + " to " + map_.name_of_receiver(r) + " was made more than once");
      }
    });
    if (out.kind == output_kind::keeps) return;
    for (auto const& [r, n] : times) {
      picture_map::end const* const e = map_.find(r);
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
    map_.for_each_edge([&](picture_map::end const*, void const* r, bool) { has_edge[r] = true; });
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
  picture_map const& map_;
  std::size_t found_ = 0;
};

// ---- why a wait doesn't return

// Why the successors have not taken what a node keeps.
void explain_output(std::FILE* to, picture_map const& m, content::out_port const& out) {
  if (out.kind != output_kind::keeps) return;
  bool any = false;
  m.for_each_edge_of(out, [&](void const* r, bool pulled) {
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

void explain_node(std::FILE* to, picture_map const& m, std::size_t i) {
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
  content c(on ? picture::purpose::start_counting : picture::purpose::stop_counting);
  picture p(c);
  describe(p);
}

std::size_t graph_core::report_mistakes(std::FILE* to) {
  picture_map const m(*this);
  return linter(to, m).check();
}

void graph_core::explain(std::FILE* to) {
  picture_map const m(*this);
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
