// SPDX-License-Identifier: Apache-2.0
// Examples of the reference's pages on the flow graph (docs/site/examples.py); those of other nodes are recipes of
// flow_cookbook.cpp.
#define TBB_PREVIEW_FLOW_GRAPH_RESOURCE_LIMITING 1
#include <tbb/flow_graph.h>
#include <atomic>
#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

using namespace tbb::flow;

namespace {

// Pages: tbb::flow::graph, tbb::flow::make_edge, tbb::flow::function_node
bool two_nodes() {
  int sum = 0;
  graph g;
  function_node<int, int> square(g, unlimited, [](int x) { return x * x; });  // any number of bodies at once
  function_node<int> add(g, serial, [&](int x) {                              // one at a time
    sum += x;
    return continue_msg();
  });
  make_edge(square, add);
  for (int i = 1; i <= 10; ++i) square.try_put(i);
  g.wait_for_all();
  return sum == 385;
}

// Pages: tbb::flow::remove_edge
bool removed() {
  graph g;
  broadcast_node<int> start(g);
  queue_node<int> kept(g);
  make_edge(start, kept);
  start.try_put(1);
  remove_edge(start, kept);
  start.try_put(2);  // nobody gets it
  g.wait_for_all();
  int got = 0;
  return kept.try_get(got) && got == 1 && !kept.try_get(got);
}

// Pages: tbb::flow::input_node
bool numbers() {
  int sum = 0, next = 0;
  graph g;
  input_node<int> source(g, [&](tbb::flow_control& control) {
    if (next == 10) control.stop();
    return next++;
  });
  function_node<int> add(g, serial, [&](int x) {
    sum += x;
    return continue_msg();
  });
  make_edge(source, add);
  source.activate();  // after the edges
  g.wait_for_all();
  return sum == 45;
}

// Pages: tbb::flow::multifunction_node, tbb::flow::output_port
bool odd_and_even() {
  using sorter = multifunction_node<int, std::tuple<int, int>>;
  int odd = 0, even = 0;
  graph g;
  sorter sort(g, unlimited, [](int x, sorter::output_ports_type& out) {
    if (x % 2 != 0) {
      std::get<0>(out).try_put(x);
    } else {
      std::get<1>(out).try_put(x);
    }
  });
  function_node<int> add_odd(g, serial, [&](int x) { return odd += x, continue_msg(); });
  function_node<int> add_even(g, serial, [&](int x) { return even += x, continue_msg(); });
  make_edge(output_port<0>(sort), add_odd);
  make_edge(output_port<1>(sort), add_even);
  for (int i = 1; i <= 10; ++i) sort.try_put(i);
  g.wait_for_all();
  return odd == 25 && even == 30;
}

// Pages: tbb::flow::continue_node, tbb::flow::continue_msg, tbb::flow::broadcast_node
bool after_both() {
  std::atomic<int> done{0};
  int seen = 0;
  graph g;
  broadcast_node<continue_msg> start(g);
  continue_node<continue_msg> left(g, [&](continue_msg const& m) { return ++done, m; });
  continue_node<continue_msg> right(g, [&](continue_msg const& m) { return ++done, m; });
  continue_node<continue_msg> both(
      g, [&](continue_msg const& m) { return seen = done, m; });  // once for one message of each predecessor
  make_edge(start, left);
  make_edge(start, right);
  make_edge(left, both);
  make_edge(right, both);
  start.try_put(continue_msg());
  g.wait_for_all();
  return seen == 2;
}

// Pages: tbb::flow::buffer_node, tbb::flow::queue_node, tbb::flow::priority_queue_node
bool stores() {
  graph g;
  buffer_node<int> any(g);
  queue_node<int> first_in_first_out(g);
  priority_queue_node<int> highest_first(g);
  for (int const i : {2, 3, 1}) {
    any.try_put(i);
    first_in_first_out.try_put(i);
    highest_first.try_put(i);
  }
  g.wait_for_all();
  int got = 0, first = 0, highest = 0;
  return any.try_get(got) && first_in_first_out.try_get(first) && first == 2 && highest_first.try_get(highest) &&
         highest == 3;
}

// Pages: tbb::flow::sequencer_node
bool in_order() {
  std::vector<std::size_t> order;
  graph g;
  sequencer_node<std::size_t> sequence(g, [](std::size_t x) { return x; });  // the number of a message, from 0
  function_node<std::size_t> write(g, serial, [&](std::size_t x) { return order.push_back(x), continue_msg(); });
  make_edge(sequence, write);
  for (std::size_t const i : {2, 0, 1}) sequence.try_put(i);
  g.wait_for_all();
  return order == std::vector<std::size_t>{0, 1, 2};
}

// Pages: tbb::flow::overwrite_node, tbb::flow::write_once_node
bool newest_and_first() {
  graph g;
  overwrite_node<int> newest(g);
  write_once_node<int> first(g);
  for (int const i : {1, 2, 3}) {
    newest.try_put(i);
    first.try_put(i);
  }
  int last = 0, once = 0;
  return newest.try_get(last) && last == 3 && first.try_get(once) && once == 1;  // they keep their value
}

// Pages: tbb::flow::limiter_node
bool three_at_once() {
  std::atomic<int> inside{0}, most{0};
  graph g;
  queue_node<int> waiting(g);
  limiter_node<int> gate(g, 3);
  function_node<int, continue_msg> work(g, unlimited, [&](int) {
    int const now = ++inside;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    --inside;
    return continue_msg();
  });
  make_edge(waiting, gate);
  make_edge(gate, work);
  make_edge(work, gate.decrementer());  // a message that is done makes room for another one
  for (int i = 0; i < 100; ++i) waiting.try_put(i);
  g.wait_for_all();
  return most <= 3 && inside == 0;
}

// Pages: tbb::flow::join_node, tbb::flow::input_port, tbb::flow::queueing
bool pairs() {
  int sum = 0;
  graph g;
  join_node<std::tuple<int, int>> both(g);  // queueing: the first of each port
  function_node<std::tuple<int, int>> add(g, serial, [&](std::tuple<int, int> const& pair) {
    sum += std::get<0>(pair) * std::get<1>(pair);
    return continue_msg();
  });
  make_edge(both, add);
  for (int i = 1; i <= 3; ++i) {
    input_port<0>(both).try_put(i);
    input_port<1>(both).try_put(10);
  }
  g.wait_for_all();
  return sum == 60;
}

// Pages: tbb::flow::key_matching, tbb::flow::tag_matching, tbb::flow::tag_value
struct price {
  int article, cents;
};
struct stock {
  int article, pieces;
};

bool same_article() {
  int worth = 0;
  graph g;
  join_node<std::tuple<price, stock>, key_matching<int>> same(
      g, [](price const& p) { return p.article; }, [](stock const& s) { return s.article; });
  function_node<std::tuple<price, stock>> add(g, serial, [&](std::tuple<price, stock> const& both) {
    worth += std::get<0>(both).cents * std::get<1>(both).pieces;
    return continue_msg();
  });
  make_edge(same, add);
  input_port<0>(same).try_put({1, 50});
  input_port<0>(same).try_put({2, 70});
  input_port<1>(same).try_put({2, 3});  // meets the price of article 2
  g.wait_for_all();
  return worth == 210;
}

// Pages: tbb::flow::reserving
bool with_a_buffer() {
  int pairs = 0;
  graph g;
  queue_node<int> jobs(g);
  queue_node<int> buffers(g);                          // a job waits for a free one
  join_node<std::tuple<int, int>, reserving> both(g);  // takes nothing until each port has a message
  function_node<std::tuple<int, int>, int> work(g, serial, [&](std::tuple<int, int> const& pair) {
    ++pairs;
    return std::get<1>(pair);
  });
  make_edge(jobs, input_port<0>(both));
  make_edge(buffers, input_port<1>(both));
  make_edge(both, work);
  make_edge(work, buffers);  // back again
  buffers.try_put(0);
  for (int i = 0; i < 10; ++i) jobs.try_put(i);
  g.wait_for_all();
  return pairs == 10;
}

// Pages: tbb::flow::split_node
bool parts_of_a_tuple() {
  graph g;
  split_node<std::tuple<int, std::string>> apart(g);
  queue_node<int> numbers(g);
  queue_node<std::string> names(g);
  make_edge(output_port<0>(apart), numbers);
  make_edge(output_port<1>(apart), names);
  apart.try_put({7, "seven"});
  g.wait_for_all();
  int number = 0;
  std::string name;
  return numbers.try_get(number) && names.try_get(name) && number == 7 && name == "seven";
}

// Pages: tbb::flow::tagged_msg, tbb::flow::is_a, tbb::flow::cast_to, tbb::flow::indexer_node
bool one_of_several_types() {
  int numbers = 0, names = 0;
  graph g;
  indexer_node<int, std::string> any(g);
  using message = indexer_node<int, std::string>::output_type;
  function_node<message> hear(g, serial, [&](message const& m) {
    if (is_a<int>(m)) numbers += cast_to<int>(m);
    if (is_a<std::string>(m)) ++names;
    return continue_msg();
  });
  make_edge(any, hear);
  input_port<0>(any).try_put(4);
  input_port<1>(any).try_put("two");
  g.wait_for_all();
  return numbers == 4 && names == 1;
}

// Pages: tbb::flow::rejecting, tbb::flow::lightweight, tbb::flow::queueing_lightweight,
// tbb::flow::rejecting_lightweight
bool policies() {
  int sum = 0;
  graph g;
  queue_node<int> waiting(g);
  function_node<int, int, rejecting> busy(g, serial,
                                          [](int x) { return x + 1; });  // what it refuses stays in the queue before it
  function_node<int, int, lightweight> quick(
      g, unlimited, [](int x) noexcept { return 2 * x; });  // called where the message comes, no task
  function_node<int> add(g, serial, [&](int x) { return sum += x, continue_msg(); });
  make_edge(waiting, busy);
  make_edge(busy, quick);
  make_edge(quick, add);
  for (int i = 0; i < 10; ++i) waiting.try_put(i);
  g.wait_for_all();
  return sum == 110;
}

// Pages: tbb::flow::node_priority_t, tbb::flow::no_priority
bool urgent() {
  int done = 0;
  graph g;
  function_node<int> soon(
      g, serial, [&](int) { return ++done, continue_msg(); },
      node_priority_t(2));  // before nodes with less and without
  function_node<int> later(g, serial, [&](int) { return ++done, continue_msg(); }, no_priority);
  soon.try_put(1);
  later.try_put(1);
  g.wait_for_all();
  return done == 2;
}

// Pages: tbb::flow::copy_body
struct counter {
  continue_msg operator()(int) {
    ++calls;
    return {};
  }
  int calls = 0;
};

bool state_of_a_body() {
  graph g;
  function_node<int> count(g, serial, counter());
  for (int i = 0; i < 5; ++i) count.try_put(i);
  g.wait_for_all();
  return copy_body<counter>(count).calls == 5;
}

// Pages: tbb::flow::follows, tbb::flow::precedes, tbb::flow::make_node_set, tbb::flow::make_edges
bool edges_with_the_nodes() {
  int sum = 0;
  graph g;
  broadcast_node<int> one(g), two(g);
  function_node<int> add(follows(one, two), serial,
                         [&](int x) { return sum += x, continue_msg(); });  // with an edge from each
  broadcast_node<int> start(precedes(one, two));
  auto both = make_node_set(one, two);
  function_node<int> count(g, serial, [&](int) { return sum += 100, continue_msg(); });
  make_edges(both, count);
  start.try_put(1);
  g.wait_for_all();
  return sum == 202;
}

// Pages: tbb::flow::resource_limited_node, tbb::flow::resource_limiter
struct file {
  int number;
};

bool two_files() {
  using writer = resource_limited_node<int, std::tuple<int>>;
  std::atomic<int> written{0};
  graph g;
  resource_limiter<file> files{file{1}, file{2}};
  writer write(g, unlimited, std::tie(files),
               [&](int const&, writer::output_ports_type&, file&) { ++written; });  // with a file of its own
  for (int i = 0; i < 10; ++i) write.try_put(i);
  g.wait_for_all();
  return written == 10;
}

// Pages: tbb::flow::reset_flags
bool another_run() {
  graph g;
  queue_node<int> left(g);
  left.try_put(1);
  g.wait_for_all();
  g.reset();  // messages go, edges stay; rf_clear_edges takes them, too, and rf_reset_bodies makes bodies new
  int got = 0;
  return !left.try_get(got);
}

}  // namespace

int main() {
  bool const right = two_nodes() && removed() && numbers() && odd_and_even() && after_both() && stores() &&
                     in_order() && newest_and_first() && three_at_once() && pairs() && same_article() &&
                     with_a_buffer() && parts_of_a_tuple() && one_of_several_types() && policies() && urgent() &&
                     state_of_a_body() && edges_with_the_nodes() && two_files() && another_run();
  std::printf("%s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
