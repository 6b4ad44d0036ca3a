// SPDX-License-Identifier: Apache-2.0
// Random graphs against a sequential reference: nodes of every kind, each message delivered exactly once at each place.
//
// A message is a number that tells its whole way: each stage hashes the stage's number into it. So all messages of a
// graph differ, and how many come to a stage, and their sum, don't depend on any order. `FLOW_SEEDS=FROM,TO` repeats or
// adds graphs, FLOW_SHORT draws fewer.
#include "support/stages.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

namespace {

using namespace test;

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
