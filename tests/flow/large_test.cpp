// SPDX-License-Identifier: Apache-2.0
// Long streams, whose memory stays flat, and large graphs: ours alone. The rows memory-stream and memory-node of
// bench/flow measure the same, larger, and beside the peers.
#include "support/dialect.h"

#include <doctest/doctest.h>

#include "support/process_memory.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

using namespace test;

// The largest memory of the process while messages come, after the first ones have made room for themselves.
class watch {
 public:
  void message() {
    ++messages_;
    if (messages_ == warm) first_ = most_ = resident();
    if (messages_ > warm && messages_ % 1024 == 0) most_ = std::max(most_, resident());
  }
  long messages() const { return messages_; }
  std::size_t growth() const { return most_ - first_; }

 private:
  static constexpr long warm = 20'000;
  long messages_ = 0;
  std::size_t first_ = 0;
  std::size_t most_ = 0;
};

constexpr std::size_t flat = 1 << 20;

// A source and four nodes; of `most` messages that are under way at once, or of any number.
void check_stream(int messages, std::size_t most) {
  graph g;
  watch seen;
  std::int64_t sum = 0;
  source<int> from(g, [n = 0, messages](int& x) mutable { return x = n, n++ < messages; });
  flow::limiter_node<int> limiter(g, most);
  flow::function_node<int, int> a(g, serial, [](int x) { return x + 1; });
  flow::function_node<int, int> b(g, unlimited, [](int x) { return x + 1; });
  flow::queue_node<int> between(g);
  flow::function_node<int> last(g, serial, [&](int x) { return sum += x, seen.message(), continue_msg(); });
  if (most != 0) {
    make_edge(from, limiter);
    make_edge(limiter, a);
    make_edge(last, decrement_of(limiter));
  } else {
    make_edge(from, a);
  }
  make_edge(a, b);
  make_edge(b, between);
  make_edge(between, last);
  from.activate();
  g.wait_for_all();
  CHECK(seen.messages() == messages);
  CHECK(sum == std::int64_t{messages} * (messages - 1) / 2 + 2 * std::int64_t{messages});
  CHECK(seen.growth() < flat);
}

TEST_CASE("with one thread few messages are under way: a stream's memory stays flat") {
  with_threads(1, [] { check_stream(1'000'000, 0); });
}

TEST_CASE("with more threads a limiter keeps a stream's memory flat") {
  with_threads(4, [] { check_stream(300'000, 64); });
}

// Node i comes before i + 1 and before 2 i.
TEST_CASE("a graph of a million nodes is built, runs twice, and is destroyed") {
  with_threads(2, [] {
    constexpr std::size_t size = 1'000'000;
    std::size_t const before = resident();
    std::vector<std::uint8_t> runs(size);
    {
      graph g;
      using node = flow::continue_node<continue_msg>;
      std::vector<std::unique_ptr<node>> nodes;
      nodes.reserve(size);
      for (std::size_t i = 0; i < size; ++i) {
        nodes.emplace_back(new node(g, [at = &runs[i]](continue_msg) { ++*at; }));
      }
      for (std::size_t i = 1; i < size; ++i) {
        make_edge(*nodes[i - 1], *nodes[i]);
        if (i % 2 == 0) make_edge(*nodes[i / 2], *nodes[i]);
      }
      double const each = static_cast<double>(resident() - before) / static_cast<double>(size);
      MESSAGE("bytes a node with 1.5 edges: " << each);
      CHECK(each < 512);
      for (int round = 1; round <= 2; ++round) {
        nodes[0]->try_put(continue_msg());
        g.wait_for_all();
        std::size_t wrong = 0;
        for (std::uint8_t const n : runs) wrong += n != round;
        CHECK(wrong == 0);
      }
    }
  });
}

}  // namespace
