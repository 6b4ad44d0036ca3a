// SPDX-License-Identifier: Apache-2.0
// A node as docs/guide/add_a_node.md makes it: each message whose number is divisible by n is handed on. And what a
// node of the library must not forget.
#include <ashlar/flow/edges/node_output.h>
#include <ashlar/flow/edges/node_set.h>
#include <ashlar/flow/engine/living_node.h>
#include <ashlar/flow/work/relay.h>

#include <tbb/flow_graph.h>

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <type_traits>
#include <vector>

using namespace tbb::flow;

namespace {

namespace flow = ashlar::flow;

/// Sends each n-th message to all successors, and drops the others.
template <typename T>
class thinning_node : public flow::living_node, public flow::relay<T>, public flow::node_output<T> {
 public:
  thinning_node(flow::position<thinning_node> where, std::size_t n)
      : flow::living_node(where.its_graph()),
        flow::relay<T>(where.its_graph()),
        flow::node_output<T>(where.core()),
        n_(n),
        life_(*this, where) {}
  // What the other one was constructed with, and none of its edges.
  thinning_node(thinning_node const& other) : thinning_node(other.my_graph, other.n_) {}

 private:
  ashlar::sched::job* hand_on(T& v, flow::passage p) final {
    bool const goes = (seen_.fetch_add(1, ashlar::mo::relaxed) + 1) % n_ == 0;
    return goes ? this->broadcast(*this, v, p) : flow::accepted();
  }
  void reset_node(reset_flags f) override {
    seen_.store(0, ashlar::mo::relaxed);
    this->reset_output(f);
  }
  // After a cancelled wait the count begins again.
  void settle() override { seen_.store(0, ashlar::mo::relaxed); }
  void describe(flow::picture& to) override {
    to.kind("thinning_node");
    this->describe_input(to);
    this->describe_output(to);
    to.say("it has dropped the last %zu messages", seen_.load(ashlar::mo::relaxed) % n_);
  }
  life const& its_life() const noexcept override { return life_; }

  std::size_t const n_;
  ashlar::atomic<std::size_t> seen_{0};
  life const life_;
};

class forgetful_node : public flow::living_node {
 public:
  explicit forgetful_node(graph& g) : living_node(g) {}

 private:
  void reset_node(reset_flags) override {}
};

}  // namespace

TEST_CASE("a node hands on each third message") {
  graph g;
  thinning_node<int> thin(g, 3);
  std::vector<int> got;
  function_node<int> collect(g, serial, [&](int v) { got.push_back(v); });
  make_edge(thin, collect);
  for (int i = 1; i <= 10; ++i) CHECK(thin.try_put(i));
  g.wait_for_all();
  CHECK(got == std::vector<int>{3, 6, 9});

  g.reset();
  for (int i = 11; i <= 13; ++i) thin.try_put(i);
  g.wait_for_all();
  CHECK(got == std::vector<int>{3, 6, 9, 13});
}

TEST_CASE("a node is made before others, and copied without its edges") {
  graph g;
  std::atomic<int> got{0};
  function_node<int> count(g, unlimited, [&](int) { ++got; });
  thinning_node<int> thin(precedes(count), 2);
  thinning_node<int> copy(thin);
  for (int i = 0; i < 4; ++i) {
    thin.try_put(i);
    copy.try_put(i);
  }
  g.wait_for_all();
  CHECK(got == 2);
}

TEST_CASE("the end of a cancelled wait begins the count again") {
  graph g;
  std::atomic<int> got{0};
  function_node<int> count(g, unlimited, [&](int) { ++got; });
  thinning_node<int> thin(g, 2);
  make_edge(thin, count);
  thin.try_put(1);
  g.cancel();
  g.wait_for_all();
  thin.try_put(2);
  g.wait_for_all();
  CHECK(got == 0);
  thin.try_put(3);
  g.wait_for_all();
  CHECK(got == 1);
}

TEST_CASE("a node without a life can't be made") {
  CHECK(std::is_abstract_v<forgetful_node>);
  CHECK_FALSE(std::is_abstract_v<thinning_node<int>>);
}
