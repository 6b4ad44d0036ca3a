// SPDX-License-Identifier: Apache-2.0
// One node between many: edges that are made, made twice, removed and cleared while it holds, counts or waits; up to
// a hundred predecessors and successors. Who gets what, and what each body has counted.
#include "edge_scene.h"

#include <algorithm>

namespace differ {

namespace {

using pair = std::tuple<counted, counted>;

struct number_of {
  std::size_t operator()(counted const& c) const { return static_cast<std::size_t>(c.value); }
};
struct key_of {
  int operator()(counted const& c) const { return c.value; }
};

// What the node between them does.
template <typename Policy>
void function(edge_scene& e, std::size_t limit) {
  auto& node = e.make<flow::function_node<counted, counted, Policy>>(limit, [&e, own = calls()](counted const& x) {
    e.add_call(own.next());
    return x;
  });
  e.between(node, node, true);
}
void queueing_function(edge_scene& e) { function<flow::queueing>(e, flow::serial); }
void unlimited_function(edge_scene& e) { function<flow::queueing>(e, flow::unlimited); }
void rejecting_function(edge_scene& e) {
  e.senders_hold = true;
  function<flow::rejecting>(e, flow::serial);
}

void multifunction(edge_scene& e) {
  using node_type = flow::multifunction_node<counted, std::tuple<counted, counted>>;
  auto& node =
      e.make<node_type>(flow::serial, [&e, own = calls()](counted const& x, node_type::output_ports_type& out) {
        e.add_call(own.next());
        if (x.value % 2 == 0) std::get<0>(out).try_put(x);
        if (x.value % 2 != 0) std::get<1>(out).try_put(x);
        if (x.value % 3 == 0) std::get<0>(out).try_put(counted(x.value + 1));
      });
  e.between(node, flow::output_port<0>(node), true);
  e.more_sinks(flow::output_port<1>(node));
}

void continues(edge_scene& e, int predecessors) {
  e.counts = true;
  auto& node = e.make<flow::continue_node<counted>>(predecessors, [&e, own = calls()](flow::continue_msg) {
    int const call = own.next();
    e.add_call(call);
    return counted(call);
  });
  e.between(node, node, true);
}
void continue_of_edges(edge_scene& e) { continues(e, 0); }
void continue_of_more(edge_scene& e) { continues(e, 2); }

void asynchronous(edge_scene& e) {
  using node_type = flow::async_node<counted, counted>;
  auto& node = e.make<node_type>(flow::serial, [&e, own = calls()](counted const& x, node_type::gateway_type& gateway) {
    e.add_call(own.next());
    gateway.try_put(x);
  });
  e.between(node, flow::output_port<0>(node), true);
}

template <typename Node>
void copies(edge_scene& e) {
  auto& node = e.make<Node>();
  e.between(node, node, true);
}
template <typename Node>
void keeps(edge_scene& e) {
  auto& node = e.make<Node>();
  e.get = [&node] {
    std::vector<int> all;
    for (counted c; node.try_get(c);) all.push_back(c.value);
    std::sort(all.begin(), all.end());
    return all;
  };
  e.between(node, node, false);
}

void sequencer(edge_scene& e) {
  auto& node = e.make<flow::sequencer_node<counted>>(number_of());
  e.numbered = true;
  e.between(node, node, false);
}

void limiter(edge_scene& e) {
  auto& node = e.make<flow::limiter_node<counted>>(static_cast<std::size_t>(7));
  e.one_by_one = e.ins_stay = true;
#if DIFFER_ONETBB
  auto& decrement = node.decrementer();
#else
  auto& decrement = node.decrement;
#endif
  e.other = [&decrement] { decrement.try_put(flow::continue_msg()); };
  e.between(node, node, true);
}

template <typename Join>
void join(edge_scene& e, Join& node) {
  e.one_by_one = true;
  e.add_port(flow::input_port<0>(node));
  e.add_port(flow::input_port<1>(node));
  e.sinks_of(node, true);
}
void queueing_join(edge_scene& e) { join(e, e.make<flow::join_node<pair, flow::queueing>>()); }
void reserving_join(edge_scene& e) {
  e.senders_hold = e.ins_stay = true;
  e.values_open = true;  // of several predecessors that hold messages any may be asked
  join(e, e.make<flow::join_node<pair, flow::reserving>>());
}
// A second message with the same key is a known difference (docs/compatibility.md).
void key_join(edge_scene& e) {
  e.numbered = e.once = true;
  join(e, e.make<flow::join_node<pair, flow::key_matching<int>>>(key_of(), key_of()));
}

// Whether one without successors takes messages is a known difference: nobody keeps what it does not take.
void indexer(edge_scene& e) {
  e.never_hold = true;
  auto& node = e.make<flow::indexer_node<counted, counted>>();
  e.add_port(flow::input_port<0>(node));
  e.add_port(flow::input_port<1>(node));
  e.sinks_of(node, true);
}

#if DIFFER_ONETBB
void input(edge_scene& e) {
  auto& node = e.make<flow::input_node<counted>>([own = calls()](tbb::flow_control& control) {
    int const call = own.next();
    if (call > 6) control.stop();
    return counted(call);
  });
  e.other = [&node] { node.activate(); };
  e.sinks_of(node, true);
}
#endif

using centre = void (*)(edge_scene&);
constexpr centre centres[] = {
    copies<flow::broadcast_node<counted>>,
    copies<flow::overwrite_node<counted>>,
    copies<flow::write_once_node<counted>>,
    queueing_function,
    unlimited_function,
    rejecting_function,
    multifunction,
    continue_of_edges,
    continue_of_edges,
    continue_of_more,
    asynchronous,
    keeps<flow::queue_node<counted>>,
    keeps<flow::buffer_node<counted>>,
    keeps<flow::priority_queue_node<counted>>,
    sequencer,
    limiter,
    queueing_join,
    reserving_join,
    key_join,
    indexer,
#if DIFFER_ONETBB
    input,
#endif
};

constexpr flow::reset_flags flags[] = {flow::rf_reset_protocol, flow::rf_reset_bodies, flow::rf_clear_edges,
                                       static_cast<flow::reset_flags>(flow::rf_reset_bodies | flow::rf_clear_edges)};

void act(edge_scene& e, step const& s, std::string const& path, book& told) {
  auto const a = static_cast<std::size_t>(s.a);
  if (s.kind == "put" || s.kind == "burst") {
    e.put(a, s.n, s.b % 100, s.kind == "burst", path, told);
  } else if (s.kind == "link") {
    e.toggle(e.ins, a, s.n);
  } else if (s.kind == "sink") {
    e.toggle(e.outs, a, s.n);
  } else if (s.kind == "double") {
    if (!e.once) e.make_another(s.b % 2 == 0 ? e.ins : e.outs, a);
  } else if (s.kind == "all") {
    e.make_missing();
  } else if (s.kind == "other") {
    if (e.other) e.other();
  } else if (s.kind == "get") {
    if (e.get) told.tell(path + " got", e.get());
  } else if (s.kind == "reset") {
    e.reset(flags[a % 4], (a & 2) != 0);
  }
  e.graph().wait_for_all();
  e.tell(path, told);
}

// a: the node; b: how many predecessors, and what kind of successors; n: how many of these.
void edges(step const& program, book& told) {
  edge_scene e(program);
  centres[static_cast<std::size_t>(program.a) % std::size(centres)](e);
  if (program.a / 100 % 4 != 0) e.make_missing();
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    act(e, program.body[i], std::to_string(i) + " " + program.body[i].kind, told);
  }
}

}  // namespace

void add_edges(subjects& table) { table["edges"] = edges; }

}  // namespace differ
