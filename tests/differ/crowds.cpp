// SPDX-License-Identifier: Apache-2.0
// How many bodies run at once: in nodes with a limit, behind limiters, in arenas and pipelines. Bodies wait for each
// other, so that the limit is reached, and then whether one more comes.
#include "subjects.h"

#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#if DIFFER_ONETBB
#include <tbb/parallel_pipeline.h>
#else
#include <tbb/pipeline.h>
#endif

#include <chrono>
#include <memory>
#include <thread>

namespace differ {

namespace {

namespace flow = tbb::flow;

// Bodies that are inside at once. A few of them wait until there are as many as there may be, and a little longer.
class crowd {
 public:
  explicit crowd(int limit) : limit_(limit), waits_left_(2 * limit + 2) {}

  void pass() {
    enter();
    wait();
    leave();
  }
  void enter() {
    int const here = ++inside_ + (planted("crowd of one too many") && limit_ > 1 ? 1 : 0);
    for (int seen = most_; seen < here && !most_.compare_exchange_weak(seen, here);) {
    }
    ++all_;
  }
  void wait() {
    if (waits_left_-- <= 0) return;
    using clock = std::chrono::steady_clock;
    auto end = clock::now() + std::chrono::microseconds(1500);
    for (bool full = false; most_ <= limit_ && clock::now() < end; std::this_thread::yield()) {
      if (full || inside_ < limit_) continue;
      full = true;
      end = clock::now() + std::chrono::microseconds(250);
    }
  }
  void leave() { --inside_; }
  void tell(std::string const& path, std::string const& what, book& told) const {
    told.tell(path + " bodies", all_.load());
    told.expect(most_ <= limit_, path + ": " + std::to_string(most_) + " at once of " + std::to_string(limit_));
    told.open(what + ": the limit was reached", most_ >= limit_ ? 1 : 0);
  }

 private:
  int const limit_;
  std::atomic<int> waits_left_, inside_{0}, most_{0}, all_{0};
};

// n messages, from a node that holds them or one that doesn't.
template <typename Node>
void messages(Node& node, flow::graph& g, bool holds, int n) {
  flow::queue_node<int> queue(g);
  flow::broadcast_node<int> broadcast(g);
  if (holds) flow::make_edge(queue, node);
  if (!holds) flow::make_edge(broadcast, node);
  for (int i = 0; i < n; ++i) holds ? queue.try_put(i) : broadcast.try_put(i);
  g.wait_for_all();
}

int limit_of(step const& s) { return 1 + s.a % 5; }
int amount_of(step const& s) { return limit_of(s) * 2 + s.n % 7; }

template <typename Policy>
void function(step const& s, std::string const& path, book& told) {
  crowd inside(limit_of(s));
  flow::graph g;
  auto const limit = static_cast<std::size_t>(limit_of(s));
  bool const holds = std::is_base_of_v<flow::rejecting, Policy> || s.b % 2 == 0;
  flow::function_node<int, int, Policy> node(g, limit, [&](int i) {
    inside.pass();
    return i;
  });
  messages(node, g, holds, amount_of(s));
  inside.tell(path, "functions", told);
}

void multifunction(step const& s, std::string const& path, book& told) {
  using node_type = flow::multifunction_node<int, std::tuple<int>>;
  crowd inside(limit_of(s));
  flow::graph g;
  node_type node(g, static_cast<std::size_t>(limit_of(s)), [&](int, node_type::output_ports_type&) { inside.pass(); });
  messages(node, g, s.b % 2 == 0, amount_of(s));
  inside.tell(path, "multifunctions", told);
}

void asynchronous(step const& s, std::string const& path, book& told) {
  using node_type = flow::async_node<int, int>;
  crowd inside(limit_of(s));
  flow::graph g;
  node_type node(g, static_cast<std::size_t>(limit_of(s)), [&](int i, node_type::gateway_type& gateway) {
    inside.pass();
    gateway.try_put(i);
  });
  messages(node, g, s.b % 2 == 0, amount_of(s));
  inside.tell(path, "async nodes", told);
}

// Several nodes, each with a limit of its own, and all of them at once.
void chain(step const& s, std::string const& path, book& told) {
  flow::graph g;
  std::vector<std::unique_ptr<crowd>> inside;
  std::vector<std::unique_ptr<flow::function_node<int, int>>> nodes;
  for (int k = 0; k < 3; ++k) {
    inside.push_back(std::make_unique<crowd>(1 + (s.a + k) % 3));
    crowd& c = *inside.back();
    nodes.push_back(std::make_unique<flow::function_node<int, int>>(g, static_cast<std::size_t>(1 + (s.a + k) % 3),
                                                                    [&c](int i) { return c.pass(), i; }));
    if (k > 0) flow::make_edge(*nodes[nodes.size() - 2], *nodes.back());
  }
  messages(*nodes.front(), g, s.b % 2 == 0, 5 + s.n % 7);
  for (auto const& c : inside) c->tell(path, "nodes in a row", told);
}

// What a limiter lets in is inside until it is counted down.
void limiter(step const& s, std::string const& path, book& told) {
  crowd inside(limit_of(s));
  flow::graph g;
  flow::limiter_node<int> limit(g, static_cast<std::size_t>(limit_of(s)));
  flow::function_node<int, flow::continue_msg> node(g, flow::unlimited, [&](int) {
    inside.pass();
    return flow::continue_msg();
  });
  flow::make_edge(limit, node);
#if DIFFER_ONETBB
  flow::make_edge(node, limit.decrementer());
#else
  flow::make_edge(node, limit.decrement);
#endif
  messages(limit, g, true, amount_of(s));
  inside.tell(path, "limiters", told);
}

// In an arena of its own, threads that come from elsewhere and those that the arena calls.
void arena(step const& s, std::string const& path, book& told) {
  int const slots = 2 + s.a % 4;
  crowd inside(slots);
  tbb::task_arena arena(slots, static_cast<unsigned>(1 + s.b / 4 % 2));
  tbb::task_group group;
  auto const loop = [&] {
    tbb::parallel_for(0, slots + s.n % 7, [&](int) { inside.pass(); }, tbb::simple_partitioner());
  };
  auto const tasks = [&] {
    for (int i = 0; i < slots + s.n % 7; ++i) group.run([&] { inside.pass(); });
    group.wait();
  };
  std::vector<std::thread> others;
  for (int i = 0; i < s.b % 4; ++i) others.emplace_back([&] { arena.execute(loop); });
  s.b / 16 % 2 == 0 ? arena.execute(loop) : arena.execute(tasks);
  for (std::thread& t : others) t.join();
  inside.tell(path, "arenas", told);
}

// Items that are on their way.
void pipeline(step const& s, std::string const& path, book& told) {
  crowd inside(limit_of(s));
#if DIFFER_ONETBB
  using mode = tbb::filter_mode;
#else
  using mode = tbb::filter::mode;
#endif
  constexpr mode modes[] = {mode::parallel, mode::serial_out_of_order, mode::serial_in_order};
  std::atomic<int> next{0};
  int const n = amount_of(s);
  auto const in = tbb::make_filter<void, int>(modes[s.b % 3], [&](tbb::flow_control& control) {
    int const i = next++;
    if (i >= n) {
      control.stop();
    } else {
      inside.enter();
    }
    return i;
  });
  auto const middle = tbb::make_filter<int, int>(mode::parallel, [&](int i) {
    inside.wait();
    return i;
  });
  auto const out = tbb::make_filter<int, void>(modes[s.b / 3 % 3], [&](int) { inside.leave(); });
  tbb::parallel_pipeline(static_cast<std::size_t>(limit_of(s)), in & middle & out);
  inside.tell(path, "pipelines", told);
}

constexpr std::pair<char const*, void (*)(step const&, std::string const&, book&)> actions[] = {
    {"function", function<flow::queueing>},
    {"rejecting", function<flow::rejecting>},
    {"multifunction", multifunction},
    {"async", asynchronous},
    {"chain", chain},
    {"limiter", limiter},
    {"arena", arena},
    {"pipeline", pipeline}};

void crowds(step const& program, book& told) {
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    for (auto const& [kind, action] : actions) {
      if (program.body[i].kind == kind) action(program.body[i], std::to_string(i) + " " + kind, told);
    }
  }
}

}  // namespace

void add_crowds(subjects& table) { table["crowd"] = crowds; }

}  // namespace differ
