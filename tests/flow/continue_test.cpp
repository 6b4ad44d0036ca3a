// SPDX-License-Identifier: Apache-2.0
// Nodes that wait for a number of messages: continue_node, its count of predecessors, fan-out and fan-in, and graphs
// that run again and again.
#include "support/dialect.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

namespace {

using namespace test;
using node = flow::continue_node<continue_msg>;

constexpr int thread_counts[] = {1, 2, 8};

struct counting {
  std::atomic<int>* runs;
  void operator()(continue_msg const&) const { ++*runs; }
};

TEST_CASE("without predecessors each put is a run") {
  with_threads(2, [] {
    std::atomic<int> runs{0};
    graph g;
    node a(g, counting{&runs});
    for (int i = 0; i < 3; ++i) CHECK(a.try_put(continue_msg()));
    g.wait_for_all();
    CHECK(runs == 3);
  });
}

TEST_CASE("the count is that of the edges and of the constructor together") {
  with_threads(2, [] {
    std::atomic<int> runs{0};
    graph g;
    node a(g, 2, counting{&runs});
    flow::broadcast_node<continue_msg> b(g), c(g);
    auto const puts = [&](int n) {
      for (int i = 0; i < n; ++i) a.try_put(continue_msg());
      g.wait_for_all();
      return runs.load();
    };
    CHECK(puts(1) == 0);
    CHECK(puts(1) == 1);
    make_edge(b, a);
    make_edge(c, a);
    CHECK(puts(3) == 1);
    b.try_put(continue_msg());
    g.wait_for_all();
    CHECK(runs == 2);
    flow::remove_edge(c, a);
    CHECK(puts(2) == 2);
    CHECK(puts(1) == 3);
    flow::remove_edge(b, a);
    CHECK(puts(2) == 4);
    CHECK(puts(20) == 14);
  });
}

TEST_CASE("to remove an edge that isn't there changes no count") {
  with_threads(2, [] {
    std::atomic<int> runs{0};
    graph g;
    node a(g, 2, counting{&runs});
    flow::broadcast_node<continue_msg> b(g);
    flow::remove_edge(b, a);
    for (int n : {0, 1, 1, 2}) {
      CHECK(a.try_put(continue_msg()));
      g.wait_for_all();
      CHECK(runs == n);
    }
  });
}

TEST_CASE("a reset forgets the messages that have come") {
  with_threads(2, [] {
    std::atomic<int> runs{0};
    graph g;
    node a(g, 3, counting{&runs});
    a.try_put(continue_msg());
    a.try_put(continue_msg());
    g.wait_for_all();
    g.reset();
    a.try_put(continue_msg());
    g.wait_for_all();
    CHECK(runs == 0);
    a.try_put(continue_msg());
    a.try_put(continue_msg());
    g.wait_for_all();
    CHECK(runs == 1);
  });
}

TEST_CASE("the result goes to every successor") {
  for (int const threads : thread_counts) {
    with_threads(threads, [] {
      graph g;
      flow::continue_node<int> a(g, [](continue_msg const&) { return 5; });
      std::atomic<int> sum{0};
      std::vector<std::unique_ptr<flow::function_node<int>>> sinks;
      for (int i = 0; i < 50; ++i) {
        sinks.emplace_back(new flow::function_node<int>(g, serial, [&](int x) { return sum += x, continue_msg(); }));
        make_edge(a, *sinks.back());
      }
      for (int i = 0; i < 20; ++i) a.try_put(continue_msg());
      g.wait_for_all();
      CHECK(sum == 5 * 50 * 20);
    });
  }
}

// A grid in which each cell needs the one above and the one to the left, and reads what they wrote.
template <typename Cell>
void wavefront(int threads) {
  with_threads(threads, [] {
    constexpr int side = 20, rounds = 30;
    graph g;
    std::vector<long> value(side * side);
    std::vector<std::unique_ptr<Cell>> cells;
    for (int i = 0; i < side; ++i) {
      for (int j = 0; j < side; ++j) {
        cells.emplace_back(new Cell(g, [&value, i, j](continue_msg const&) noexcept {
          auto const at = [&](int a, int b) -> long& { return value[static_cast<std::size_t>(a * side + b)]; };
          at(i, j) = ((i > 0 ? at(i - 1, j) : 1) + (j > 0 ? at(i, j - 1) : 1)) % 1000003;
          disturb(static_cast<std::size_t>(i * side + j));
          return continue_msg();
        }));
      }
    }
    for (int i = 0; i < side; ++i) {
      for (int j = 0; j < side; ++j) {
        if (i + 1 < side) {
          make_edge(*cells[static_cast<std::size_t>(i * side + j)],
                    *cells[static_cast<std::size_t>((i + 1) * side + j)]);
        }
        if (j + 1 < side) {
          make_edge(*cells[static_cast<std::size_t>(i * side + j)], *cells[static_cast<std::size_t>(i * side + j + 1)]);
        }
      }
    }
    std::vector<long> expected(side * side);
    for (int i = 0; i < side; ++i) {
      for (int j = 0; j < side; ++j) {
        long const up = i > 0 ? expected[static_cast<std::size_t>((i - 1) * side + j)] : 1;
        long const left = j > 0 ? expected[static_cast<std::size_t>(i * side + j - 1)] : 1;
        expected[static_cast<std::size_t>(i * side + j)] = (up + left) % 1000003;
      }
    }
    for (int r = 0; r < rounds; ++r) {
      std::fill(value.begin(), value.end(), -1);
      cells[0]->try_put(continue_msg());
      g.wait_for_all();
      REQUIRE(value == expected);
    }
  });
}

TEST_CASE("a wavefront runs again and again, each cell after its two neighbours") {
  for (int const threads : thread_counts) wavefront<node>(threads);
}

TEST_CASE("a wavefront of lightweight nodes") {
  for (int const threads : thread_counts) wavefront<flow::continue_node<continue_msg, flow::lightweight>>(threads);
}

TEST_CASE("rounds that overlap: as many runs as full counts") {
  for (int const threads : thread_counts) {
    with_threads(threads, [] {
      std::atomic<int> middle{0}, last{0};
      graph g;
      node first(g, [](continue_msg const&) {});
      node a(g, counting{&middle}), b(g, counting{&middle}), c(g, counting{&middle});
      node end(g, counting{&last});
      for (node* n : {&a, &b, &c}) {
        make_edge(first, *n);
        make_edge(*n, end);
      }
      for (int i = 0; i < 500; ++i) first.try_put(continue_msg());
      g.wait_for_all();
      CHECK(middle == 1500);
      CHECK(last == 500);
    });
  }
}

TEST_CASE("puts from many threads: as many runs as full counts") {
  with_threads(8, [] {
    std::atomic<int> runs{0};
    graph g;
    node a(g, 4, counting{&runs});
    g.reserve_wait();
    std::vector<std::thread> putters;
    for (int t = 0; t < 4; ++t) {
      putters.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) a.try_put(continue_msg());
      });
    }
    for (auto& putter : putters) putter.join();
    g.release_wait();
    g.wait_for_all();
    CHECK(runs == 1000);
  });
}

TEST_CASE("a tree out and in") {
  for (int const threads : thread_counts) {
    with_threads(threads, [] {
      constexpr std::size_t leaves = 256;
      std::atomic<int> runs{0};
      graph g;
      std::vector<std::unique_ptr<node>> out, in;
      for (std::size_t i = 0; i < 2 * leaves - 1; ++i) out.emplace_back(new node(g, counting{&runs}));
      for (std::size_t i = 0; i < leaves - 1; ++i) in.emplace_back(new node(g, counting{&runs}));
      for (std::size_t i = 0; i < leaves - 1; ++i) {
        for (std::size_t child : {2 * i + 1, 2 * i + 2}) {
          make_edge(*out[i], *out[child]);
          make_edge(child < leaves - 1 ? *in[child] : *out[child], *in[i]);
        }
      }
      for (int r = 1; r <= 5; ++r) {
        out[0]->try_put(continue_msg());
        g.wait_for_all();
        REQUIRE(runs == r * static_cast<int>(3 * leaves - 2));
      }
    });
  }
}

TEST_CASE("a long chain of nodes that do nothing needs no stack") {
  with_threads(2, [] {
    std::atomic<int> runs{0};
    graph g;
    std::vector<std::unique_ptr<node>> chain;
    for (int i = 0; i < 20000; ++i) {
      chain.emplace_back(new node(g, counting{&runs}));
      if (i > 0) make_edge(*chain[static_cast<std::size_t>(i - 1)], *chain.back());
    }
    chain[0]->try_put(continue_msg());
    g.wait_for_all();
    CHECK(runs == 20000);
  });
}

}  // namespace
