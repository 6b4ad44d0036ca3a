// SPDX-License-Identifier: Apache-2.0
// Each kind of node of a flow graph, and graphs that come and go.
#include "cases.h"
#include "stream.h"

#include <tuple>

namespace growth {

namespace {

using namespace tbb::flow;  // its names are in all lines
using std::make_shared;
using pair = std::tuple<long, std::string>;

template <typename Policy = queueing>
auto functions(std::size_t limit) {
  return through([limit](graph& g, auto arrived) -> putting {
    auto const f =
        make_shared<function_node<long, std::string, Policy>>(g, limit, [](long i) noexcept { return some_text(i); });
    auto const end = sink<std::string>(g, arrived);
    make_edge(*f, *end);
    return holding([f](long i) { f->try_put(i); }, end);
  });
}
// A full node refuses, and takes from the queue before it later.
putting refusing(graph& g, std::function<void()> const& arrived) {
  auto const q = make_shared<queue_node<std::string>>(g);
  auto const f =
      make_shared<function_node<std::string, std::string, rejecting>>(g, 1, [](std::string const& s) { return s; });
  auto const end = sink<std::string>(g, arrived);
  make_edge(*q, *f);
  make_edge(*f, *end);
  return holding([q](long i) { q->try_put(some_text(i)); }, f, end);
}
putting multifunction(graph& g, std::function<void()> const& arrived) {
  using node = multifunction_node<long, std::tuple<std::string, long>>;
  auto const f = make_shared<node>(g, unlimited, [](long i, node::output_ports_type& ports) {
    if (i % 2 == 0) {
      std::get<0>(ports).try_put(some_text(i));
    } else {
      std::get<1>(ports).try_put(i);
    }
  });
  auto const texts = sink<std::string>(g, arrived);
  auto const numbers = sink<long>(g, arrived);
  make_edge(output_port<0>(*f), *texts);
  make_edge(output_port<1>(*f), *numbers);
  return holding([f](long i) { f->try_put(i); }, texts, numbers);
}
putting continued(graph& g, std::function<void()> const& arrived) {
  auto const f = make_shared<continue_node<std::string>>(g, [](continue_msg) { return some_text(7); });
  auto const end = sink<std::string>(g, arrived);
  make_edge(*f, *end);
  return holding([f](long) { f->try_put(continue_msg()); }, end);
}

// Nodes that hand on what they get.
template <typename Node>
auto relaying() {
  return through([](graph& g, auto arrived) -> putting {
    auto const n = make_shared<Node>(g);
    auto const end = sink<std::string>(g, arrived);
    make_edge(*n, *end);
    return holding([n](long i) { n->try_put(some_text(i)); }, end);
  });
}
putting sequencer(graph& g, std::function<void()> const& arrived) {
  auto const n =
      make_shared<sequencer_node<pair>>(g, [](pair const& p) { return static_cast<std::size_t>(std::get<0>(p)); });
  auto const end = sink<pair>(g, arrived);
  make_edge(*n, *end);
  return holding([n](long i) { n->try_put(pair(i, some_text(i))); }, end);
}
putting limiter(graph& g, std::function<void()> const& arrived) {
  auto const q = make_shared<queue_node<std::string>>(g);
  auto const n = make_shared<limiter_node<std::string>>(g, 50);
  auto const f = make_shared<function_node<std::string, continue_msg>>(
      g, unlimited, [](std::string const&) { return continue_msg(); });
  auto const end = sink<continue_msg>(g, arrived);
  make_edge(*q, *n);
  make_edge(*n, *f);
  make_edge(*f, n->decrementer());
  make_edge(*f, *end);
  return holding([q](long i) { q->try_put(some_text(i)); }, n, f, end);
}

// Two ways, which join again.
template <typename Join, typename... Arguments>
auto joined(Arguments... arguments) {
  return through([=](graph& g, auto arrived) -> putting {
    auto const b = make_shared<broadcast_node<long>>(g);
    auto const numbers = make_shared<function_node<long, long>>(g, unlimited, [](long i) { return i; });
    auto const texts =
        make_shared<function_node<long, pair>>(g, unlimited, [](long i) { return pair(i, some_text(i)); });
    auto const q = make_shared<queue_node<long>>(g);
    auto const r = make_shared<queue_node<pair>>(g);
    auto const j = make_shared<Join>(g, arguments...);
    auto const end = sink<std::tuple<long, pair>>(g, arrived);
    make_edge(*b, *numbers);
    make_edge(*b, *texts);
    make_edge(*numbers, *q);
    make_edge(*texts, *r);
    make_edge(*q, input_port<0>(*j));
    make_edge(*r, input_port<1>(*j));
    make_edge(*j, *end);
    return holding([b](long i) { b->try_put(i); }, numbers, texts, q, r, j, end);
  });
}
using two = std::tuple<long, pair>;

putting indexer(graph& g, std::function<void()> const& arrived) {
  using node = indexer_node<long, std::string>;
  auto const n = make_shared<node>(g);
  auto const end = sink<node::output_type>(g, arrived);
  make_edge(*n, *end);
  auto const put = [n](long i) {
    if (i % 2 == 0) {
      input_port<0>(*n).try_put(i);
    } else {
      input_port<1>(*n).try_put(some_text(i));
    }
  };
  return holding(put, end);
}
putting split(graph& g, std::function<void()> const& arrived) {
  auto const n = make_shared<split_node<pair>>(g);
  auto const numbers = sink<long>(g, [] {});
  auto const texts = sink<std::string>(g, arrived);
  make_edge(output_port<0>(*n), *numbers);
  make_edge(output_port<1>(*n), *texts);
  return holding([n](long i) { n->try_put(pair(i, some_text(i))); }, numbers, texts);
}
putting composite(graph& g, std::function<void()> const& arrived) {
  using outer = composite_node<std::tuple<long>, std::tuple<std::string>>;
  struct both : outer {
    explicit both(graph& h)
        : outer(h),
          numbers(h, unlimited, [](long i) { return i; }),
          texts(h, unlimited, [](long i) { return some_text(i); }) {
      make_edge(numbers, texts);
      outer::set_external_ports(outer::input_ports_type(numbers), outer::output_ports_type(texts));
    }
    function_node<long, long> numbers;
    function_node<long, std::string> texts;
  };
  auto const n = make_shared<both>(g);
  auto const end = sink<std::string>(g, arrived);
  make_edge(output_port<0>(*n), *end);
  return holding([n](long i) { input_port<0>(*n).try_put(i); }, end);
}
putting async(graph& g, std::function<void()> const& arrived) {
  using node = async_node<long, std::string>;
  auto const others = make_shared<tbb::task_arena>(1, 0);
  auto const n = make_shared<node>(g, unlimited, [others](long i, node::gateway_type& gateway) {
    gateway.reserve_wait();
    others->enqueue([i, &gateway] {
      gateway.try_put(some_text(i));
      gateway.release_wait();
    });
  });
  auto const end = sink<std::string>(g, arrived);
  make_edge(*n, *end);
  return holding([n](long i) { n->try_put(i); }, end);
}

// As many sources as the shape has makers; a limiter holds them back.
void inputs(run& r) {
  tbb::task_arena a(static_cast<int>(std::max(makers(r.form), enders(r.form))), 0);
  std::unique_ptr<graph> g;
  a.execute([&] { g = std::make_unique<graph>(); });
  limiter_node<std::string> limit(*g, 100);
  function_node<std::string, continue_msg> f(*g, r.form == shape::many_to_one ? serial : unlimited,
                                             [](std::string const&) { return continue_msg(); });
  make_edge(limit, f);
  make_edge(f, limit.decrementer());
  std::vector<std::unique_ptr<input_node<std::string>>> sources;
  for (unsigned s = 0; s < makers(r.form); ++s) {
    sources.push_back(std::make_unique<input_node<std::string>>(*g, [&r, i = 0L](tbb::flow_control& fc) mutable {
      if (!r.m.count(1)) fc.stop();
      return some_text(i++);
    }));
    make_edge(*sources.back(), limit);
  }
  for (auto const& s : sources) s->activate();
  g->wait_for_all();
}

struct small_graph {
  graph g;
  broadcast_node<long> b{g};
  function_node<long, std::string> texts{g, unlimited, [](long i) { return some_text(i); }};
  write_once_node<long> once{g};
  queue_node<long> q{g};
  join_node<std::tuple<std::string, long>, queueing> j{g};
  function_node<std::tuple<std::string, long>> end{g, serial, [](std::tuple<std::string, long> const&) {}};
  small_graph() {
    make_edge(b, texts);
    make_edge(b, once);
    make_edge(b, q);
    make_edge(texts, input_port<0>(j));
    make_edge(q, input_port<1>(j));
    make_edge(j, end);
  }
};
void graphs(run& r) {
  exchange_objects(
      r, 20,
      [](long i) {
        auto* const s = new small_graph;
        s->b.try_put(i);
        return s;
      },
      [](small_graph& s) {
        s.b.try_put(1);
        s.g.wait_for_all();
      });
}
void graphs_unfinished(run& r) {
  exchange_objects(
      r, 20,
      [](long i) {
        auto* const s = new small_graph;
        s->q.try_put(i);
        s->b.try_put(i);
        s->g.cancel();
        return s;
      },
      [](small_graph& s) { s.g.wait_for_all(); });
}
void graph_reset(run& r) {
  small_graph s;
  phases(
      r, 100, [&](long i) { s.b.try_put(i); },
      [&](long first, long) {
        if (first / 100 % 2 == 0) s.g.cancel();
        s.g.wait_for_all();
        s.g.reset();
      });
}
void edges(run& r) {
  graph g;
  broadcast_node<long> b(g);
  std::mutex lock;  // edges may change while messages pass, nodes may not come at the same time
  exchange(
      r, 20,
      [&](long i) {
        std::lock_guard const guard(lock);
        auto* const f = new function_node<long>(g, unlimited, [](long) {});
        make_edge(b, *f);
        if (i % 10 == 0) b.try_put(i);
        return reinterpret_cast<item>(f);
      },
      [&](item x) {
        std::lock_guard const guard(lock);
        auto* const f = reinterpret_cast<function_node<long>*>(x);
        remove_edge(b, *f);
        g.wait_for_all();
        delete f;
      });
}

}  // namespace

void add_flow(table& t) {
  t.push_back({"function_node", 100'000, functions(unlimited)});
  t.push_back({"function_node_serial", 100'000, functions(serial)});
  t.push_back({"function_node_lightweight", 100'000, functions<queueing_lightweight>(unlimited)});
  t.push_back({"function_node_rejecting", 100'000, through(refusing)});
  t.push_back({"multifunction_node", 100'000, through(multifunction)});
  t.push_back({"continue_node", 100'000, through(continued)});
  t.push_back({"broadcast_node", 100'000, relaying<broadcast_node<std::string>>()});
  t.push_back({"buffer_node", 100'000, relaying<buffer_node<std::string>>()});
  t.push_back({"queue_node", 100'000, relaying<queue_node<std::string>>()});
  t.push_back({"priority_queue_node", 100'000, relaying<priority_queue_node<std::string>>()});
  t.push_back({"overwrite_node", 100'000, relaying<overwrite_node<std::string>>()});
  t.push_back({"sequencer_node", 100'000, through(sequencer)});
  t.push_back({"limiter_node", 100'000, through(limiter)});
  t.push_back({"join_node_queueing", 50'000, joined<join_node<two, queueing>>()});
  t.push_back({"join_node_reserving", 50'000, joined<join_node<two, reserving>>()});
  t.push_back({"join_node_key", 50'000,
               joined<join_node<two, key_matching<long>>>([](long i) { return i; },
                                                          [](pair const& p) { return std::get<0>(p); })});
  t.push_back({"indexer_node", 100'000, through(indexer)});
  t.push_back({"split_node", 100'000, through(split)});
  t.push_back({"composite_node", 100'000, through(composite)});
  t.push_back({"async_node", 50'000, through(async)});
  t.push_back({"input_node", 100'000, inputs});
  t.push_back({"graphs", 5000, graphs});
  t.push_back({"graphs_unfinished", 5000, graphs_unfinished});
  t.push_back({"graph_reset", 50'000, graph_reset});
  t.push_back({"flow_edges", 20'000, edges});
}

}  // namespace growth
