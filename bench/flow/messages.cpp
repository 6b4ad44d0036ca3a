// SPDX-License-Identifier: Apache-2.0
// What a message costs that meets others, waits, or is answered: joins, limiter, async_node, broadcast_node, memory,
// sleeping bodies, a wait for one message. README.md tells what each row does; --size is the number of messages.
// Compiled with BENCH_PUT_AND_WAIT the preview try_put_and_wait is on, for the rows put_and_wait and put_wait_all
// alone.
#ifdef BENCH_PUT_AND_WAIT
#define TBB_PREVIEW_FLOW_GRAPH_TRY_PUT_AND_WAIT 1
#endif
#include "dialect.h"
#include "sampled.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
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
using function = flow::function_node<int, int>;
using pair = std::tuple<int, int>;

template <typename Join>
int joined(bench::options const& o, Join& join, graph& g, flow::receiver<int>& first, flow::receiver<int>& second) {
  long const pairs = rounds_of(o, 20'000);
  long sum = 0, wanted = 0;
  flow::function_node<pair> sink(
      g, serial, [&sum](pair const& p) { return sum += std::get<0>(p) + std::get<1>(p), continue_msg(); });
  flow::make_edge(join, sink);
  return sampled(
      o, "ns/pair", static_cast<double>(pairs),
      [&] {
        for (long i = 0; i < pairs; ++i) {
          first.try_put(static_cast<int>(i));
          second.try_put(static_cast<int>(i));
        }
        g.wait_for_all();
        wanted += pairs * (pairs - 1);
      },
      [&] { return sum == wanted; });
}

int join_queueing(bench::options const& o) {
  graph g;
  flow::join_node<pair, flow::queueing> join(g);
  return joined(o, join, g, flow::input_port<0>(join), flow::input_port<1>(join));
}

int join_tag(bench::options const& o) {
  graph g;
  auto const tag = [](int x) -> flow::tag_value { return static_cast<flow::tag_value>(x); };
  flow::join_node<pair, flow::tag_matching> join(g, tag, tag);
  return joined(o, join, g, flow::input_port<0>(join), flow::input_port<1>(join));
}

int join_reserving(bench::options const& o) {
  graph g;
  flow::queue_node<int> first(g), second(g);
  flow::join_node<pair, flow::reserving> join(g);
  flow::make_edge(first, flow::input_port<0>(join));
  flow::make_edge(second, flow::input_port<1>(join));
  g.wait_for_all();
  return joined(o, join, g, first, second);
}

int limiter(bench::options const& o) {
  bool right = true;
  long const messages = rounds_of(o, 20'000);
  return sampled(
      o, "ns/message", static_cast<double>(messages),
      [&] {
        graph g;
        long sum = 0;
        bench::flow_source<int> from(
            g, [n = 0L, messages](int& x) mutable { return x = static_cast<int>(n), n++ < messages; });
        flow::limiter_node<int> limit(g, 16);
        flow::function_node<int> sink(g, serial, [&sum](int x) { return sum += x, continue_msg(); });
        flow::make_edge(from, limit);
        flow::make_edge(limit, sink);
        flow::make_edge(sink, bench::decrement_of(limit));
        from.activate();
        g.wait_for_all();
        right = right && sum == messages * (messages - 1) / 2;
      },
      [&] { return right; });
}

int async(bench::options const& o) {
  using node = flow::async_node<int, int>;
  graph g;
  long const messages = rounds_of(o, 20'000);
  long sum = 0, wanted = 0;
  node asking(g, unlimited, [](int x, node::gateway_type& way) { way.try_put(x); });
  flow::function_node<int> sink(g, serial, [&sum](int x) { return sum += x, continue_msg(); });
  flow::make_edge(asking, sink);
  return sampled(
      o, "ns/message", static_cast<double>(messages),
      [&] {
        for (long i = 0; i < messages; ++i) asking.try_put(static_cast<int>(i));
        g.wait_for_all();
        wanted += messages * (messages - 1) / 2;
      },
      [&] { return sum == wanted; });
}

int broadcast(bench::options const& o) {
  constexpr long fan = 10;
  graph g;
  long const messages = rounds_of(o, 2'000);
  long sum = 0, wanted = 0;
  std::vector<long> sums(fan);
  flow::broadcast_node<int> from(g);
  std::vector<std::unique_ptr<flow::function_node<int>>> sinks;
  for (long& one : sums) {
    sinks.emplace_back(new flow::function_node<int>(g, serial, [&one](int x) { return one += x, continue_msg(); }));
    flow::make_edge(from, *sinks.back());
  }
  return sampled(
      o, "ns/delivery", static_cast<double>(messages * fan),
      [&] {
        for (long i = 0; i < messages; ++i) from.try_put(static_cast<int>(i));
        g.wait_for_all();
        wanted += fan * (messages * (messages - 1) / 2);
      },
      [&] {
        for (long const one : sums) sum += one;
        return sum == wanted;
      });
}

// What waiting messages need, in bytes, as the peak of the process tells: all are put before a thread takes one, and
// the nodes behind get them while the graph is waited for.
template <typename Put>
int memory(bench::options const& o, graph& g, Put put) {
  bench::report r(o, "bytes");
  long const messages = bench::rounds_of(o, 1'000'000);
  double const before = static_cast<double>(bench::peak_memory_kib());
  bool accepted = true;
  for (long i = 0; i < messages; ++i) accepted = put(static_cast<int>(i)) && accepted;
  g.wait_for_all();
  double const bytes = (static_cast<double>(bench::peak_memory_kib()) - before) * 1024 / static_cast<double>(messages);
  for (int i = 0; i < o.samples; ++i) r.add({bytes, 1.0});
  r.check(accepted, "accepted messages");
  return r.finish();
}

int memory_queued(bench::options const& o) {
  graph g;
  flow::function_node<int> sink(g, serial, [](int) { return continue_msg(); });
  return memory(o, g, [&](int x) { return sink.try_put(x); });
}

int memory_join_of(bench::options const& o, bool kept) {
  graph g;
  flow::join_node<pair> join(g);
  flow::function_node<pair> sink(g, serial, [](pair const&) { return continue_msg(); });
  if (!kept) flow::make_edge(join, sink);
  return memory(o, g,
                [&](int x) { return flow::input_port<0>(join).try_put(x) && flow::input_port<1>(join).try_put(x); });
}
int memory_join(bench::options const& o) { return memory_join_of(o, false); }
// The pairs stay in the join: nobody takes them.
int memory_join_kept(bench::options const& o) { return memory_join_of(o, true); }

// By how much a stream of messages makes the process larger, after its first 100,000: with one thread nothing should
// wait, because each message goes all its way before the next one is made.
int memory_stream(bench::options const& o) {
  constexpr long warm = 100'000;
  bench::report r(o, "KiB");
  long const messages = rounds_of(o, 10'000'000);
  long before = 0, got = 0;
  graph g;
  bench::flow_source<int> from(g,
                               [n = 0L, messages](int& x) mutable { return x = static_cast<int>(n), n++ < messages; });
  function a(g, serial, [](int x) { return x; }), b(g, serial, [](int x) { return x; });
  flow::function_node<int> last(g, serial, [&](int) {
    if (++got == warm) before = bench::peak_memory_kib();
    return continue_msg();
  });
  flow::make_edge(from, a);
  flow::make_edge(a, b);
  flow::make_edge(b, last);
  from.activate();
  g.wait_for_all();
  double const growth = static_cast<double>(bench::peak_memory_kib() - before);
  for (int i = 0; i < o.samples; ++i) r.add({growth, 1.0});
  r.check(got == messages, "messages that came");
  return r.finish();
}

// A continue_node with two edges in and two out, in bytes. All run once.
int memory_node(bench::options const& o) {
  using node = flow::continue_node<continue_msg>;
  bench::report r(o, "bytes");
  auto const size = static_cast<std::size_t>(rounds_of(o, 1'000'000));
  std::atomic<std::size_t> runs{0};
  graph g;
  std::vector<std::unique_ptr<node>> nodes(size);
  double const before = static_cast<double>(bench::peak_memory_kib());
  for (std::unique_ptr<node>& n : nodes) n.reset(new node(g, [&runs](continue_msg) { ++runs; }));
  for (std::size_t i = 1; i < size; ++i) flow::make_edge(*nodes[i - 1], *nodes[i]);
  for (std::size_t i = 2; i < size; ++i) flow::make_edge(*nodes[i - 2], *nodes[i]);
  double const bytes = (static_cast<double>(bench::peak_memory_kib()) - before) * 1024 / static_cast<double>(size);
  nodes[0]->try_put(continue_msg());
  g.wait_for_all();
  for (int i = 0; i < o.samples; ++i) r.add({bytes, 1.0});
  r.check(runs == size, "nodes that ran");
  return r.finish();
}

// Bodies that sleep: how well the graph finds them threads. 8 messages a thread through two nodes.
int sleeping(bench::options const& o) {
  graph g;
  std::atomic<long> runs{0};
  long const messages = 8L * o.threads;
  long wanted = 0;
  auto const body = [&runs](int x) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return ++runs, x;
  };
  function a(g, unlimited, body), b(g, unlimited, body);
  flow::make_edge(a, b);
  return sampled(
      o, "ns/body", static_cast<double>(2 * messages) / o.threads,
      [&] {
        for (long i = 0; i < messages; ++i) a.try_put(static_cast<int>(i));
        g.wait_for_all();
        wanted += 2 * messages;
      },
      [&] { return runs == wanted; });
}

// Two serial nodes, and a wait for each message.
struct waited {
  graph g;
  long runs = 0, wanted = 0;
  function a{g, serial, [](int x) { return x; }}, b{g, serial, [this](int x) { return ++runs, x; }};
  waited() { flow::make_edge(a, b); }
  bool right() {
    g.wait_for_all();
    return runs == wanted;
  }
};

int put_wait_all(bench::options const& o) {
  waited w;
  long const rounds = rounds_of(o, 10'000);
  return sampled(
      o, "ns/call", static_cast<double>(rounds),
      [&] {
        for (long i = 0; i < rounds; ++i) {
          w.a.try_put(static_cast<int>(i));
          w.g.wait_for_all();
        }
        w.wanted += rounds;
      },
      [&] { return w.right(); });
}

#ifdef BENCH_PUT_AND_WAIT
// In samples: how much longer try_put_and_wait takes than try_put and wait_for_all beside it.
int put_and_wait(bench::options const& o) {
  waited w;
  long const rounds = rounds_of(o, 10'000);
  auto one = [&] {
    for (long i = 0; i < rounds; ++i) w.a.try_put_and_wait(static_cast<int>(i));
    w.wanted += rounds;
  };
  if (o.count) return sampled(o, "ns/call", static_cast<double>(rounds), one, [&] { return w.right(); });
  auto all = [&] {
    for (long i = 0; i < rounds; ++i) {
      w.a.try_put(static_cast<int>(i));
      w.g.wait_for_all();
    }
    w.wanted += rounds;
  };
  bench::report r(o, "x");
  bench::warm(o, one);
  bench::warm(o, all);
  bench::bystanders const others;
  for (int i = 0; i < o.samples; ++i) {
    bench::timing const beside = bench::time_repeated(all, 1), t = bench::time_repeated(one, 1);
    r.add({t.wall / beside.wall, t.cpu / t.wall});
  }
  r.foreign(others);
  r.check(w.right(), "messages that came");
  return r.finish();
}
#endif

bench::flow_row const rows[] = {
    {"join_queueing", join_queueing},
    {"join_tag", join_tag},
    {"join_reserving", join_reserving},
    {"limiter", limiter},
    {"async", async},
    {"broadcast", broadcast},
    {"memory_queued", memory_queued},
    {"memory_join", memory_join},
    {"memory_join_kept", memory_join_kept},
    {"memory_stream", memory_stream},
    {"memory_node", memory_node},
    {"sleeping", sleeping},
    {"put_wait_all", put_wait_all},
#ifdef BENCH_PUT_AND_WAIT
    {"put_and_wait", put_and_wait},
#endif
};

}  // namespace

int main(int argc, char** argv) { return bench::named_row(argc, argv, rows); }
