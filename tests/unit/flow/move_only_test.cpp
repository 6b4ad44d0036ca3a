// SPDX-License-Identifier: Apache-2.0
// Messages that can only be moved, through each node that takes them; what needs a copy says so.
#include <tbb/flow_graph.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <vector>

using namespace tbb::flow;

namespace {

using message = std::unique_ptr<int>;
using pair_of = std::tuple<message, message>;

message make(int x) { return message(new int(x)); }

struct larger {
  bool operator()(message const& a, message const& b) const { return *a < *b; }
};

// Puts 0 to 3 into the node, and reads what comes out of it.
template <typename Node>
std::vector<int> through(graph& g, Node& node) {
  std::vector<int> seen;
  function_node<message> last(g, serial, [&](message const& m) { seen.push_back(*m); });
  make_edge(node, last);
  for (int i = 0; i < 4; ++i) CHECK(node.try_put(make(i)));
  g.wait_for_all();
  remove_edge(node, last);
  return seen;
}
std::vector<int> const in_order{0, 1, 2, 3};

}  // namespace

TEST_CASE("buffers keep messages that can only be moved, and hand them on") {
  graph g;
  buffer_node<message> buffer(g);
  CHECK(through(g, buffer).size() == 4);
  queue_node<message> queue(g);
  CHECK(through(g, queue) == in_order);
  sequencer_node<message> sequence(g, [](message const& m) { return static_cast<std::size_t>(*m); });
  CHECK(through(g, sequence) == in_order);
  priority_queue_node<message, larger> largest(g);
  for (int i : {2, 9, 5}) CHECK(largest.try_put(make(i)));
  g.wait_for_all();
  message m;
  for (int i : {9, 5, 2}) {
    REQUIRE(largest.try_get(m));
    CHECK(*m == i);
  }
}

TEST_CASE("a broadcast to one, and a rejecting node that pulls") {
  graph g;
  broadcast_node<message> one(g);
  CHECK(through(g, one) == in_order);
  std::vector<int> seen;
  queue_node<message> queue(g);
  function_node<message, continue_msg, rejecting> node(g, serial, [&](message const& m) { seen.push_back(*m); });
  make_edge(queue, node);
  for (int i = 0; i < 4; ++i) CHECK(queue.try_put(make(i)));
  g.wait_for_all();
  CHECK(seen == in_order);
}

TEST_CASE("a limiter passes such messages on, and asks a queue for them") {
  graph g;
  std::vector<int> seen;
  queue_node<message> queue(g);
  limiter_node<message> limiter(g, 1);
  function_node<message> last(g, serial, [&](message const& m) { seen.push_back(*m); });
  make_edge(queue, limiter);
  make_edge(limiter, last);
  make_edge(last, limiter.decrementer());
  for (int i = 0; i < 4; ++i) CHECK(queue.try_put(make(i)));
  g.wait_for_all();
  CHECK(seen == in_order);
}

TEST_CASE("joins make pairs of such messages, a split takes them apart, an indexer tags them") {
  graph g;
  std::vector<int> seen;
  auto const key = [](message const& m) { return static_cast<tag_value>(*m); };
  join_node<pair_of> queueing_join(g);
  join_node<pair_of, tag_matching> matching_join(g, key, key);
  split_node<pair_of> apart(g);
  indexer_node<message, message> tagged(g);
  using tagged_message = indexer_node<message, message>::output_type;
  function_node<tagged_message> last(g, serial, [&](tagged_message const& t) {
    seen.push_back(10 * static_cast<int>(t.tag()) + *cast_to<message>(t));
  });
  make_edge(queueing_join, apart);
  make_edge(matching_join, apart);
  make_edge(output_port<0>(apart), input_port<0>(tagged));
  make_edge(output_port<1>(apart), input_port<1>(tagged));
  make_edge(tagged, last);
  CHECK(input_port<0>(queueing_join).try_put(make(1)));
  CHECK(input_port<1>(queueing_join).try_put(make(2)));
  g.wait_for_all();
  std::sort(seen.begin(), seen.end());  // which port of the split goes first is not determined
  CHECK(seen == std::vector<int>{1, 12});
  seen.clear();
  CHECK(input_port<1>(matching_join).try_put(make(3)));
  CHECK(input_port<0>(matching_join).try_put(make(3)));
  g.wait_for_all();
  std::sort(seen.begin(), seen.end());
  CHECK(seen == std::vector<int>{3, 13});
}

TEST_CASE("a gateway takes such messages") {
  graph g;
  std::vector<int> seen;
  using asking = async_node<int, message>;
  asking node(g, serial, [](int x, asking::gateway_type& gateway) { gateway.try_put(make(x)); });
  function_node<message> last(g, serial, [&](message const& m) { seen.push_back(*m); });
  make_edge(node, last);
  for (int i = 0; i < 4; ++i) CHECK(node.try_put(i));
  g.wait_for_all();
  CHECK(seen == in_order);
  message const kept = make(1);
  CHECK_THROWS_AS(node.gateway().try_put(kept), std::logic_error);
}

TEST_CASE("a second receiver of such a message gets an exception") {
  graph g;
  int got = 0;
  broadcast_node<message> from(g);
  function_node<message> one(g, serial, [&](message const&) { ++got; });
  function_node<message> two(g, serial, [&](message const&) { ++got; });
  make_edge(from, one);
  CHECK(from.try_put(make(1)));
  g.wait_for_all();
  CHECK(got == 1);
  make_edge(from, two);
  CHECK_THROWS_AS(from.try_put(make(2)), std::logic_error);
  g.wait_for_all();
  CHECK(got == 1);
}

TEST_CASE("a wait for such a message") {
  graph g;
  int got = 0;
  queue_node<message> queue(g);
  function_node<message> last(g, serial, [&](message const& m) { got += *m; });
  make_edge(queue, last);
  CHECK(queue.try_put_and_wait(make(3)));
  CHECK(got == 3);
  write_once_node<int> full(g);
  CHECK(full.try_put_and_wait(1));
  int five = 5;
  CHECK_FALSE(full.try_put_and_wait(std::move(five)));
  limiter_node<message> closed(g, 0);
  message kept = make(1);
  CHECK_FALSE(closed.try_put_and_wait(std::move(kept)));
  CHECK(kept != nullptr);
  g.wait_for_all();
}
