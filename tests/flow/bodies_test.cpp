// SPDX-License-Identifier: Apache-2.0
// What bodies may look like, what becomes of their results, and the small interfaces of nodes and messages.
#include "support/dialect.h"

#include <doctest/doctest.h>

#include "support/eventually.h"

#include <atomic>
#include <cfenv>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace {

using namespace test;

// ---- deduction

#if !FLOW_CLASSIC
int seven(continue_msg const&) { return 7; }
int eight(continue_msg const&) noexcept { return 8; }
struct overloaded {
  int operator()(int v) { return v + 1; }
  void operator()(int, int, int) {}
};
struct ref_qualified {
  int operator()(int v) & { return v + 1; }
};
struct const_ref_qualified {
  long operator()(int const& v) const& noexcept { return v + 1; }
};
struct keyed {
  int const number = 1;
  std::string name;
  keyed() = default;
  keyed(keyed const&) = default;
  keyed& operator=(keyed const& o) { return name = o.name, *this; }
  std::string get() const { return name; }
  std::string get_by_reference() const& { return name; }
};

template <typename Node, typename Wanted>
constexpr bool is = std::is_same_v<Node, Wanted>;

TEST_CASE("a node's messages follow from bodies of all kinds") {
  graph g;
  flow::continue_node counted(g, 1, seven);
  CHECK(is<decltype(counted), flow::continue_node<int>>);
  flow::continue_node counted_noexcept(g, 1, eight);
  CHECK(is<decltype(counted_noexcept), flow::continue_node<int>>);
  flow::continue_node urgent(g, seven, flow::node_priority_t(1));
  CHECK(is<decltype(urgent), flow::continue_node<int>>);
  flow::continue_node light(g, 1, seven, flow::lightweight());
  CHECK(is<decltype(light), flow::continue_node<int, flow::lightweight>>);
  flow::function_node one_of_two(g, unlimited, overloaded());
  CHECK(is<decltype(one_of_two), flow::function_node<int, int>>);
  flow::function_node by_reference(g, unlimited, ref_qualified());
  CHECK(is<decltype(by_reference), flow::function_node<int, int>>);
  flow::function_node by_const_reference(g, unlimited, const_ref_qualified());
  CHECK(is<decltype(by_const_reference), flow::function_node<int, long>>);
  flow::join_node by_member(g, &keyed::number, &keyed::number);
  CHECK(is<decltype(by_member), flow::join_node<std::tuple<keyed, keyed>, flow::key_matching<int>>>);
  flow::join_node by_getter(g, &keyed::get, &keyed::get);
  CHECK(is<decltype(by_getter), flow::join_node<std::tuple<keyed, keyed>, flow::key_matching<std::string>>>);
#ifndef FLOW_PEER
  flow::join_node by_other(g, &keyed::get_by_reference, &keyed::get_by_reference);
  CHECK(is<decltype(by_other), decltype(by_getter)>);
#endif

  int got = 0;
  flow::function_node<int> sink(g, serial, [&](int v) { return got = v, continue_msg(); });
  make_edge(counted, sink);
  counted.try_put(continue_msg());
  g.wait_for_all();
  CHECK(got == 7);
}
#endif

// ---- results

TEST_CASE("what a body returns is dropped where the node sends continue_msg") {
  graph g;
  int calls = 0, sum = 0;
  flow::continue_node<continue_msg> first(g, [&](continue_msg const&) { return ++calls; });
  flow::continue_node<continue_msg> second(g, [&](continue_msg const&) { return std::to_string(++calls); });
  flow::function_node<int> adds(g, serial, [&](int v) { return sum += v; });
  flow::function_node<int, continue_msg> says(g, serial, [&](int v) { return std::to_string(sum += v); });
  flow::function_node<continue_msg> last(g, serial, [&](continue_msg const&) { ++calls; });
  make_edge(first, second);
  make_edge(second, last);
  make_edge(adds, last);
  make_edge(says, last);
  first.try_put(continue_msg());
  for (int i = 1; i <= 4; ++i) adds.try_put(i);
  g.wait_for_all();
  says.try_put(10);
  g.wait_for_all();
  CHECK(calls == 2 + 1 + 4 + 1);
  CHECK(sum == 20);
}

// ---- where bodies run

// Whether a body runs within a put of a thread that has no task.
template <typename Put>
bool runs_within(bool const& ran, Put const& put) {
  bool within = false;
  std::thread([&] {
    put();
    within = ran;
  }).join();
  return within;
}

TEST_CASE("a lightweight continue_node's body runs within the put, though it may throw") {
  with_threads(1, [] {
    graph g;
    bool ran = false, ran_noexcept = false;
    flow::continue_node<continue_msg, flow::lightweight> may_throw(g, [&](continue_msg const&) { ran = true; });
    flow::continue_node<continue_msg, flow::lightweight> never(
        g, [&](continue_msg const&) noexcept { ran_noexcept = true; });
    CHECK(runs_within(ran, [&] { may_throw.try_put(continue_msg()); }));
    CHECK(runs_within(ran_noexcept, [&] { never.try_put(continue_msg()); }));
    g.wait_for_all();
  });
}

TEST_CASE("what a lightweight continue_node's body throws leaves the wait") {
  if (!ours) return;  // the put throws
  graph g;
  flow::continue_node<continue_msg, flow::lightweight> throws(g, [](continue_msg const&) { throw 1; });
  throws.try_put(continue_msg());
  CHECK_THROWS_AS(g.wait_for_all(), int);
}

TEST_CASE("an async_node is lightweight unless it is told otherwise") {
  using node = flow::async_node<int, int>;
  CHECK(std::is_same_v<node, flow::async_node<int, int, flow::queueing_lightweight>>);
  with_threads(1, [] {
    graph g;
    bool ran = false, ran_plain = false;
    node light(g, unlimited, [&](int, node::gateway_type&) noexcept { ran = true; });
    using plain = flow::async_node<int, int, flow::queueing>;
    plain heavy(g, unlimited, [&](int, plain::gateway_type&) noexcept { ran_plain = true; });
    CHECK(runs_within(ran, [&] { light.try_put(1); }));
    heavy.try_put(1);
    g.wait_for_all();
    CHECK(ran_plain);
  });
}

#ifndef FLOW_PEER
// A body that tries until its message is taken ends, though the graph is cancelled.
TEST_CASE("a body's put into a port beside an exception is no refusal") {
  with_threads(2, [] {
    graph g;
    flow::queue_node<int> to(g);
    std::atomic<bool> in_body{false};
    using multi = flow::multifunction_node<int, std::tuple<int>>;
    bool taken = false;
    multi puts(g, unlimited, [&](int x, multi::output_ports_type& ports) {
      in_body = true;
      CHECK(eventually([&] { return !to.try_put(0); }));
      taken = eventually([&] { return std::get<0>(ports).try_put(x); });
    });
    flow::function_node<int> fails(g, unlimited, [&](int x) -> continue_msg {
      eventually([&] { return in_body.load(); });
      throw x;
    });
    make_edge(flow::output_port<0>(puts), to);
    puts.try_put(1);
    fails.try_put(2);
    CHECK_THROWS_AS(g.wait_for_all(), int);
    CHECK(taken);
  });
}

#endif

// ---- messages

TEST_CASE("an indexer_node tells its types, and a tagged_msg takes another tag") {
  CHECK(std::is_same_v<flow::indexer_node<int, float>::tuple_types, std::tuple<int, float>>);
  flow::tagged_msg<std::size_t, int, double> m(std::size_t{1}, 5);
  m.set_tag(7);
  CHECK(m.tag() == 7);
  CHECK(flow::cast_to<int>(m) == 5);
}

// Counts the living.
struct counted {
  counted() { ++alive; }
  counted(counted const& o) : value(o.value) { ++alive; }
  counted& operator=(counted const&) = default;
  ~counted() { --alive; }
  int value = 0;
  static int alive;
};
int counted::alive = 0;

TEST_CASE("a tagged_msg keeps an array as an array") {
  using text = char[6];
  using message = flow::tagged_msg<std::size_t, int, text>;
  text hello = "hello";
  message const m(std::size_t{2}, hello);
  CHECK(flow::is_a<text>(m));
  CHECK(std::string(flow::cast_to<text>(m)) == "hello");
  message copy(m);
  copy = message(std::size_t{3}, 4);
  CHECK(flow::cast_to<int>(copy) == 4);
  copy = m;
  CHECK(std::string(flow::cast_to<text>(copy)) == "hello");
  {
    using objects = counted[2];
    objects some;
    some[1].value = 9;
    flow::tagged_msg<int, objects> kept(1, some), other(kept);
    other = kept;
    CHECK(flow::cast_to<objects>(other)[1].value == 9);
    CHECK(counted::alive == 6);
  }
  CHECK(counted::alive == 0);
}

#ifndef FLOW_PEER
TEST_CASE("a tagged_msg keeps an array of arrays, and the text of a literal as a pointer if no array is named") {
  using table = int[2][3];
  table numbers = {{1, 2, 3}, {4, 5, 6}};
  flow::tagged_msg<int, table> const m(1, numbers);
  CHECK(flow::cast_to<table>(m)[1][2] == 6);
  flow::tagged_msg<int, char const*> const t(1, "text");
  CHECK(std::string(flow::cast_to<char const*>(t)) == "text");
}

// ---- bodies of a class with an operator& of its own, and a function of the program's that is called invoke

struct unaddressable {
  int value = 0;
  void operator&() const = delete;
};
struct unaddressable_body {
  void operator&() const = delete;
  unaddressable operator()(unaddressable const& v) { return {v.value + ++calls}; }
  int calls = 0;
};

TEST_CASE("addresses of bodies and messages are taken past an operator& of theirs") {
  graph g;
  flow::function_node<unaddressable, unaddressable> f(g, serial, unaddressable_body());
  flow::function_node<unaddressable, unaddressable> copied(f);
  flow::queue_node<unaddressable> q(g);
  make_edge(f, q);
  f.try_put(unaddressable{5});
  g.wait_for_all();
  unaddressable out;
  CHECK(q.try_get(out));
  CHECK(out.value == 6);
  g.reset(flow::rf_reset_bodies);
  CHECK(flow::copy_body<unaddressable_body>(f).calls == 0);
}
}  // namespace
namespace own {
struct command {
  int number;
};
template <typename F>
int invoke(F&&, command const&) {
  return -1;
}
struct doubles {
  command operator()(command const& c) const { return {2 * c.number}; }
};
}  // namespace own
namespace {
TEST_CASE("a function of the program that is called invoke is not taken for the library's") {
  graph g;
  flow::function_node<own::command, own::command> f(g, serial, own::doubles());
  int got = 0;
  flow::function_node<own::command> sink(g, serial,
                                         [&](own::command const& c) { return got = c.number, continue_msg(); });
  make_edge(f, sink);
  f.try_put(own::command{21});
  g.wait_for_all();
  CHECK(got == 42);
}
#endif

// ---- floating-point settings

// A thread that changes its rounding after the library knows it must not give it to the bodies that it runs itself.
TEST_CASE("all bodies round as the graph's arena does, whoever runs them") {
  for (int const threads : {1, 2, 8}) {
    with_threads(threads, [] {
      graph g;
      std::atomic<int> wrong{0};
      flow::function_node<int> node(g, unlimited, [&](int) {
        if (std::fegetround() != FE_TONEAREST) ++wrong;
      });
      for (int const mode : {FE_UPWARD, FE_DOWNWARD}) {
        std::fesetround(mode);
        for (int i = 0; i < 50; ++i) node.try_put(i);
        g.wait_for_all();
        CHECK(std::fegetround() == mode);
      }
      std::fesetround(FE_TONEAREST);
      CHECK(wrong == 0);
    });
  }
}

// ---- macros

TEST_CASE("feature macros have the peers' values") {
  CHECK(__TBB_VARIADIC_MAX == 15);
#if !FLOW_CLASSIC
  CHECK(__TBB_PREVIEW_FLOW_GRAPH_NODE_SET == 1);
  CHECK(__TBB_PREVIEW_FLOW_GRAPH_TRY_PUT_AND_WAIT == 1);
  CHECK(TBB_HAS_FLOW_GRAPH_RESOURCE_LIMITING == 202608);
#ifndef FLOW_PEER
  CHECK(std::is_same_v<tbb::detail::d2::graph_task, flow::graph_task>);
  CHECK(tbb::detail::d2::SUCCESSFULLY_ENQUEUED == flow::SUCCESSFULLY_ENQUEUED);
  CHECK(tbb::detail::d2::message_metainfo().empty());
#else
  CHECK(tbb::detail::d2::message_metainfo().empty());
#endif
#endif
}

}  // namespace
