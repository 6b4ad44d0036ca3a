// SPDX-License-Identifier: Apache-2.0
// What a program written for oneTBB may write with its flow graph: buffers, joins, ports, limiters, composites, and
// nodes of its own. It compiles with oneTBB's own headers as well, so it states oneTBB's interface and not ours.
// Compiled only.
#include <tbb/flow_graph.h>

#include <functional>
#include <string>
#include <tuple>
#include <type_traits>

namespace {

namespace flow = tbb::flow;
using flow::continue_msg;
using flow::graph;

template <typename A, typename B>
constexpr bool same = std::is_same_v<A, B>;

template <typename Node>
void buffer(Node& node) {
  using type = typename Node::output_type;
  static_assert(same<typename Node::input_type, type>);
  static_assert(same<typename Node::predecessor_type, flow::sender<type>>);
  static_assert(same<typename Node::successor_type, flow::receiver<type>>);
  static_assert(std::is_base_of_v<flow::receiver<type>, Node> && std::is_base_of_v<flow::sender<type>, Node>);
  Node copied(node);
  type value{};
  (void)(node.try_put(value) && node.try_get(value) && node.try_reserve(value) && node.try_release() &&
         node.try_consume());
  flow::make_edge(node, copied);
  flow::remove_edge(node, copied);
}

void buffers() {
  graph g;
  flow::broadcast_node<int> all(g), all_copied(all);
  flow::buffer_node<int> any(g);
  flow::queue_node<std::string> first(g);
  flow::priority_queue_node<int> largest(g), largest2(g, std::less<int>());
  flow::priority_queue_node<int, std::greater<int>> smallest(g);
  auto const number = [](int x) -> std::size_t { return static_cast<std::size_t>(x); };
  flow::sequencer_node<int> ordered(g, number);
  flow::overwrite_node<int> last(g);
  flow::write_once_node<int> once(g);
  buffer(all);
  buffer(any);
  buffer(first);
  buffer(largest);
  buffer(smallest);
  buffer(ordered);
  buffer(last);
  buffer(once);
  (void)(last.is_valid() && once.is_valid());
  last.clear();
  once.clear();
  flow::sequencer_node deduced(g, [](int const& x) -> std::size_t { return static_cast<std::size_t>(x); });
  static_assert(same<decltype(deduced), flow::sequencer_node<int>>);
  flow::priority_queue_node copied(largest);
  static_assert(same<decltype(copied), flow::priority_queue_node<int>>);
  flow::queue_node queue_copied(first);
  flow::buffer_node any_copied(any);
  flow::broadcast_node broadcast_copied(all);
  flow::overwrite_node last_copied(last);
  flow::write_once_node once_copied(once);
  static_assert(same<decltype(once_copied), flow::write_once_node<int>>);
  g.wait_for_all();
}

void limiters() {
  graph g;
  flow::limiter_node<int> l(g, 3), copied(l);
  flow::limiter_node<int, int> counted(g, 3);
  flow::limiter_node<int, long long> far(g, 3);
  flow::queue_node<int> q(g);
  flow::broadcast_node<continue_msg> done(g);
  flow::broadcast_node<int> some(g);
  flow::make_edge(q, l);
  flow::make_edge(done, l.decrementer());
  flow::make_edge(some, counted.decrementer());
  flow::remove_edge(done, l.decrementer());
  flow::receiver<continue_msg>& decrement = l.decrementer();
  flow::receiver<int>& by_number = counted.decrementer();
  decrement.try_put(continue_msg());
  by_number.try_put(-2);
  (void)l.try_put(1);
  flow::limiter_node copied2(l);
  static_assert(same<decltype(copied2), flow::limiter_node<int>>);
  g.wait_for_all();
}

void joins() {
  graph g;
  using pair = std::tuple<int, std::string>;
  flow::join_node<pair> by_default(g);
  flow::join_node<pair, flow::queueing> queueing(g);
  flow::join_node<pair, flow::reserving> reserving(g);
  static_assert(same<decltype(by_default)::output_type, pair>);
  static_assert(same<flow::join_node<pair>, flow::join_node<pair, flow::queueing>>);
  auto const key0 = [](int const& x) -> int { return x; };
  auto const key1 = [](std::string const& x) -> int { return static_cast<int>(x.size()); };
  flow::join_node<pair, flow::key_matching<int>> keys(g, key0, key1);
  auto const tag0 = [](int x) -> flow::tag_value { return static_cast<flow::tag_value>(x); };
  auto const tag1 = [](std::string const& x) -> flow::tag_value { return x.size(); };
  flow::join_node<pair, flow::tag_matching> tags(g, tag0, tag1);
  flow::join_node<std::tuple<int, int, int>, flow::key_matching<int>> three(g, key0, key0, key0);
  flow::join_node<std::tuple<int, int, int, int, int, int, int, int, int, int>> ten(g), ten_copied(ten);
  flow::join_node<std::tuple<int, int, int, int, int, int, int, int, int, int, int, int>> twelve(g);
  flow::join_node<pair> copied(queueing);
  flow::join_node<pair, flow::tag_matching> tags_copied(tags);
  flow::queue_node<int> q(g);
  flow::queue_node<std::string> s(g);
  flow::make_edge(q, flow::input_port<0>(queueing));
  flow::make_edge(s, flow::input_port<1>(queueing));
  flow::make_edge(q, std::get<0>(reserving.input_ports()));
  flow::make_edge(q, keys);  // port 0
  flow::remove_edge(q, keys);
  flow::function_node<pair> f(g, flow::serial, [](pair const&) { return continue_msg(); });
  flow::make_edge(queueing, f);
  flow::input_port<0>(by_default).try_put(1);
  pair out;
  (void)by_default.try_get(out);
  flow::join_node deduced(g, key0, key1);
  static_assert(same<decltype(deduced), flow::join_node<pair, flow::key_matching<int>>>);
  flow::join_node deduced_copy(queueing);
  static_assert(same<decltype(deduced_copy), flow::join_node<pair, flow::queueing>>);
  g.wait_for_all();
}

void splits_and_indexers() {
  graph g;
  using pair = std::tuple<int, std::string>;
  flow::split_node<pair> split(g), split_copied(split);
  static_assert(same<flow::split_node<pair>::input_type, pair>);
  flow::queue_node<int> q(g);
  flow::queue_node<std::string> s(g);
  flow::make_edge(flow::output_port<0>(split), q);
  flow::make_edge(std::get<1>(split.output_ports()), s);
  split.try_put(pair(1, "a"));
  using indexer = flow::indexer_node<int, std::string>;
  indexer index(g), index_copied(index);
  using message = indexer::output_type;
  flow::make_edge(q, flow::input_port<0>(index));
  flow::make_edge(s, std::get<1>(index.input_ports()));
  flow::function_node<message> f(g, flow::serial, [](message const& m) {
    (void)(m.tag() == 0 ? m.cast_to<int>() : static_cast<int>(flow::cast_to<std::string>(m).size()));
    (void)(m.is_a<int>() || flow::is_a<std::string>(m) || m.is_default_constructed());
    return continue_msg();
  });
  flow::make_edge(index, f);
  message const empty, number(std::size_t(0), 1), copied(number);
  using own = flow::tagged_msg<std::size_t, int, char>;
  own const mine(1, 'c');
  (void)(mine.tag() + static_cast<std::size_t>(flow::cast_to<char>(mine)));
  flow::split_node deduced(split);
  flow::indexer_node deduced_index(index);
  static_assert(same<decltype(deduced), flow::split_node<pair>> && same<decltype(deduced_index), indexer>);
  flow::indexer_node<int, int, int, int, int, int, int, int, int, int> ten(g);
  g.wait_for_all();
}

class adder : public flow::composite_node<std::tuple<int, int>, std::tuple<int>> {
  using base = flow::composite_node<std::tuple<int, int>, std::tuple<int>>;

 public:
  explicit adder(graph& g)
      : base(g),
        join_(g),
        sum_(g, flow::serial, [](std::tuple<int, int> const& t) { return std::get<0>(t) + std::get<1>(t); }) {
    flow::make_edge(join_, sum_);
    base::input_ports_type inputs(flow::input_port<0>(join_), flow::input_port<1>(join_));
    base::output_ports_type outputs(sum_);
    base::set_external_ports(inputs, outputs);
    base::add_visible_nodes(join_);
    base::add_nodes(sum_);
  }

 private:
  flow::join_node<std::tuple<int, int>> join_;
  flow::function_node<std::tuple<int, int>, int> sum_;
};

void composites() {
  graph g;
  adder a(g);
  static_assert(!std::is_copy_constructible_v<adder>);
  flow::queue_node<int> in(g), out(g);
  flow::make_edge(in, flow::input_port<0>(a));
  flow::make_edge(in, flow::input_port<1>(a));
  flow::make_edge(flow::output_port<0>(a), out);
  (void)std::get<0>(a.input_ports()).try_put(1);
  (void)&std::get<0>(a.output_ports());
  using source = flow::composite_node<std::tuple<>, std::tuple<int>>;
  using sink = flow::composite_node<std::tuple<int>, std::tuple<>>;
  source only_out(g);
  sink only_in(g);
  only_out.set_external_ports(source::output_ports_type(out));
  only_in.set_external_ports(sink::input_ports_type(in));
  only_in.add_nodes(in);
  only_out.add_visible_nodes(out);
  g.wait_for_all();
}

}  // namespace

// What a program that only needs the names may use.
void flow_buffer_names() {
  buffers();
  limiters();
  joins();
  splits_and_indexers();
  composites();
}
