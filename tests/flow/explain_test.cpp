// SPDX-License-Identifier: Apache-2.0
// What a graph tells of itself: its drawing, its counts, what is probably wrong with it, why a wait doesn't return.
// Ours only: no TBB has it.
#include "support/dialect.h"

#include <doctest/doctest.h>

#include "support/death.h"
#include "support/eventually.h"

#include <ashlar/sched/report/hang_report.h>
#include <sys/stat.h>
#include <tbb/profiling.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>

namespace {

using namespace test;
using namespace tbb::flow;
using test::source;

// What f prints.
template <typename F>
std::string printed(F f) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const to = open_memstream(&text, &size);
  REQUIRE(to != nullptr);
  f(to);
  std::fclose(to);
  std::string const all(text, size);
  std::free(text);
  return all;
}
std::string drawing(graph& g) {
  return printed([&](std::FILE* to) { g.dot(to); });
}
std::string explanation(graph& g) {
  return printed([&](std::FILE* to) { g.explain(to); });
}
std::string findings(graph& g, std::size_t number) {
  return printed([&](std::FILE* to) { CHECK(g.check(to) == number); });
}
bool has(std::string const& all, std::string const& part) { return all.find(part) != std::string::npos; }

#define CHECK_HAS(all, part)   \
  do {                         \
    CAPTURE(all);              \
    CHECK(has((all), (part))); \
  } while (false)

constexpr auto same = [](int x) { return x; };

TEST_CASE("a drawing has the nodes, the edges and their counts") {
  graph g;
  function_node<int, int> first(g, unlimited, same);
  queue_node<int> second(g);
  function_node<int, continue_msg, rejecting> third(g, serial, [](int) { return continue_msg(); });
  join_node<std::tuple<int, int>> pairs(g);
  tbb::profiling::set_name(g, "a \"graph\"");
  tbb::profiling::set_name(first, "first");
  make_edge(first, second);
  make_edge(second, third);
  make_edge(first, input_port<1>(pairs));
  g.count_messages();
  for (int i = 0; i < 5; ++i) {
    first.try_put(i);
    g.wait_for_all();
  }
  CHECK(drawing(g) ==
        "digraph \"a \\\"graph\\\"\" {\n"
        "  rankdir=LR;\n"
        "  node [shape=box];\n"
        "  n0 [label=\"first\\nfunction_node\\nunlimited\"];\n"
        "  n1 [label=\"queue_node 1\"];\n"
        "  n2 [label=\"function_node 2\\nlimit 1\"];\n"
        "  n3 [label=\"join_node 3\\nqueued 5\\nport 0 has 0 messages\\nport 1 has 5 messages\"];\n"
        "  n0 -> n1 [label=\"5\"];\n"
        "  n0 -> n3 [label=\"5\", headlabel=\"1\"];\n"
        "  n1 -> n2 [label=\"5\"];\n"
        "}\n");
}

TEST_CASE("messages are counted only while that is on, and none is lost by it") {
  with_threads(8, [] {
    graph g;
    std::atomic<int> sum{0};
    function_node<int, int> from(g, unlimited, same);
    function_node<int> to(g, serial, [&](int x) { sum += x; });
    make_edge(from, to);
    std::atomic<bool> stop{false};
    std::thread switcher([&] {
      while (!stop) {
        g.count_messages(true);
        drawing(g);
        g.count_messages(false);
      }
    });
    for (int round = 0; round < 100; ++round) {
      for (int i = 0; i < 20; ++i) from.try_put(1);
      g.wait_for_all();
    }
    stop = true;
    switcher.join();
    CHECK(sum == 2000);
    CHECK_HAS(drawing(g), "n0 -> n1 [];");
    g.count_messages(true);
    for (int i = 0; i < 7; ++i) from.try_put(1);
    g.wait_for_all();
    CHECK_HAS(drawing(g), "n0 -> n1 [label=\"7\"];");
  });
}

TEST_CASE("what a receiver refuses is counted, and a pulled edge is dashed") {
  with_threads(2, [] {
    graph g;
    std::atomic<bool> may_end{false}, began{false};
    queue_node<int> queue(g);
    function_node<int, continue_msg, rejecting> slow(g, serial, [&](int) {
      began = true;
      while (!may_end) std::this_thread::yield();
      return continue_msg();
    });
    make_edge(queue, slow);
    g.count_messages();
    std::thread other([&] {
      queue.try_put(1);
      g.wait_for_all();
    });
    CHECK(eventually([&] { return began.load(); }));
    queue.try_put(2);
    queue.try_put(3);
    CHECK_HAS(drawing(g), "n0 -> n1 [style=dashed, label=\"1\\nrefused 1\"];");
    std::string const why = explanation(g);
    CHECK_HAS(why, "work is under way");
    CHECK_HAS(why, "  queue_node 0: 2 messages wait\n    function_node 1 asks for a message when it has room\n");
    CHECK_HAS(why, "  function_node 1: 1 of 1 bodies run\n");
    may_end = true;
    other.join();
    g.wait_for_all();
    CHECK(!has(explanation(g), "queue_node"));
  });
}

TEST_CASE("check finds edges on which messages get lost") {
  graph g;
  function_node<int, int> from(g, unlimited, same);
  function_node<int, continue_msg, rejecting> to(g, serial, [](int) { return continue_msg(); });
  join_node<std::tuple<int, int>, reserving> pairs(g);
  make_edge(from, to);
  make_edge(from, input_port<0>(pairs));
  std::string const all = findings(g, 3);
  CHECK_HAS(
      all,
      "ashlar: flow graph: messages from function_node 0 to function_node 1 can get lost: function_node 1 refuses");
  CHECK_HAS(all, "never come to join_node (reserving) 2 (port 0), which takes only what it can reserve");
  CHECK_HAS(all, "join_node (reserving) 2 (port 1) has no predecessor to take messages from");
}

TEST_CASE("check finds nothing in a sound graph") {
  graph g;
  int left = 3;
  source<int> from_body(g, [left](int& v) mutable { return v = left, left-- > 0; });
  limiter_node<int> limit(g, 2);
  queue_node<int> queue(g);
  function_node<int, continue_msg, rejecting> to(g, serial, [](int) { return continue_msg(); });
  make_edge(from_body, limit);
  make_edge(limit, queue);
  make_edge(queue, to);
  make_edge(to, decrement_of(limit));
  from_body.activate();
  findings(g, 0);
  g.wait_for_all();
  findings(g, 0);
}

TEST_CASE("check finds double edges, other graphs, limiters without a way back, sources that don't begin") {
  graph g, other;
  broadcast_node<int> from(g);
  queue_node<int> to(g), elsewhere(other);
  make_edge(from, to);
  make_edge(from, to);
  make_edge(from, elsewhere);
  limiter_node<int> limit(g, 2);
  source<int> from_body(g, [](int&) { return false; });
  std::string const all = findings(g, 4);
  CHECK_HAS(all, "the edge from broadcast_node 0 to queue_node 1 was made more than once");
  CHECK_HAS(all, "broadcast_node 0: an edge leads to another graph");
  CHECK_HAS(all, "limiter_node 2 (decrement) has no predecessor");
  CHECK_HAS(all, "source 3: it is not activated yet");
  findings(other, 0);
}

TEST_CASE("explain tells what each node waits for") {
  graph g;
  CHECK_HAS(explanation(g), "nothing is under way");
  g.reserve_wait();
  sequencer_node<int> sequence(g, [](int x) { return static_cast<std::size_t>(x); });
  sequence.try_put(1);
  sequence.try_put(2);
  using pair = std::tuple<int, int>;
  join_node<pair, key_matching<int>> keys(g, same, same);
  input_port<0>(keys).try_put(17);
  continue_node<continue_msg> third(g, [](continue_msg) { return continue_msg(); });
  broadcast_node<continue_msg> one(g), two(g);
  make_edge(one, third);
  make_edge(two, third);
  one.try_put(continue_msg());
  limiter_node<int> limit(g, 1);
  queue_node<int> taker(g);
  make_edge(limit, taker);
  limit.try_put(5);
  std::string const why = explanation(g);
  CHECK_HAS(why, "reserve_wait was called 1 time more than release_wait: a wait doesn't return before\n");
  CHECK_HAS(why,
            "  sequencer_node 0: 2 messages wait\n    number 0 is missing: 2 later ones wait for it\n  join_node 1: 1 "
            "message "
            "waits\n");
  CHECK_HAS(why, "    keys that have come at some ports only: 1\n    port 0 has 1 of them\n    port 1 has 0 of them\n");
  CHECK_HAS(why, "  continue_node 2:\n    1 of 2 predecessors have sent: it fires when all have\n");
  CHECK_HAS(why, "    1 of 1 messages are under way: it waits for a decrement\n");
  CHECK_HAS(why, "  queue_node 6: 1 message waits\n    no successor takes them\n");
  g.release_wait();
  g.wait_for_all();
}

TEST_CASE("every kind of node is in the drawing, and each can be asked while messages run") {
  with_threads(4, [] {
    graph g;
    std::atomic<int> ended{0};
    broadcast_node<int> in(g);
    buffer_node<int> buffer(g);
    priority_queue_node<int> priorities(g);
    overwrite_node<int> latest(g);
    write_once_node<int> once(g);
    split_node<std::tuple<int, int>> split(g);
    indexer_node<int, int> index(g);
    multifunction_node<int, std::tuple<int, int>> both(
        g, serial, [](int x, multifunction_node<int, std::tuple<int, int>>::output_ports_type& ports) {
          std::get<0>(ports).try_put(x);
          std::get<1>(ports).try_put(x);
        });
    using answers = async_node<int, int>;
    answers async(g, unlimited, [](int x, answers::gateway_type& gate) { gate.try_put(x); });
    join_node<std::tuple<int, int>> pairs(g);
    function_node<std::tuple<int, int>> end(g, serial, [&](std::tuple<int, int> const&) { ++ended; });
    make_edge(in, buffer);
    make_edge(in, priorities);
    make_edge(in, latest);
    make_edge(in, once);
    make_edge(in, both);
    make_edge(in, async);
    make_edge(output_port<0>(both), input_port<0>(index));
    make_edge(output_port<1>(both), input_port<0>(pairs));
    make_edge(async, input_port<1>(pairs));
    make_edge(pairs, split);
    make_edge(pairs, end);
    std::atomic<bool> stop{false};
    std::thread painter([&] {
      while (!stop) {
        drawing(g);
        explanation(g);
      }
    });
    for (int i = 0; i < 500; ++i) in.try_put(i);
    g.wait_for_all();
    stop = true;
    painter.join();
    CHECK(ended == 500);
    std::string const all = drawing(g);
    for (char const* const kind : {"broadcast_node 0", "queue_node 1", "priority_queue_node 2", "overwrite_node 3",
                                   "write_once_node 4", "split_node 5", "indexer_node 6", "multifunction_node 7",
                                   "async_node 8", "join_node 9", "function_node 10"}) {
      CHECK_HAS(all, std::string("[label=\"") + kind);
    }
    CHECK_HAS(all, "n7 -> n9 [taillabel=\"1\", headlabel=\"0\"];");
  });
}

// Reports until one names the graph `stuck`.
std::string report_of_stuck_graph() {
  int const kept = dup(STDERR_FILENO);
  std::string all;
  CHECK(eventually([&] {
    std::FILE* const file = std::tmpfile();
    dup2(fileno(file), STDERR_FILENO);
    ashlar::sched::print_hang_report();
    dup2(kept, STDERR_FILENO);
    std::rewind(file);
    char line[512];
    all.clear();
    while (std::fgets(line, sizeof line, file) != nullptr) all += line;
    std::fclose(file);
    return has(all, "ashlar: flow graph stuck at ");
  }));
  close(kept);
  return all;
}

TEST_CASE("the hang report explains the graph that a thread waits for") {
  graph g;
  tbb::profiling::set_name(g, "stuck");
  function_node<int> node(g, serial, [](int) {});
  ashlar::sched::watch_for_hangs(60'000);  // waits are known while the watch is on
  g.reserve_wait();
  std::atomic<bool> done{false};
  std::thread waiter([&] {
    g.wait_for_all();
    done = true;
  });
  std::string const all = report_of_stuck_graph();
  CHECK_HAS(all, "  reserve_wait was called 1 time more than release_wait: a wait doesn't return before\n");
  CHECK(!done);
  g.release_wait();
  waiter.join();
  ashlar::sched::watch_for_hangs(0);
}

TEST_CASE("the hang report explains the graph of a message that a thread waits for") {
  graph g;
  tbb::profiling::set_name(g, "stuck");
  join_node<std::tuple<int, int>> pairs(g);
  function_node<std::tuple<int, int>> last(g, serial, [](std::tuple<int, int> const&) {});
  make_edge(pairs, last);
  ashlar::sched::watch_for_hangs(60'000);
  std::thread waiter([&] { input_port<0>(pairs).try_put_and_wait(1); });
  std::string const all = report_of_stuck_graph();
  CHECK_HAS(all, "waits for a message of a flow graph");
  CHECK_HAS(all, "    port 1 has 0 messages\n");
  input_port<1>(pairs).try_put(2);
  waiter.join();
  g.wait_for_all();
  ashlar::sched::watch_for_hangs(0);
}

// Run again by the next one.
TEST_CASE("a graph to be drawn" * doctest::skip()) {
  graph g;
  function_node<int, int> first(g, unlimited, same);
  queue_node<int> second(g);
  make_edge(first, second);
  tbb::profiling::set_name(first, "first");
  for (int i = 0; i < 5; ++i) first.try_put(i);
  g.wait_for_all();
}

TEST_CASE("ASHLAR_FLOW_DOT names the file for what each wait draws") {
  char name[] = "/tmp/ashlar_flow_XXXXXX";
  int const fd = mkstemp(name);
  REQUIRE(fd >= 0);
  close(fd);
  auto const run = [](char const* file) {
    return test::run_in_child([file] {
      setenv("ASHLAR_FLOW_DOT", file, 1);
      execl("/proc/self/exe", "flow_explain", "--no-skip", "--out=/dev/null", "--test-case=a graph to be drawn",
            static_cast<char*>(nullptr));
      _exit(127);
    });
  };
  test::death const end = run(name);
  CHECK(end.code == 0);
  CHECK(end.errors.empty());
  struct stat about;
  REQUIRE(stat(name, &about) == 0);
  mode_t const mask = umask(0);
  umask(mask);
  CHECK((about.st_mode & 0777) == (0666 & ~mask));
  std::ifstream from(name);
  std::string const text((std::istreambuf_iterator<char>(from)), std::istreambuf_iterator<char>());
  std::remove(name);
  CHECK_HAS(text, "digraph \"graph\"");
  CHECK_HAS(text, "first\\nfunction_node");
  CHECK_HAS(text, "n0 -> n1 [label=\"5\"]");
  REQUIRE(symlink("/nowhere/graph.dot", name) == 0);
  test::death const other = run(name);
  CHECK(other.code == 0);
  CHECK_HAS(other.errors, "not a regular file");
  CHECK(std::count(other.errors.begin(), other.errors.end(), '\n') == 1);
  REQUIRE(lstat(name, &about) == 0);
  CHECK(S_ISLNK(about.st_mode));
  std::remove(name);
  test::death const refused = run("/nowhere/graph.dot");
  CHECK(refused.code == 0);
  CHECK_HAS(refused.errors, "ASHLAR_FLOW_DOT");
  CHECK(std::count(refused.errors.begin(), refused.errors.end(), '\n') == 1);
}

}  // namespace
