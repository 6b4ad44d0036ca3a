// SPDX-License-Identifier: Apache-2.0
// Programs that are wrong, each in a process of its own with a time limit. What has to come of each is ours; what the
// peers do is told in the table, and checked when the test is compiled with one of them.
#define TBB_PREVIEW_FLOW_GRAPH_TRY_PUT_AND_WAIT 1
#include "support/dialect.h"

#include <doctest/doctest.h>

#include "support/death.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace test;
using fn = flow::function_node<int, int>;

// The exit code of a case that went as it has to. Another code tells the line of the first check that failed.
constexpr int right = 0;
#define EXPECT(condition)                                                        \
  do {                                                                           \
    if (!(condition)) {                                                          \
      std::fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition); \
      _exit(1);                                                                  \
    }                                                                            \
  } while (false)

int threads_of_case = 1;

enum class end { right, wrong, hangs, crashes, varies };

// A case that hangs is killed by SIGALRM after so many seconds: many times of what a right one takes. Peers are known
// to hang.
bool const quick = !ours && std::getenv("FLOW_SHORT") != nullptr;
unsigned limit_of(end expected) { return ours ? 60 : quick && expected == end::hangs ? 1 : 10; }

end end_of(death const& d) {
  if (d.exited) return d.code == right ? end::right : end::wrong;
  return d.code == SIGALRM ? end::hangs : end::crashes;
}

char const* name_of(end e) {
  char const* const names[] = {"right", "wrong", "hangs", "crashes", "varies"};
  return names[static_cast<int>(e)];
}

struct bad_case {
  char const* input;
  void (*run)();
  end onetbb, tbb2020;  // what the peers do
};

void wait_in_body() {
  graph g;
  std::atomic<int> caught{0};
  fn a(g, serial, [&](int x) {
    try {
      g.wait_for_all();
    } catch (std::exception const&) {  // tbb::unsafe_wait, which TBB 2020 has not
      ++caught;
    }
    return x;
  });
  a.try_put(1);
  g.wait_for_all();
  EXPECT(caught == 1);
  a.try_put(1);
  g.wait_for_all();
  EXPECT(caught == 2);
}

void put_after_exception() {
  graph g;
  std::atomic<int> n{0};
  fn a(g, serial, [&](int x) {
    ++n;
    if (x == 0) throw std::runtime_error("b");
    return x;
  });
  a.try_put(0);
  bool thrown = false;
  try {
    g.wait_for_all();
  } catch (std::runtime_error const&) {
    thrown = true;
  }
  EXPECT(thrown);
  EXPECT(a.try_put(1));
  g.wait_for_all();
  EXPECT(n == 2);
}

void put_after_cancel() {
  cancellable_graph g;
  std::atomic<int> n{0};
  fn a(*g, serial, [&](int x) {
    ++n;
    if (x == 3) g.cancel();
    return x;
  });
  for (int i = 0; i < 100; ++i) a.try_put(i);
  g->wait_for_all();
  EXPECT(g->is_cancelled());
  int const before = n;
  EXPECT(before < 100);
  if (classic) g->reset();  // the context is the user's
  EXPECT(a.try_put(1));
  g->wait_for_all();
  EXPECT(n == before + 1);
}

void two_failed_waits() {
  graph g;
  std::atomic<int> n{0};
  std::atomic<bool> thrown{false};
  flow::function_node<int> a(g, serial, [&](int) -> continue_msg {
    ++n;
    thrown = true;
    throw 5;
  });
  a.try_put(1);
  std::thread helper([&] {
    while (!thrown) std::this_thread::yield();
  });
  bool first = false;
  try {
    g.wait_for_all();
  } catch (int) {
    first = true;
  }
  helper.join();
  EXPECT(first);
  EXPECT(g.exception_thrown());
  EXPECT(a.try_put(2));
  bool again = false;
  try {
    g.wait_for_all();
  } catch (int) {
    again = true;
  }
  EXPECT(again);
  EXPECT(n == 2);
}

// With one thread no body runs before the wait.
void put_before_failed_wait() {
  graph g;
  std::atomic<int> n{0};
  flow::function_node<int> a(g, serial, [&](int) -> continue_msg {
    ++n;
    throw 5;
  });
  std::thread([&] { a.try_put(1); }).join();
  while (threads_of_case > 1 && n == 0) std::this_thread::yield();
  bool refused = false;
  for (int i = 0; i < 100000 && !refused && threads_of_case > 1; ++i) refused = !a.try_put(2);
  EXPECT(refused == (threads_of_case > 1));
  bool thrown = false;
  try {
    g.wait_for_all();
  } catch (int) {
    thrown = true;
  }
  EXPECT(thrown);
  EXPECT(g.exception_thrown());
}

void edge_twice() {
  graph g;
  std::atomic<int> n{0};
  flow::queue_node<int> q(g);
  flow::broadcast_node<int> b(g);
  flow::function_node<int> f(g, serial, [&](int) { return ++n, continue_msg(); });
  make_edge(q, f);
  make_edge(q, f);
  q.try_put(1);
  g.wait_for_all();
  EXPECT(n == 1);
  make_edge(b, f);
  make_edge(b, f);
  b.try_put(1);
  g.wait_for_all();
  EXPECT(n == 3);
}

void edge_never_made() {
  graph g;
  std::atomic<int> n{0};
  flow::queue_node<int> q(g);
  flow::function_node<int> f(g, serial, [&](int) { return ++n, continue_msg(); });
  flow::remove_edge(q, f);
  q.try_put(1);
  g.wait_for_all();
  EXPECT(n == 0);
}

void refusals() {
  graph g;
  flow::limiter_node<int> closed(g, 0);
  EXPECT(!closed.try_put(1));
  flow::sequencer_node<int> s(g, [](int x) { return static_cast<std::size_t>(x); });
  EXPECT(s.try_put(0));
  EXPECT(!s.try_put(0));
  g.wait_for_all();
  int x = -1;
  EXPECT(s.try_get(x));
  EXPECT(!s.try_get(x));
  EXPECT(!s.try_put(0));
  flow::join_node<std::tuple<int, int>, flow::tag_matching> j(
      g, [](int y) -> flow::tag_value { return static_cast<flow::tag_value>(y); },
      [](int y) -> flow::tag_value { return static_cast<flow::tag_value>(y); });
  EXPECT(flow::input_port<0>(j).try_put(1));
  EXPECT(!flow::input_port<0>(j).try_put(1));
  flow::write_once_node<int> w(g);
  EXPECT(w.try_put(1));
  EXPECT(!w.try_put(2));
  g.wait_for_all();
}

void wrong_cast() {
  using message = flow::indexer_node<int, std::string>::output_type;
  message const m(std::size_t(0), 3);
  bool thrown = false;
  try {
    (void)flow::cast_to<std::string>(m);
  } catch (std::runtime_error const&) {
    thrown = true;
  }
  EXPECT(thrown);
}

void lightweight_chain() {
  graph g;
  std::atomic<int> n{0};
  using node = flow::function_node<int, int, flow::lightweight>;
  std::vector<std::unique_ptr<node>> chain;
  for (std::size_t i = 0; i < 200000; ++i) {
    chain.emplace_back(new node(g, unlimited, [&](int x) noexcept { return ++n, x; }));
    if (i > 0) make_edge(*chain[i - 1], *chain[i]);
  }
  EXPECT(chain[0]->try_put(1));
  g.wait_for_all();
  EXPECT(n == 200000);
}

void lightweight_loop() {
  graph g;
  std::atomic<int> n{0};
  flow::function_node<int, int, flow::lightweight> a(g, unlimited, [&](int x) noexcept { return ++n, x + 1; });
  using node = flow::multifunction_node<int, std::tuple<int>, flow::lightweight>;
  node m(g, unlimited, [](int x, node::output_ports_type& ports) noexcept {
    if (x < 1000000) std::get<0>(ports).try_put(x);
  });
  make_edge(a, m);
  make_edge(flow::output_port<0>(m), a);
  a.try_put(0);
  g.wait_for_all();
  EXPECT(n == 1000000);
}

void release_too_often() {
  graph g;
  std::atomic<int> n{0};
  fn a(g, serial, [&](int x) { return ++n, x; });
  g.release_wait();
  g.wait_for_all();
  a.try_put(1);
  g.wait_for_all();
  EXPECT(n == 1);
}

void edge_between_graphs() {
  graph g, h;
  std::atomic<int> n{0};
  fn a(g, serial, [](int x) { return x; }), b(h, serial, [&](int x) { return ++n, x; });
  make_edge(a, b);
  a.try_put(1);
  g.wait_for_all();
  h.wait_for_all();
  EXPECT(n == 1);
}

void node_before_graph() {
  std::unique_ptr<graph> g(new graph);
  std::atomic<int> n{0};
  {
    fn a(*g, serial, [&](int x) { return ++n, x; }), b(*g, serial, [&](int x) { return ++n, x; });
    make_edge(a, b);
    a.try_put(1);
    g->wait_for_all();
  }
  g->wait_for_all();
  g.reset();
  EXPECT(n == 2);
}

void node_with_task_in_flight() {
  for (int i = 0; i < 100; ++i) {
    graph g;
    flow::queue_node<int> q(g);
    q.try_put(1);
    g.wait_for_all();
    int x = 0;
    EXPECT(q.try_reserve(x));
    EXPECT(q.try_release());
  }
}

void join_edge_without_wait() {
  for (int i = 0; i < 100; ++i) {
    graph g;
    flow::join_node<std::tuple<int, int>, flow::reserving> j(g);
    flow::queue_node<int> q(g);
    make_edge(q, flow::input_port<0>(j));
  }
}

#if !FLOW_CLASSIC
void wait_for_kept_message() {
  graph g;
  flow::overwrite_node<int> last(g);
  flow::write_once_node<int> first(g);
  flow::queue_node<int> kept(g);
  std::atomic<int> n{0};
  fn f(g, serial, [&](int x) { return ++n, x; });
  make_edge(last, f);
  EXPECT(last.try_put_and_wait(1));
  EXPECT(n == 1);
  EXPECT(first.try_put_and_wait(1));
  EXPECT(kept.try_put_and_wait(1));
  EXPECT(f.try_put_and_wait(1));
  EXPECT(n == 2);
}
#endif

void reservation_twice() {
  graph g;
  flow::queue_node<int> q(g);
  q.try_put(1);
  g.wait_for_all();
  int x = 0;
  EXPECT(q.try_reserve(x));
  EXPECT(!q.try_reserve(x));
  EXPECT(!q.try_get(x));
  EXPECT(q.try_release());
  g.wait_for_all();
  EXPECT(!q.try_release());
  g.wait_for_all();
  EXPECT(q.try_get(x));
}

void never_activated() {
  graph g;
  std::atomic<int> n{0};
  source<int> s(g, [&](int& x) { return x = ++n, false; });
  fn f(g, serial, [&](int x) { return ++n, x; });
  make_edge(s, f);
  g.wait_for_all();
  EXPECT(n == 0);
}

void destroyed_with_work() {
  std::atomic<bool> go{false};
  std::atomic<int> n{0};
  std::unique_ptr<graph> g(new graph);
  fn* const a = new fn(*g, serial, [&](int x) {
    while (!go) std::this_thread::yield();
    return ++n, x;
  });
  a->try_put(1);
  a->try_put(2);
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    go = true;
  });
  g.reset();
  EXPECT(n == 2);
  other.join();
}

void no_predecessors() {
  graph g;
  std::atomic<int> n{0};
  flow::continue_node<continue_msg> a(g, [&](continue_msg) { return ++n, continue_msg(); });
  for (int i = 0; i < 3; ++i) a.try_put(continue_msg());
  g.wait_for_all();
  EXPECT(n == 3);
}

void lossy_edge() {
  graph g;
  std::atomic<int> n{0}, passed{0};
  fn a(g, serial, [&](int x) { return ++passed, x; });
  flow::function_node<int, int, flow::rejecting> b(g, serial, [&](int x) { return ++n, x; });
  make_edge(a, b);
  for (int i = 0; i < 100; ++i) EXPECT(a.try_put(i));
  g.wait_for_all();
  EXPECT(passed == 100);
  EXPECT(n >= 1);
  EXPECT(n <= 100);
}

bad_case const cases[] = {
    {"wait_for_all in a body of the same graph", wait_in_body, end::hangs, end::hangs},
    {"a put after an exception, without a reset", put_after_exception, end::wrong, end::wrong},
    {"a put after a cancelled wait, without a reset", put_after_cancel, end::wrong, end::right},
    {"two failed waits, one after the other", two_failed_waits, end::wrong, end::wrong},
    {"a put after an exception, before the wait", put_before_failed_wait, end::wrong, end::wrong},
    {"an edge made twice", edge_twice, end::right, end::right},
    {"removing an edge that was never made", edge_never_made, end::right, end::right},
    {"refusals: threshold 0, duplicate numbers, keys, values", refusals, end::right, end::right},
    {"cast_to of the wrong type", wrong_cast, end::right, end::right},
    {"a chain of 200,000 lightweight nodes", lightweight_chain, end::crashes, end::crashes},
    {"a lightweight loop of a million rounds", lightweight_loop, end::hangs, end::hangs},
    {"release_wait without reserve_wait", release_too_often, end::hangs, end::hangs},
    {"an edge between two graphs", edge_between_graphs, end::right, end::right},
    {"a node destroyed before the graph, after the wait", node_before_graph, end::right, end::right},
    {"a node destroyed with a task in flight", node_with_task_in_flight, end::crashes, end::crashes},
    {"an edge to a reserving join, destroyed without a wait", join_edge_without_wait, end::varies, end::varies},
#if !FLOW_CLASSIC
    {"try_put_and_wait into nodes that keep the message", wait_for_kept_message, end::hangs, end::varies},
#endif
    {"a reservation made twice, released twice", reservation_twice, end::wrong, end::wrong},
    {"a source that is never activated", never_activated, end::right, end::right},
    {"a graph destroyed with work in flight", destroyed_with_work, end::right, end::right},
    {"a continue_node without predecessors", no_predecessors, end::right, end::right},
    {"an edge on which messages can get lost", lossy_edge, end::right, end::right},
};

// A child is forked from a process without threads.
TEST_CASE("bad input") {
  for (int const threads : {1, 2}) {
    if (quick && threads == 1) continue;
    for (bad_case const& one : cases) {
      end const wanted = ours ? end::right : classic ? one.tbb2020 : one.onetbb;
      threads_of_case = threads;
      death const d = run_in_child([&] {
        alarm(limit_of(wanted));
        with_threads(threads, [&] { one.run(); });
      });
      end const found = end_of(d);
      if (!ours) std::printf("%-60s %d threads: %s\n", one.input, threads, name_of(found));
      std::string const told =
          std::string(one.input) + ", " + std::to_string(threads) + " threads: " + name_of(found) + "\n" + d.errors;
      INFO(told);
      if (wanted != end::varies && (ours || threads == 2)) CHECK(found == wanted);
    }
  }
}

}  // namespace
