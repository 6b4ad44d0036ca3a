// SPDX-License-Identifier: Apache-2.0
// Nodes that a program makes with each form of `new`, and ends in the ways that fit.
#include "support/dialect.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>

namespace {

using namespace test;
using queue = flow::queue_node<int>;

bool works(graph& g, queue& n) {
  int x = 0;
  bool const taken = n.try_put(7);
  g.wait_for_all();
  return taken && n.try_get(x) && x == 7;
}

struct alignas(64) line {
  int first;
};
bool is_aligned(void const* p, std::size_t to) { return reinterpret_cast<std::uintptr_t>(p) % to == 0; }

// A node of the program's, whose constructor may fail.
struct fragile : queue {
  fragile(graph& g, bool fails) : queue(g) {
    if (fails) throw std::runtime_error("fails");
  }
};

TEST_CASE("nodes are made with each form of new") {
  graph g;
  std::unique_ptr<queue> const plain(new queue(g));
  CHECK(works(g, *plain));
  std::unique_ptr<queue> const checked(new (std::nothrow) queue(g));
  REQUIRE(checked != nullptr);
  CHECK(works(g, *checked));
  std::shared_ptr<queue> const shared = std::make_shared<queue>(g);
  CHECK(works(g, *shared));
  alignas(queue) unsigned char place[sizeof(queue)];
  queue* const placed = new (place) queue(g);
  CHECK(static_cast<void*>(placed) == place);
  CHECK(works(g, *placed));
  placed->~queue();
}

TEST_CASE("a node ends as one of any of its bases") {
  graph g;
  using node = flow::function_node<int, int>;
  auto const make = [&g] { return new node(g, serial, [](int x) { return x; }); };
  delete static_cast<flow::receiver<int>*>(make());
  delete static_cast<flow::sender<int>*>(make());
  CHECK(g.begin() == g.end());
}

TEST_CASE("nodes with over-aligned messages are aligned") {
  graph g;
  for (int i = 0; i < 3; ++i) {
    std::unique_ptr<flow::overwrite_node<line>> const plain(new flow::overwrite_node<line>(g));
    CHECK(is_aligned(plain.get(), alignof(flow::overwrite_node<line>)));
    std::unique_ptr<flow::overwrite_node<line>> const checked(new (std::nothrow) flow::overwrite_node<line>(g));
    CHECK(is_aligned(checked.get(), alignof(flow::overwrite_node<line>)));
    CHECK(plain->try_put(line{i}));
    line p{-1};
    CHECK(plain->try_get(p));
    CHECK(p.first == i);
  }
}

TEST_CASE("the memory of a node whose constructor throws is given back in the way it came") {
  graph g;
  for (int i = 0; i < 1000; ++i) {
    CHECK_THROWS_AS(new fragile(g, true), std::runtime_error);
    CHECK_THROWS_AS(new (std::nothrow) fragile(g, true), std::runtime_error);
  }
  CHECK(g.begin() == g.end());
  std::unique_ptr<fragile> const n(new fragile(g, false));
  CHECK(works(g, *n));
}

}  // namespace
