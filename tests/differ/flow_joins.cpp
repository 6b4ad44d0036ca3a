// SPDX-License-Identifier: Apache-2.0
// The nodes of a flow graph with several inputs or outputs: joins of all policies, indexers, splits, limiters.
#include "flow_net.h"

namespace differ {

namespace {

using pair = std::tuple<counted, counted>;

// Behind a join. Which messages meet is determined if both come in order; else each pair gives the same value.
void behind_join(net& n, flow::sender<pair>& join, std::string const& name, bool ordered, bool keyed, int salt) {
  record& r = n.make_record(name);
  auto& node = n.make<flow::function_node<pair, counted>>(
      n.graph(), flow::unlimited, [&n, &r, ordered, salt, own = calls()](pair const& both) {
        int const value = ordered ? std::get<0>(both).value * 7 + std::get<1>(both).value * 11 : 3;
        return counted(work(n, r, nullptr, value, salt, own));
      });
  n.connect(join, node);
  n.give(node, false, keyed);
}

void queueing_join(net& n, step const& s, std::string const& name) {
  outlet const left = n.take(s.a);
  outlet const right = n.take(s.b);
  auto& join = n.make<flow::join_node<pair, flow::queueing>>(n.graph());
  n.link(*left.from, flow::input_port<0>(join));
  n.link(*right.from, flow::input_port<1>(join));
  behind_join(n, join, name, left.ordered && right.ordered, false, s.a % 50);
}

void reserving_join(net& n, step const& s, std::string const& name) {
  outlet const left = n.take_held(s.a);
  outlet const right = n.take_held(s.b);
  auto& join = n.make<flow::join_node<pair, flow::reserving>>(n.graph());
  n.link(*left.from, flow::input_port<0>(join));
  n.link(*right.from, flow::input_port<1>(join));
  behind_join(n, join, name, left.ordered && right.ordered, false, s.a % 50);
}

// Two ways for each message, which meet again.
template <typename Join, typename Key>
void meet_again(net& n, step const& s, std::string const& name) {
  outlet in = n.take(s.a);
  if (!in.unique) {
    add_node(n, step{"source", s.n, 0, 0, {}, {}}, name);
    in = n.outlets.back();
    n.outlets.back().taken = true;
  }
  auto& split = n.make<flow::broadcast_node<counted>>(n.graph());
  n.link(*in.from, split);
  auto& quick =
      n.make<flow::function_node<counted, counted>>(n.graph(), flow::unlimited, [](counted const& x) { return x; });
  auto& slow =
      n.make<flow::function_node<counted, counted>>(n.graph(), flow::serial, [](counted const& x) { return x; });
  n.connect(split, quick);
  n.connect(split, slow);
  auto const key = [](counted const& x) { return static_cast<Key>(x.value); };
  auto& join = n.make<Join>(n.graph(), key, key);
  n.connect(quick, flow::input_port<0>(join));
  n.connect(slow, flow::input_port<1>(join));
  behind_join(n, join, name, true, false, s.a % 50);
}

void key_join(net& n, step const& s, std::string const& name) {
  meet_again<flow::join_node<pair, flow::key_matching<int>>, int>(n, s, name);
}
void tag_join(net& n, step const& s, std::string const& name) {
  meet_again<flow::join_node<pair, flow::tag_matching>, flow::tag_value>(n, s, name);
}

void indexer(net& n, step const& s, std::string const& name) {
  using node_type = flow::indexer_node<counted, counted>;
  outlet const left = n.take(s.a);
  outlet const right = n.take(s.b);
  auto& node = n.make<node_type>(n.graph());
  n.link(*left.from, flow::input_port<0>(node));
  n.link(*right.from, flow::input_port<1>(node));
  record& r = n.make_record(name);
  int const salt = s.a % 50;
  auto& behind = n.make<flow::function_node<node_type::output_type, counted>>(
      n.graph(), flow::unlimited, [&n, &r, salt, own = calls()](node_type::output_type const& message) {
        int const value = flow::cast_to<counted>(message).value + 20000 * static_cast<int>(message.tag());
        return counted(work(n, r, nullptr, value, salt, own));
      });
  n.connect(node, behind);
  n.give(behind, false, false);
}

void splits(net& n, step const& s, std::string const&) {
  outlet const in = n.take(s.a);
  auto& doubles = n.make<flow::function_node<counted, pair>>(
      n.graph(), flow::unlimited, [](counted const& x) { return pair(x, counted(x.value + 1)); });
  auto& node = n.make<flow::split_node<pair>>(n.graph());
  n.link(*in.from, doubles);
  n.connect(doubles, node);
  n.give(flow::output_port<0>(node), false, in.unique);
  n.give(flow::output_port<1>(node), false, in.unique);
}

// All messages pass, for each that is done lets one more in; without that, as many as the limit.
void limiter(net& n, step const& s, std::string const& name) {
  using node_type = flow::multifunction_node<counted, std::tuple<counted, flow::continue_msg>>;
  outlet const in = n.take_held(s.a);
  auto& limit = n.make<flow::limiter_node<counted>>(n.graph(), static_cast<std::size_t>(1 + s.b % 9));
  n.link(*in.from, limit);
  bool const lets_in = s.b / 9 % 4 != 0;
  record& r = n.make_record(name);
  auto now = std::make_shared<std::atomic<int>>(0);
  int const most = 1 + s.b % 9;
  auto& node = n.make<node_type>(n.graph(), flow::unlimited,
                                 [&n, &r, lets_in, now, most, salt = s.a % 50, own = calls()](
                                     counted const& x, node_type::output_ports_type& out) {
                                   if (lets_in && ++*now > most) r.seen.add(-1);
                                   int const value = lets_in ? x.value : 1;
                                   std::get<0>(out).try_put(counted(work(n, r, nullptr, value, salt, own)));
                                   --*now;
                                   if (lets_in) std::get<1>(out).try_put(flow::continue_msg());
                                 });
  n.connect(limit, node);
#if DIFFER_ONETBB
  if (lets_in) n.connect(flow::output_port<1>(node), limit.decrementer());
#else
  if (lets_in) n.connect(flow::output_port<1>(node), limit.decrement);
#endif
  n.give(flow::output_port<0>(node), false, in.unique && lets_in);
}

// A limiter without a multifunction_node: what is behind it lets the next one in.
void gate(net& n, step const& s, std::string const& name) {
  outlet const in = n.take_held(s.a);
  auto& limit = n.make<flow::limiter_node<counted>>(n.graph(), static_cast<std::size_t>(1 + s.b % 9));
  n.link(*in.from, limit);
  record& r = n.make_record(name);
  auto& node = n.make<flow::function_node<counted, counted>>(
      n.graph(), flow::unlimited, [&n, &r, salt = s.a % 50, own = calls()](counted const& x) {
        return counted(work(n, r, nullptr, x.value, salt, own));
      });
  n.connect(limit, node);
  auto& leaves = n.make<flow::function_node<counted, flow::continue_msg>>(
      n.graph(), flow::unlimited, [](counted const&) { return flow::continue_msg(); });
  n.connect(node, leaves);
#if DIFFER_ONETBB
  n.connect(leaves, limit.decrementer());
#else
  n.connect(leaves, limit.decrement);
#endif
  n.give(node, false, in.unique);
}

}  // namespace

void add_node_of_many(net& n, step const& s, std::string const& name) {
  using action = void (*)(net&, step const&, std::string const&);
  static std::map<std::string, action> const actions = {{"queueing_join", queueing_join},
                                                        {"reserving_join", reserving_join},
                                                        {"key_join", key_join},
                                                        {"tag_join", tag_join},
                                                        {"indexer", indexer},
                                                        {"split", splits},
                                                        {"limiter", limiter},
                                                        {"gate", gate}};
  auto const found = actions.find(s.kind);
  if (found != actions.end()) found->second(n, s, name);
}

}  // namespace differ
