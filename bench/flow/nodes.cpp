// SPDX-License-Identifier: Apache-2.0
// What one step of a flow graph costs: chains, a wavefront, a tree, serial nodes, a loop, building, edges. README.md
// tells what each row does; --size is the number of rounds, or of messages where a row has no rounds.

#include "dialect.h"
#include "sampled.h"

#include <cstddef>
#include <memory>
#include <tuple>
#include <vector>

namespace {

namespace flow = tbb::flow;
using bench::rounds_of;
using bench::sampled;
using flow::continue_msg;
using flow::graph;
using flow::serial;
using flow::unlimited;
using continuing = flow::continue_node<continue_msg>;
using function = flow::function_node<int, int>;

// Nodes of a graph that counts what its last node got. The nodes' bodies are empty.
template <typename Node>
struct line {
  graph g;
  std::vector<std::unique_ptr<Node>> nodes;
  template <typename... Arguments>
  void add(Arguments const&... arguments) {
    nodes.emplace_back(new Node(g, arguments...));
    if (nodes.size() > 1) flow::make_edge(*nodes[nodes.size() - 2], *nodes.back());
  }
};

constexpr long chain_length = 1000;

int chain_continue(bench::options const& o) {
  line<continuing> l;
  long const rounds = rounds_of(o, 20);
  long runs = 0, wanted = 0;
  for (long i = 1; i < chain_length; ++i) l.add([](continue_msg) {});
  l.add([&runs](continue_msg) { ++runs; });
  return sampled(
      o, "ns/hop", static_cast<double>(rounds * chain_length),
      [&] {
        for (long i = 0; i < rounds; ++i) {
          l.nodes[0]->try_put(continue_msg());
          l.g.wait_for_all();
        }
        wanted += rounds;
      },
      [&] { return runs == wanted; });
}

template <typename Policy>
int chain_function(bench::options const& o) {
  line<flow::function_node<int, int, Policy>> l;
  long const rounds = rounds_of(o, 20);
  long runs = 0, wanted = 0;
  for (long i = 1; i < chain_length; ++i) l.add(unlimited, [](int x) noexcept { return x; });
  l.add(unlimited, [&runs](int x) noexcept { return ++runs, x; });
  return sampled(
      o, "ns/hop", static_cast<double>(rounds * chain_length),
      [&] {
        for (long i = 0; i < rounds; ++i) {
          l.nodes[0]->try_put(1);
          l.g.wait_for_all();
        }
        wanted += rounds;
      },
      [&] { return runs == wanted; });
}

int one(bench::options const& o) {
  graph g;
  long const rounds = rounds_of(o, 10'000);
  long runs = 0, wanted = 0;
  continuing node(g, [&runs](continue_msg) { ++runs; });
  return sampled(
      o, "ns/run", static_cast<double>(rounds),
      [&] {
        for (long i = 0; i < rounds; ++i) {
          node.try_put(continue_msg());
          g.wait_for_all();
        }
        wanted += rounds;
      },
      [&] { return runs == wanted; });
}

// A run of the whole graph, which begins at `first`: ours can freeze it, the peers put and wait.
template <bool Frozen>
class whole_run {
 public:
  whole_run(graph& g, continuing& first) : graph_(g), first_(first) {}
  void operator()() {
    first_.try_put(continue_msg());
    graph_.wait_for_all();
  }

 private:
  graph& graph_;
  continuing& first_;
};
#if __has_include(<ashlar/flow/frozen/frozen_graph.h>)
template <>
class whole_run<true> {
 public:
  whole_run(graph& g, continuing&) : frozen_(g) {}
  void operator()() { frozen_.run(); }

 private:
  flow::frozen_graph frozen_;
};
#endif

template <bool Frozen>
int wavefront(bench::options const& o) {
  constexpr std::size_t side = 100;
  graph g;
  long const rounds = rounds_of(o, 5);
  long runs = 0, wanted = 0;
  std::vector<std::unique_ptr<continuing>> cells;
  for (std::size_t i = 0; i + 1 < side * side; ++i) cells.emplace_back(new continuing(g, [](continue_msg) {}));
  cells.emplace_back(new continuing(g, [&runs](continue_msg) { ++runs; }));
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t j = 0; j < side; ++j) {
      if (i + 1 < side) flow::make_edge(*cells[i * side + j], *cells[(i + 1) * side + j]);
      if (j + 1 < side) flow::make_edge(*cells[i * side + j], *cells[i * side + j + 1]);
    }
  }
  whole_run<Frozen> run(g, *cells[0]);
  return sampled(
      o, "ns/node", static_cast<double>(rounds) * side * side,
      [&] {
        for (long i = 0; i < rounds; ++i) run();
        wanted += rounds;
      },
      [&] { return runs == wanted; });
}

int tree(bench::options const& o) {
  constexpr std::size_t inner = (std::size_t(1) << 10) - 1;
  graph g;
  long const rounds = rounds_of(o, 10);
  long runs = 0, wanted = 0;
  std::vector<std::unique_ptr<continuing>> out, in;
  for (std::size_t i = 0; i < 2 * inner + 1; ++i) out.emplace_back(new continuing(g, [](continue_msg) {}));
  in.emplace_back(new continuing(g, [&runs](continue_msg) { ++runs; }));
  for (std::size_t i = 1; i < inner; ++i) in.emplace_back(new continuing(g, [](continue_msg) {}));
  for (std::size_t i = 0; i < inner; ++i) {
    for (std::size_t const child : {2 * i + 1, 2 * i + 2}) {
      flow::make_edge(*out[i], *out[child]);
      flow::make_edge(child < inner ? *in[child] : *out[child], *in[i]);
    }
  }
  return sampled(
      o, "ns/node", static_cast<double>(rounds) * static_cast<double>(out.size() + in.size()),
      [&] {
        for (long i = 0; i < rounds; ++i) {
          out[0]->try_put(continue_msg());
          g.wait_for_all();
        }
        wanted += rounds;
      },
      [&] { return runs == wanted; });
}

// Four serial nodes; the last one sums up.
struct stages {
  explicit stages(graph& g)
      : a(g, serial, [](int x) { return x + 1; }),
        b(g, serial, [](int x) { return x + 1; }),
        c(g, serial, [](int x) { return x + 1; }),
        d(g, serial, [this](int x) { return sum += x, continue_msg(); }) {
    flow::make_edge(a, b);
    flow::make_edge(b, c);
    flow::make_edge(c, d);
  }
  function a, b, c;
  flow::function_node<int> d;
  long sum = 0;
};

int serial_put(bench::options const& o) {
  graph g;
  stages s(g);
  long const messages = rounds_of(o, 20'000);
  long wanted = 0;
  return sampled(
      o, "ns/message", static_cast<double>(messages),
      [&] {
        for (long i = 0; i < messages; ++i) s.a.try_put(static_cast<int>(i));
        g.wait_for_all();
        wanted += messages * (messages - 1) / 2 + 3 * messages;
      },
      [&] { return s.sum == wanted; });
}

int serial_source(bench::options const& o) {
  bool right = true;
  long const messages = rounds_of(o, 20'000);
  return sampled(
      o, "ns/message", static_cast<double>(messages),
      [&] {
        graph g;
        bench::flow_source<int> from(
            g, [n = 0L, messages](int& x) mutable { return x = static_cast<int>(n), n++ < messages; });
        stages s(g);
        flow::make_edge(from, s.a);
        from.activate();
        g.wait_for_all();
        right = right && s.sum == messages * (messages - 1) / 2 + 3 * messages;
      },
      [&] { return right; });
}

int feedback(bench::options const& o) {
  using node = flow::multifunction_node<int, std::tuple<int>>;
  graph g;
  long const iterations = rounds_of(o, 20'000);
  long runs = 0, wanted = 0;
  node loop(g, serial, [&runs](int x, node::output_ports_type& ports) {
    ++runs;
    if (x > 1) std::get<0>(ports).try_put(x - 1);
  });
  flow::make_edge(flow::output_port<0>(loop), loop);
  return sampled(
      o, "ns/iteration", static_cast<double>(iterations),
      [&] {
        loop.try_put(static_cast<int>(iterations));
        g.wait_for_all();
        wanted += iterations;
      },
      [&] { return runs == wanted; });
}

int build(bench::options const& o) {
  bool right = true;
  long const rounds = rounds_of(o, 5);
  return sampled(
      o, "ns/node", static_cast<double>(rounds * chain_length),
      [&] {
        for (long i = 0; i < rounds; ++i) {
          line<continuing> l;
          for (long n = 0; n < chain_length; ++n) l.add([](continue_msg) {});
          right = right && l.nodes.size() == chain_length;
        }
      },
      [&] { return right; });
}

// The last of 1000 edges of one node, removed and made again.
int edges(bench::options const& o) {
  graph g;
  long const rounds = rounds_of(o, 1'000);
  flow::broadcast_node<int> from(g);
  std::vector<std::unique_ptr<flow::queue_node<int>>> queues;
  for (long i = 0; i < 1000; ++i) {
    queues.emplace_back(new flow::queue_node<int>(g));
    flow::make_edge(from, *queues.back());
  }
  return sampled(
      o, "ns/pair", static_cast<double>(rounds),
      [&] {
        for (long i = 0; i < rounds; ++i) {
          flow::remove_edge(from, *queues.back());
          flow::make_edge(from, *queues.back());
        }
      },
      [&] {
        from.try_put(1);
        g.wait_for_all();
        int x = 0;
        return queues.back()->try_get(x) && !queues.back()->try_get(x);
      });
}

bench::flow_row const rows[] = {
    {"chain_continue", chain_continue},
    {"chain_function", chain_function<flow::queueing>},
    {"chain_light", chain_function<flow::lightweight>},
    {"one", one},
    {"wavefront", wavefront<false>},
    {"wavefront_frozen", wavefront<true>},
    {"tree", tree},
    {"serial_put", serial_put},
    {"serial_source", serial_source},
    {"feedback", feedback},
    {"build", build},
    {"edges", edges},
};

}  // namespace

int main(int argc, char** argv) { return bench::named_row(argc, argv, rows); }
