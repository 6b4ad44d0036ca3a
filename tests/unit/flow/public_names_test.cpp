// SPDX-License-Identifier: Apache-2.0
// What `using namespace tbb::flow` and arguments of its types bring into a program: public names only.
#include <tbb/flow_graph.h>

#include <doctest/doctest.h>

#include <type_traits>

// The library has parts of these names.
struct relay {};
struct outlet {};
struct position {};
struct living_node {};
struct node_output {};
struct node_set {};
struct function_input {};
struct successors {};
struct predecessors {};
struct round_receiver {};
struct source_base {};

namespace program {

template <typename... Args>
int keep_last(Args&&...) {
  return 1;
}
template <typename... Args>
int pass_on(Args&&...) {
  return 2;
}
template <typename... Args>
int tell_output(Args&&...) {
  return 3;
}
template <typename... Args>
int answer_of(Args&&...) {
  return 4;
}
template <typename... Args>
int put_into(Args&&...) {
  return 5;
}

}  // namespace program

using namespace tbb::flow;

TEST_CASE("names of a program beside `using namespace tbb::flow` are its own") {
  CHECK(std::is_empty_v<relay>);
  CHECK(std::is_empty_v<outlet>);
  CHECK(std::is_empty_v<position>);
  CHECK(std::is_empty_v<living_node>);
  CHECK(std::is_empty_v<node_output>);
  CHECK(std::is_empty_v<node_set>);
  CHECK(std::is_empty_v<function_input>);
  CHECK(std::is_empty_v<successors>);
  CHECK(std::is_empty_v<predecessors>);
  CHECK(std::is_empty_v<round_receiver>);
  CHECK(std::is_empty_v<source_base>);
}

TEST_CASE("functions of a program are its own, also with nodes as arguments") {
  using namespace program;
  graph g;
  broadcast_node<int> b(g);
  function_node<int, int> f(g, unlimited, [](int v) { return v; });
  queue_node<int> q(g);
  CHECK(keep_last(g, b, f) == 1);
  CHECK(pass_on(g, f, q) == 2);
  CHECK(tell_output(b, f) == 3);
  CHECK(answer_of(f) == 4);
  CHECK(put_into(q, b, 1) == 5);
}
