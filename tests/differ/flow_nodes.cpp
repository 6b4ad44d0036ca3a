// SPDX-License-Identifier: Apache-2.0
// The nodes of a flow graph with one input.
#include "flow_net.h"

#include <thread>

namespace differ {

namespace {

constexpr std::size_t limits[] = {flow::serial, 2, flow::unlimited};

template <typename Policy>
void add_function(net& n, step const& s, std::string const& name, outlet const& in) {
  std::size_t const limit = limits[s.b % 3];
  record& r = n.make_record(name);
  r.ordered = in.ordered && limit == flow::serial;
  r.limit = static_cast<int>(limit);
  flaw* const f = s.wrong == fault::none ? nullptr : &n.wrong;
  if (f != nullptr) {
    f->kind = s.wrong;
    f->left = 1 + s.a % 9;
  }
  int const salt = s.a % 50;
  auto& node = n.make<flow::function_node<counted, counted, Policy>>(
      n.graph(), limit,
      [&n, &r, f, salt, own = calls()](counted const& x) { return counted(work(n, r, f, x.value, salt, own)); });
  n.link(*in.from, node);
  n.give(node, false, in.unique);
}

void function(net& n, step const& s, std::string const& name) {
  outlet& in = n.take(s.a);
  if (s.b / 3 % 4 == 1) {
    add_function<flow::queueing_lightweight>(n, s, name, in);
  } else {
    add_function<flow::queueing>(n, s, name, in);
  }
}

// It rejects what it has no room for; so it takes from a node that holds messages.
void rejecting(net& n, step const& s, std::string const& name) {
  outlet const in = n.take_held(s.a);
  if (s.b / 3 % 4 == 1) {
    add_function<flow::rejecting_lightweight>(n, s, name, in);
  } else {
    add_function<flow::rejecting>(n, s, name, in);
  }
}

void multifunction(net& n, step const& s, std::string const& name) {
  using node_type = flow::multifunction_node<counted, std::tuple<counted, counted>>;
  outlet const in = n.take(s.a);
  record& r = n.make_record(name);
  r.ordered = in.ordered && s.b % 3 == 0;
  r.limit = static_cast<int>(limits[s.b % 3]);
  int const salt = s.a % 50;
  auto& node = n.make<node_type>(
      n.graph(), limits[s.b % 3], [&n, &r, salt, own = calls()](counted const& x, node_type::output_ports_type& out) {
        int const made = work(n, r, nullptr, x.value, salt, own);
        bool const taken =
            made % 2 == 0 ? std::get<0>(out).try_put(counted(made)) : std::get<1>(out).try_put(counted(made));
        (void)taken;
      });
  n.link(*in.from, node);
  n.give(flow::output_port<0>(node), false, in.unique);
  n.give(flow::output_port<1>(node), false, in.unique);
}

void continues(net& n, step const& s, std::string const& name) {
  outlet const in = n.take(s.a);
  record& r = n.make_record(name);
  auto& before = n.make<flow::function_node<counted, flow::continue_msg>>(
      n.graph(), limits[s.b % 3], [](counted const&) { return flow::continue_msg(); });
  n.link(*in.from, before);
  int const salt = s.a % 50;
  auto& node = n.make<flow::continue_node<counted>>(
      n.graph(), s.b / 3 % 3,
      [&n, &r, salt, own = calls()](flow::continue_msg) { return counted(work(n, r, nullptr, 1, salt, own)); });
  n.connect(before, node);
  n.give(node, false, false);
}

template <typename Node>
void holds(net& n, step const& s, bool in_order) {
  outlet const in = n.take(s.a);
  auto& node = n.make<Node>(n.graph());
  n.link(*in.from, node);
  n.give(node, in.ordered && in_order, in.unique, true);
}

void queue(net& n, step const& s, std::string const&) { holds<flow::queue_node<counted>>(n, s, true); }
void buffer(net& n, step const& s, std::string const&) { holds<flow::buffer_node<counted>>(n, s, false); }
void priority(net& n, step const& s, std::string const&) { holds<flow::priority_queue_node<counted>>(n, s, false); }

template <typename Node>
void passes(net& n, step const& s) {
  outlet const in = n.take(s.a);
  auto& node = n.make<Node>(n.graph());
  n.link(*in.from, node);
  n.give(node, in.ordered, in.unique);
}

void broadcast(net& n, step const& s, std::string const&) { passes<flow::broadcast_node<counted>>(n, s); }
void overwrite(net& n, step const& s, std::string const&) { passes<flow::overwrite_node<counted>>(n, s); }

void source(net& n, step const& s, std::string const&) {
  auto& node = n.make<flow::broadcast_node<counted>>(n.graph());
  n.sources.push_back(&node);
  n.amounts.push_back(s.n % 60);
  n.give(node, true, true);
}

// Its messages come in another order, and leave in theirs.
void sequencer(net& n, step const& s, std::string const&) {
  auto& mixer =
      n.make<flow::function_node<counted, counted>>(n.graph(), limits[s.b % 3], [](counted const& x) { return x; });
  auto& node = n.make<flow::sequencer_node<counted>>(
      n.graph(), [](counted const& x) { return static_cast<std::size_t>(x.value); });
  n.connect(mixer, node);
  n.sources.push_back(&mixer);
  n.amounts.push_back(-(s.n % 60));  // of consecutive numbers over all rounds
  n.give(node, true, true, true);
}

#if DIFFER_ONETBB
void input(net& n, step const& s, std::string const&) {
  auto& node =
      n.make<flow::input_node<counted>>(n.graph(), [most = s.n % 60, next = 0](tbb::flow_control& control) mutable {
        if (next == most) {
          control.stop();
          return counted(0);
        }
        return counted(next++);
      });
  n.starts.push_back([&node] { node.activate(); });
  n.give(node, true, true);
}
#endif

void asynchronous(net& n, step const& s, std::string const& name) {
  using node_type = flow::async_node<counted, counted>;
  outlet const in = n.take(s.a);
  record& r = n.make_record(name);
  r.ordered = in.ordered && s.b % 3 == 0;
  r.limit = static_cast<int>(limits[s.b % 3]);
  int const salt = s.a % 50;
  bool const elsewhere = s.b / 3 % 4 == 0;
  auto& node =
      n.make<node_type>(n.graph(), limits[s.b % 3],
                        [&n, &r, salt, elsewhere, own = calls()](counted const& x, node_type::gateway_type& gateway) {
                          int const made = work(n, r, nullptr, x.value, salt, own);
                          if (!elsewhere) {
                            gateway.try_put(counted(made));
                            return;
                          }
                          gateway.reserve_wait();
                          std::thread([made, &gateway] {
                            gateway.try_put(counted(made));
                            gateway.release_wait();
                          }).detach();
                        });
  n.link(*in.from, node);
  n.give(flow::output_port<0>(node), false, in.unique);
}

}  // namespace

int work(net& n, record& r, flaw* f, int value, int salt, calls const& own) {
  int const call = own.next();
  for (int most = r.calls; most < call && !r.calls.compare_exchange_weak(most, call);) {
  }
  if (++r.inside > r.limit && r.limit > 0) r.crowded = true;
  r.seen.add(value);
  linger();
  --r.inside;
  if (f != nullptr && --f->left == 0) {
    if (f->kind == fault::exception) throw deliberate{5};
    n.cancel();
  }
  return (value * 3 + salt) % 10007;
}

outlet& net::take(int which) {
  for (std::size_t i = 0; i < outlets.size(); ++i) {
    outlet& o = outlets[(i + static_cast<std::size_t>(which)) % outlets.size()];
    if (o.holds && o.taken) continue;
    o.taken = true;
    return o;
  }
  source(*this, step{"source", 7, 0, 0, {}, {}}, "");
  outlets.back().taken = true;
  return outlets.back();
}

outlet net::take_held(int which) {
  outlet const in = take(which);
  if (in.holds) return in;
  auto& node = make<flow::queue_node<counted>>(graph());
  connect(*in.from, node);
  outlet made = in;
  made.from = &node;
  made.holds = true;
  return made;
}

void add_node(net& n, step const& s, std::string const& name) {
  using action = void (*)(net&, step const&, std::string const&);
  static std::map<std::string, action> const actions = {
      {"function", function},   {"rejecting", rejecting}, {"multifunction", multifunction}, {"continue", continues},
      {"queue", queue},         {"buffer", buffer},       {"priority", priority},           {"broadcast", broadcast},
      {"overwrite", overwrite}, {"source", source},       {"sequencer", sequencer},         {"async", asynchronous},
#if DIFFER_ONETBB
      {"input", input},
#endif
  };
  auto const found = actions.find(s.kind);
  if (found != actions.end()) return found->second(n, s, name + " " + s.kind);
  add_node_of_many(n, s, name + " " + s.kind);
}

}  // namespace differ
