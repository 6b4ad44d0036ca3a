// SPDX-License-Identifier: Apache-2.0
// The parts that random graphs consist of, a stage for each kind of node, and what a stage makes of a message.
#pragma once

#define TBB_PREVIEW_FLOW_GRAPH_RESOURCE_LIMITING 1
#include "dialect.h"

#ifndef FLOW_PEER
#include <tbb/flow_coroutine.h>
#include <tbb/task_group.h>
#endif

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <tuple>
#include <utility>

namespace test {

using message = std::uint64_t;

inline message hashed(message m, std::uint64_t by) {
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

inline void disturb_by(message m) { disturb(static_cast<std::size_t>(m)); }

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

inline std::unique_ptr<stage> make_stage(graph& g, kind k, std::uint64_t id) {
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

}  // namespace test
