// SPDX-License-Identifier: Apache-2.0
// One node that keeps messages, step by step: puts, gets, reservations, and a successor that comes and goes.
#include "subjects.h"

#include <tbb/flow_graph.h>

namespace differ {

namespace {

namespace flow = tbb::flow;

// What buffer_node gives is in no order: what it answers is told, the value apart.
template <typename Node>
constexpr bool in_order = !std::is_same_v<Node, flow::buffer_node<counted>>;

template <typename Node>
class scene {
 public:
  template <typename... Arguments>
  explicit scene(Arguments const&... arguments) : node_(graph_, arguments...) {}

  void act(step const& s, std::string const& path, book& told) {
    if (s.kind == "put") {
      for (int i = 0; i < s.n; ++i) told.tell(path + " taken", node_.try_put(counted((s.a + i * s.b) % 12)));
    } else if (s.kind == "get") {
      // oneTBB's buffer_node gives a reserved message, too (docs/differences.md).
      if (reserved_ && !in_order<Node>) return;
      counted c(-1);
      tell(path + " got", node_.try_get(c), c, told);
    } else if (s.kind == "reserve") {
      counted c(-1);
      bool const got = node_.try_reserve(c);
      reserved_ = reserved_ || got;
      tell(path + " reserved", got, c, told);
    } else if (s.kind == "release" && reserved_) {
      if (!planted("buffer consumes what is released")) {
        told.tell(path + " released", node_.try_release());
      } else {
        told.tell(path + " released", node_.try_consume());
      }
      reserved_ = false;
    } else if (s.kind == "consume" && reserved_) {
      told.tell(path + " consumed", node_.try_consume());
      reserved_ = false;
    } else if (s.kind == "reset") {
      graph_.reset();
      reserved_ = false;
    } else if (s.kind == "own") {
      own(s, path, told);
    }
    graph_.wait_for_all();
  }

 private:
  void tell(std::string const& what, bool got, counted const& c, book& told) {
    told.tell(what, got);
    if (!got) return;
    if (in_order<Node>) {
      told.tell(what + " value", c.value);
    } else {
      told.known("buffer order", what + " value", c.value);
    }
  }
  void own(step const& s, std::string const& path, book& told) {
    if constexpr (std::is_same_v<Node, flow::overwrite_node<counted>> ||
                  std::is_same_v<Node, flow::write_once_node<counted>>) {
      if (s.b % 2 == 0) node_.clear();
      told.tell(path + " valid", node_.is_valid());
    }
  }

  flow::graph graph_;
  Node node_;
  bool reserved_ = false;
};

template <typename Node, typename... Arguments>
void play(step const& program, book& told, Arguments const&... arguments) {
  scene<Node> one(arguments...);
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    one.act(program.body[i], std::to_string(i) + " " + program.body[i].kind, told);
  }
}

void buffers(step const& program, book& told) {
  switch (program.a % 6) {
    case 0:
      return play<flow::buffer_node<counted>>(program, told);
    case 1:
      return play<flow::queue_node<counted>>(program, told);
    case 2:
      return play<flow::priority_queue_node<counted>>(program, told);
    case 3:
      return play<flow::sequencer_node<counted>>(program, told,
                                                 [](counted const& c) { return static_cast<std::size_t>(c.value); });
    case 4:
      return play<flow::overwrite_node<counted>>(program, told);
    default:
      return play<flow::write_once_node<counted>>(program, told);
  }
}

// A limiter alone: what it lets in depends on what was done before.
void limiter(step const& program, book& told) {
  flow::graph g;
  flow::limiter_node<counted, int> node(g, static_cast<std::size_t>(1 + program.a % 6));
  tally seen;
  flow::function_node<counted> sink(g, flow::serial, [&seen](counted const& c) { seen.add(c.value); });
  flow::make_edge(node, sink);
  bool cut = false;
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    step const& s = program.body[i];
    std::string const path = std::to_string(i) + " " + s.kind;
    if (s.kind == "put") {
      int taken = 0;
      for (int k = 0; k < s.n; ++k) {
        taken += node.try_put(counted(s.a + k)) ? 1 : 0;
        g.wait_for_all();
      }
      told.tell(path + " taken", taken);
    } else if (s.kind == "consume" || s.kind == "get") {
#if DIFFER_ONETBB
      told.tell(path + " decremented", node.decrementer().try_put(1 + s.a % 3));
#else
      told.tell(path + " decremented", node.decrement.try_put(1 + s.a % 3));
#endif
    } else if (s.kind == "cut") {
      cut ? flow::make_edge(node, sink) : flow::remove_edge(node, sink);
      cut = !cut;
    } else if (s.kind == "reset") {
      g.reset();
    }
    g.wait_for_all();
    told.tell(path + " seen", seen.count());
  }
  told.tell("messages", seen.sequence());
}

}  // namespace

void add_buffers(subjects& table) {
  table["buffers"] = buffers;
  table["limiter"] = limiter;
}

}  // namespace differ
