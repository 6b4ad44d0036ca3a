// SPDX-License-Identifier: Apache-2.0
// Random graphs against a sequential reference: nodes of every kind, each message delivered exactly once at each place.
//
// A message is a number that tells its whole way: each stage hashes the stage's number into it. So all messages of a
// graph differ, and how many come to a stage, and their sum, don't depend on any order. `FLOW_SEEDS=FROM,TO` repeats or
// adds graphs, FLOW_SHORT draws fewer.
#define TBB_PREVIEW_FLOW_GRAPH_RESOURCE_LIMITING 1
#include "support/dialect.h"

#include <doctest/doctest.h>

#ifndef FLOW_PEER
#include <tbb/flow_coroutine.h>
#include <tbb/task_group.h>
#endif

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace test;
using message = std::uint64_t;

message hashed(message m, std::uint64_t by) {
  m = (m ^ by * 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
  m ^= m >> 31;
  m *= 0x94D049BB133111EBu;
  return m ^ m >> 29;
}

struct tally {
  std::uint64_t count = 0, sum = 0;
  bool operator==(tally const& other) const { return count == other.count && sum == other.sum; }
};

enum kind {
  function_serial,
  function_two,
  function_unlimited,
  rejecting,
  lightweight,
  multi,
  async,
  limited,
  competing,
  paired,
  matched,
  looped,
  split,
  indexed,
  continued,
  prioritized,
  sequenced,
  overwritten,
  written_once,
  composed,
#if !FLOW_CLASSIC
  with_resource,
#endif
#ifndef FLOW_PEER
  awaiting,
#endif
  kinds
};

// What a stage makes of one message, in the order of the kinds above; `out` gets what it hands on.
template <typename Out>
void reference(kind k, std::uint64_t stage, message m, Out const& out) {
  switch (k) {
    case multi:
      for (unsigned i = 0; i < m % 3; ++i) out(hashed(m, stage * 8 + i));
      break;
    case paired:
    case matched:
    case split:
      out(hashed(m, stage * 8));
      out(hashed(m, stage * 8 + 1));
      break;
    case looped:
      m = hashed(m, stage * 8);
      while (m % 4 != 0) m = hashed(m, stage * 8);
      out(m);
      break;
    case indexed:
      out(hashed(m, stage * 8 + m % 2));
      break;
    default:
      out(hashed(m, stage * 8));
  }
}

// A part of the graph with one way in and one way out.
struct stage {
  virtual ~stage() = default;
  virtual flow::receiver<message>& in() = 0;
  virtual flow::sender<message>& out() = 0;
};

using to_many = flow::multifunction_node<message, std::tuple<message>>;
using ports = to_many::output_ports_type;
using pair = std::tuple<message, message>;

void disturb_by(message m) { disturb(static_cast<std::size_t>(m)); }

template <typename Policy>
struct function_stage : stage {
  function_stage(graph& g, std::size_t limit, std::uint64_t id)
      : queue(g), node(g, limit, [id](message m) noexcept { return disturb_by(m), hashed(m, id * 8); }) {
    if (std::is_same<Policy, flow::rejecting>::value) make_edge(queue, node);
  }
  flow::receiver<message>& in() override {
    return std::is_same<Policy, flow::rejecting>::value ? static_cast<flow::receiver<message>&>(queue) : node;
  }
  flow::sender<message>& out() override { return node; }
  flow::queue_node<message> queue;
  flow::function_node<message, message, Policy> node;
};

struct multi_stage : stage {
  multi_stage(graph& g, std::uint64_t id, kind k)
      : node(g, unlimited, [id, k](message m, ports& p) {
          disturb_by(m);
          reference(k, id, m, [&](message x) { std::get<0>(p).try_put(x); });
        }) {}
  flow::receiver<message>& in() override { return node; }
  flow::sender<message>& out() override { return flow::output_port<0>(node); }
  to_many node;
};

struct async_stage : stage {
  using type = flow::async_node<message, message>;
  async_stage(graph& g, std::uint64_t id)
      : node(g, 3, [id](message m, type::gateway_type& way) {
          way.reserve_wait();
          if (m % 64 == 0) {
            std::thread([m, id, &way] {
              way.try_put(hashed(m, id * 8));
              way.release_wait();
            }).detach();
          } else {
            way.try_put(hashed(m, id * 8));
            way.release_wait();
          }
        }) {}
  flow::receiver<message>& in() override { return node; }
  flow::sender<message>& out() override { return flow::output_port<0>(node); }
  type node;
};

struct limited_stage : stage {
  limited_stage(graph& g, std::uint64_t id)
      : queue(g),
        limiter(g, 1 + id % 5),
        work(g, unlimited, [id](message m) { return disturb_by(m), hashed(m, id * 8); }),
        done(g, serial, [](message) { return continue_msg(); }),
        result(g) {
    make_edge(queue, limiter);
    make_edge(limiter, work);
    make_edge(work, result);
    make_edge(work, done);
    make_edge(done, decrement_of(limiter));
  }
  flow::receiver<message>& in() override { return queue; }
  flow::sender<message>& out() override { return result; }
  flow::queue_node<message> queue;
  flow::limiter_node<message> limiter;
  flow::function_node<message, message> work;
  flow::function_node<message> done;
  flow::broadcast_node<message> result;
};

// Three nodes take from one buffer; who takes a message makes no difference.
struct competing_stage : stage {
  using taker = flow::function_node<message, message, flow::rejecting>;
  competing_stage(graph& g, std::uint64_t id)
      : buffer(g), a(g, serial, body(id)), b(g, 2, body(id)), c(g, serial, body(id)), result(g) {
    for (taker* t : {&a, &b, &c}) {
      make_edge(buffer, *t);
      make_edge(*t, result);
    }
  }
  struct body {
    explicit body(std::uint64_t i) : id(i) {}
    message operator()(message m) const { return disturb_by(m), hashed(m, id * 8); }
    std::uint64_t id;
  };
  flow::receiver<message>& in() override { return buffer; }
  flow::sender<message>& out() override { return result; }
  flow::buffer_node<message> buffer;
  taker a, b, c;
  flow::broadcast_node<message> result;
};

// Both ports of a join get each message; with other pairs than the message itself the sums are the same.
template <typename Join>
struct paired_stage : stage {
  template <typename... Keys>
  paired_stage(graph& g, std::uint64_t id, Keys... keys)
      : from(g),
        a(g),
        b(g),
        join(g, keys...),
        apart(g, unlimited,
              [id](pair const& p, flow::multifunction_node<pair, std::tuple<message>>::output_ports_type& q) {
                std::get<0>(q).try_put(hashed(std::get<0>(p), id * 8));
                std::get<0>(q).try_put(hashed(std::get<1>(p), id * 8 + 1));
              }) {
    make_edge(from, a);
    make_edge(from, b);
    make_edge(a, flow::input_port<0>(join));
    make_edge(b, flow::input_port<1>(join));
    make_edge(join, apart);
  }
  flow::receiver<message>& in() override { return from; }
  flow::sender<message>& out() override { return flow::output_port<0>(apart); }
  flow::broadcast_node<message> from;
  flow::queue_node<message> a, b;
  Join join;
  flow::multifunction_node<pair, std::tuple<message>> apart;
};

struct looped_stage : stage {
  using type = flow::multifunction_node<message, std::tuple<message, message>>;
  looped_stage(graph& g, std::uint64_t id)
      : node(g, 1 + id % 2, [id](message m, type::output_ports_type& p) {
          m = hashed(m, id * 8);
          if (m % 4 != 0) {
            std::get<0>(p).try_put(m);
          } else {
            std::get<1>(p).try_put(m);
          }
        }) {
    make_edge(flow::output_port<0>(node), node);
  }
  flow::receiver<message>& in() override { return node; }
  flow::sender<message>& out() override { return flow::output_port<1>(node); }
  type node;
};

struct split_stage : stage {
  split_stage(graph& g, std::uint64_t id)
      : both(g, unlimited, [](message m) { return pair(m, m); }),
        split(g),
        a(g, serial, [id](message m) { return hashed(m, id * 8); }),
        b(g, 2, [id](message m) { return disturb_by(m), hashed(m, id * 8 + 1); }),
        result(g) {
    make_edge(both, split);
    make_edge(flow::output_port<0>(split), a);
    make_edge(flow::output_port<1>(split), b);
    make_edge(a, result);
    make_edge(b, result);
  }
  flow::receiver<message>& in() override { return both; }
  flow::sender<message>& out() override { return result; }
  flow::function_node<message, pair> both;
  flow::split_node<pair> split;
  flow::function_node<message, message> a, b;
  flow::broadcast_node<message> result;
};

struct indexed_stage : stage {
  using type = flow::multifunction_node<message, std::tuple<message, message>>;
  using indexer = flow::indexer_node<message, message>;
  indexed_stage(graph& g, std::uint64_t id)
      : way(g, unlimited,
            [](message m, type::output_ports_type& p) {
              if (m % 2 == 0) {
                std::get<0>(p).try_put(m);
              } else {
                std::get<1>(p).try_put(m);
              }
            }),
        index(g),
        result(g, serial,
               [id](indexer::output_type const& m) { return hashed(flow::cast_to<message>(m), id * 8 + m.tag()); }) {
    make_edge(flow::output_port<0>(way), flow::input_port<0>(index));
    make_edge(flow::output_port<1>(way), flow::input_port<1>(index));
    make_edge(index, result);
  }
  flow::receiver<message>& in() override { return way; }
  flow::sender<message>& out() override { return result; }
  type way;
  indexer index;
  flow::function_node<indexer::output_type, message> result;
};

// A continue_node opens a gate for one message at a time.
struct continued_stage : stage {
  continued_stage(graph& g, std::uint64_t id)
      : queue(g),
        tokens(g),
        gate(g),
        work(g, serial, [id](pair_of const& p) { return hashed(std::get<0>(p), id * 8); }),
        done(g, unlimited, [](message) { return continue_msg(); }),
        again(g, [](continue_msg const& m) { return m; }) {
    make_edge(queue, flow::input_port<0>(gate));
    make_edge(tokens, flow::input_port<1>(gate));
    make_edge(gate, work);
    make_edge(work, done);
    make_edge(done, again);
    make_edge(again, tokens);
    tokens.try_put(continue_msg());
  }
  using pair_of = std::tuple<message, continue_msg>;
  flow::receiver<message>& in() override { return queue; }
  flow::sender<message>& out() override { return work; }
  flow::queue_node<message> queue;
  flow::queue_node<continue_msg> tokens;
  flow::join_node<pair_of, flow::reserving> gate;
  flow::function_node<pair_of, message> work;
  flow::function_node<message> done;
  flow::continue_node<continue_msg> again;
};

// A serial node asks for the largest message that waits.
struct prioritized_stage : stage {
  prioritized_stage(graph& g, std::uint64_t id)
      : queue(g), node(g, serial, [id](message m) { return disturb_by(m), hashed(m, id * 8); }) {
    make_edge(queue, node);
  }
  flow::receiver<message>& in() override { return queue; }
  flow::sender<message>& out() override { return node; }
  flow::priority_queue_node<message> queue;
  flow::function_node<message, message, flow::rejecting> node;
};

// Messages are numbered, lose their order, and get it back: one that comes out of order is spoilt.
struct sequenced_stage : stage {
  struct numbered {
    message value;
    std::size_t number;
  };
  sequenced_stage(graph& g, std::uint64_t id)
      : number(g, serial, [this](message m) { return numbered{m, given++}; }),
        shuffle(g, unlimited, [](numbered const& n) { return disturb_by(n.value), n; }),
        order(g, [](numbered const& n) { return n.number; }),
        work(g, serial, [this, id](numbered const& n) { return n.number == seen++ ? hashed(n.value, id * 8) : 0; }) {
    make_edge(number, shuffle);
    make_edge(shuffle, order);
    make_edge(order, work);
  }
  flow::receiver<message>& in() override { return number; }
  flow::sender<message>& out() override { return work; }
  std::size_t given = 0, seen = 0;  // each in one serial node
  flow::function_node<message, numbered> number;
  flow::function_node<numbered, numbered> shuffle;
  flow::sequencer_node<numbered> order;
  flow::function_node<numbered, message> work;
};

// All that is put comes out, as long as no successor refuses.
struct overwritten_stage : stage {
  overwritten_stage(graph& g, std::uint64_t id)
      : latest(g), work(g, unlimited, [id](message m) { return disturb_by(m), hashed(m, id * 8); }) {
    make_edge(latest, work);
  }
  flow::receiver<message>& in() override { return latest; }
  flow::sender<message>& out() override { return work; }
  flow::overwrite_node<message> latest;
  flow::function_node<message, message> work;
};

// The node is cleared after each message: it takes that, and refuses what comes before it is cleared.
struct written_once_stage : stage {
  written_once_stage(graph& g, std::uint64_t id)
      : write(g, serial,
              [this](message m) {
                bool const first = once.try_put(m);
                bool const second = once.try_put(m + 1);
                if (!first || second) std::abort();
                once.clear();
                return continue_msg();
              }),
        once(g),
        work(g, unlimited, [id](message m) { return disturb_by(m), hashed(m, id * 8); }) {
    make_edge(once, work);
  }
  flow::receiver<message>& in() override { return write; }
  flow::sender<message>& out() override { return work; }
  flow::function_node<message> write;
  flow::write_once_node<message> once;
  flow::function_node<message, message> work;
};

struct composed_stage : stage {
  using type = flow::composite_node<std::tuple<message>, std::tuple<message>>;
  composed_stage(graph& g, std::uint64_t id)
      : first(g, 2, [id](message m) { return disturb_by(m), hashed(m, id * 8); }), last(g), whole(g) {
    make_edge(first, last);
    whole.set_external_ports(type::input_ports_type(first), type::output_ports_type(last));
  }
  flow::receiver<message>& in() override { return flow::input_port<0>(whole); }
  flow::sender<message>& out() override { return flow::output_port<0>(whole); }
  flow::function_node<message, message> first;
  flow::broadcast_node<message> last;
  type whole;
};

#if !FLOW_CLASSIC
// A body that has not got its handle for itself spoils the message.
struct resource_stage : stage {
  using type = flow::resource_limited_node<message, std::tuple<message>>;
  resource_stage(graph& g, std::uint64_t id)
      : users{0, 0},
        node(g, unlimited, std::tie(users), [id](message const& m, type::output_ports_type& p, int& others) {
          bool const alone = others++ == 0;
          disturb_by(m);
          --others;
          std::get<0>(p).try_put(alone ? hashed(m, id * 8) : 0);
        }) {}
  flow::receiver<message>& in() override { return node; }
  flow::sender<message>& out() override { return flow::output_port<0>(node); }
  flow::resource_limiter<int> users;
  type node;
};
#endif

#ifndef FLOW_PEER
// The body waits for a task that runs anywhere.
struct awaiting_stage : stage {
  awaiting_stage(graph& g, std::uint64_t id)
      : node(g, id % 3, [id](message m) -> tbb::co_task<message> {
          message result = 0;
          tbb::task_group group;
          group.run([&result, m, id] { disturb_by(m), result = hashed(m, id * 8); });
          co_await group;
          co_return result;
        }) {}
  flow::receiver<message>& in() override { return node; }
  flow::sender<message>& out() override { return node; }
  flow::coroutine_node<message, message> node;
};
#endif

std::unique_ptr<stage> make_stage(graph& g, kind k, std::uint64_t id) {
  auto const key = [](message m) { return m; };
  switch (k) {
    case function_serial:
      return std::unique_ptr<stage>(new function_stage<flow::queueing>(g, serial, id));
    case function_two:
      return std::unique_ptr<stage>(new function_stage<flow::queueing>(g, 2, id));
    case function_unlimited:
      return std::unique_ptr<stage>(new function_stage<flow::queueing>(g, unlimited, id));
    case rejecting:
      return std::unique_ptr<stage>(new function_stage<flow::rejecting>(g, 1 + id % 2, id));
    case lightweight:
      return std::unique_ptr<stage>(new function_stage<flow::lightweight>(g, unlimited, id));
    case async:
      return std::unique_ptr<stage>(new async_stage(g, id));
    case limited:
      return std::unique_ptr<stage>(new limited_stage(g, id));
    case competing:
      return std::unique_ptr<stage>(new competing_stage(g, id));
    case paired:
      if (id % 2 == 0) return std::unique_ptr<stage>(new paired_stage<flow::join_node<pair>>(g, id));
      return std::unique_ptr<stage>(new paired_stage<flow::join_node<pair, flow::reserving>>(g, id));
    case matched:
      return std::unique_ptr<stage>(
          new paired_stage<flow::join_node<pair, flow::key_matching<message>>>(g, id, key, key));
    case looped:
      return std::unique_ptr<stage>(new looped_stage(g, id));
    case split:
      return std::unique_ptr<stage>(new split_stage(g, id));
    case indexed:
      return std::unique_ptr<stage>(new indexed_stage(g, id));
    case continued:
      return std::unique_ptr<stage>(new continued_stage(g, id));
    case prioritized:
      return std::unique_ptr<stage>(new prioritized_stage(g, id));
    case sequenced:
      return std::unique_ptr<stage>(new sequenced_stage(g, id));
    case overwritten:
      return std::unique_ptr<stage>(new overwritten_stage(g, id));
    case written_once:
      return std::unique_ptr<stage>(new written_once_stage(g, id));
    case composed:
      return std::unique_ptr<stage>(new composed_stage(g, id));
#if !FLOW_CLASSIC
    case with_resource:
      return std::unique_ptr<stage>(new resource_stage(g, id));
#endif
#ifndef FLOW_PEER
    case awaiting:
      return std::unique_ptr<stage>(new awaiting_stage(g, id));
#endif
    default:
      return std::unique_ptr<stage>(new multi_stage(g, id, k));
  }
}

// Counts what comes out of a stage.
struct probe {
  explicit probe(graph& g)
      : node(g, unlimited, [this](message m) noexcept {
          count.fetch_add(1, std::memory_order_relaxed);
          sum.fetch_add(m, std::memory_order_relaxed);
          return continue_msg();
        }) {}
  tally taken() {
    tally const t{count, sum};
    count = 0;
    sum = 0;
    return t;
  }
  std::atomic<std::uint64_t> count{0}, sum{0};
  flow::function_node<message, continue_msg, flow::lightweight> node;
};

// The plan of a graph: stages in topological order, with their predecessors.
struct plan {
  struct entry {
    kind what;
    std::vector<std::size_t> from;  // none: its messages come from outside, or from a source
  };
  std::vector<entry> stages;
};

constexpr std::size_t most_messages = 400;  // at one stage

// Draws a graph, and computes what comes out of each stage for `puts` messages to each stage without predecessors.
plan draw(std::mt19937_64& random, std::size_t size, std::size_t puts, std::vector<tally>& expected) {
  plan p;
  std::vector<std::vector<message>> results;
  for (std::size_t i = 0; i < size; ++i) {
    plan::entry e{static_cast<kind>(random() % kinds), {}};
    std::size_t incoming = 0;
    std::size_t const wanted = i == 0 || random() % 8 == 0 ? 0 : 1 + random() % 3;
    for (std::size_t n = 0; n < wanted; ++n) {
      std::size_t const from = i < 8 || random() % 4 == 0 ? random() % i : i - 1 - random() % 8;
      bool known = results[from].empty() || incoming + results[from].size() > most_messages;
      for (std::size_t const other : e.from) known = known || other == from;
      if (known) continue;
      e.from.push_back(from);
      incoming += results[from].size();
    }
    std::vector<message> in, out;
    for (std::size_t const from : e.from) in.insert(in.end(), results[from].begin(), results[from].end());
    if (e.from.empty()) {
      for (std::size_t m = 0; m < puts; ++m) in.push_back(hashed(m, i + 1000000));
    }
    for (message const m : in) reference(e.what, i, m, [&](message x) { out.push_back(x); });
    tally t;
    for (message const m : out) t = {t.count + 1, t.sum + m};
    expected.push_back(t);
    results.push_back(out);
    p.stages.push_back(e);
  }
  return p;
}

// A source of the messages that come to a stage without predecessors, and its edge to that.
class feeder {
 public:
  feeder(graph& g, stage& to, std::size_t number, std::size_t messages)
      : source_(g,
                [number, messages, made = std::size_t{0}](message& m) mutable {
                  if (made == messages) return false;
                  m = hashed(made++, number + 1000000);
                  return true;
                }),
        to_(to.in()) {
    make_edge(source_, to_);
  }
  feeder(feeder const&) = delete;
  ~feeder() { flow::remove_edge(source_, to_); }
  void activate() { source_.activate(); }

 private:
  source<message> source_;
  flow::receiver<message>& to_;
};

void run_graph(std::uint64_t seed, std::size_t size, int threads) {
  std::mt19937_64 random(seed);
  std::vector<tally> expected;
  std::size_t const puts = 1 + random() % 60;
  plan const p = draw(random, size, puts, expected);
  int const putters = 1 + static_cast<int>(random() % 4);
  with_threads(threads, [&] {
    graph g;
    std::vector<std::unique_ptr<stage>> stages;
    std::vector<std::unique_ptr<probe>> probes;
    for (std::size_t i = 0; i < p.stages.size(); ++i) {
      stages.push_back(make_stage(g, p.stages[i].what, i));
      probes.emplace_back(new probe(g));
      make_edge(stages[i]->out(), probes[i]->node);
      for (std::size_t const from : p.stages[i].from) make_edge(stages[from]->out(), stages[i]->in());
    }
    auto const has_source = [&](std::size_t i) { return p.stages[i].from.empty() && (i + seed) % 2 == 0; };
    for (int round = 0; round < 2; ++round) {
      std::vector<std::unique_ptr<feeder>> sources;
      for (std::size_t i = 0; i < p.stages.size(); ++i) {
        if (has_source(i)) sources.emplace_back(new feeder(g, *stages[i], i, puts));
      }
      g.reserve_wait();
      std::vector<std::thread> outside;
      for (int t = 0; t < putters; ++t) {
        outside.emplace_back([&, t] {
          for (std::size_t i = static_cast<std::size_t>(t); i < sources.size();
               i += static_cast<std::size_t>(putters)) {
            sources[i]->activate();
          }
          for (std::size_t i = 0; i < p.stages.size(); ++i) {
            if (!p.stages[i].from.empty() || has_source(i)) continue;
            for (std::size_t m = static_cast<std::size_t>(t); m < puts; m += static_cast<std::size_t>(putters)) {
              if (!stages[i]->in().try_put(hashed(m, i + 1000000))) std::abort();
            }
          }
        });
      }
      if (round == 1) g.release_wait();  // in the second round the wait begins after the puts
      if (round == 0) {
        std::thread closing([&] {
          for (auto& thread : outside) thread.join();
          g.release_wait();
        });
        g.wait_for_all();
        closing.join();
      } else {
        for (auto& thread : outside) thread.join();
        g.wait_for_all();
      }
      for (std::size_t i = 0; i < p.stages.size(); ++i) {
        tally const found = probes[i]->taken();
        INFO("seed " << seed << ", " << size << " stages, round " << round << ", stage " << i << " of kind "
                     << p.stages[i].what << ": " << found.count << " messages instead of " << expected[i].count);
        REQUIRE(found == expected[i]);
      }
    }
  });
}

struct range {
  std::uint64_t from, to;
};

range seeds(std::uint64_t number) {
  char const* const given = std::getenv("FLOW_SEEDS");
  range r{0, std::getenv("FLOW_SHORT") != nullptr ? number / 3 : number};
  if (given != nullptr && std::sscanf(given, "%lu,%lu", &r.from, &r.to) != 2) std::abort();
  return r;
}

constexpr int thread_counts[] = {1, 2, 8, 32, 64};

TEST_CASE("small random graphs") {
  range const r = seeds(60);
  for (std::uint64_t seed = r.from; seed < r.to; ++seed) run_graph(seed, 10 + seed % 40, thread_counts[seed % 5]);
}

TEST_CASE("large random graphs") {
  range const r = seeds(6);
  for (auto s = r.from; s < r.to; ++s) run_graph(s + 1000000, 100 << s % 4 << s % 2, thread_counts[2 + s % 3]);
}

TEST_CASE("a graph of one kind") {
  for (int k = 0; k < kinds; ++k) {
    CAPTURE(k);
    with_threads(8, [&] {
      graph g;
      auto const node = make_stage(g, static_cast<kind>(k), 3);
      probe result(g);
      make_edge(node->out(), result.node);
      tally expected;
      for (message m = 0; m < 300; ++m) {
        node->in().try_put(hashed(m, 77));
        reference(static_cast<kind>(k), 3, hashed(m, 77),
                  [&](message x) { expected = {expected.count + 1, expected.sum + x}; });
      }
      g.wait_for_all();
      tally const found = result.taken();
      CHECK(found.count == expected.count);
      CHECK(found == expected);
    });
  }
}

}  // namespace
