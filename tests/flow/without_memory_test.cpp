// SPDX-License-Identifier: Apache-2.0
// Nodes for which there is no memory just when they would go on: whoever puts or waits gets the exception, no message
// stays that nobody would handle, and later messages are handled. Ours alone: the peers' nodes don't survive this.
#define TBB_PREVIEW_FLOW_GRAPH_TRY_PUT_AND_WAIT 1
#include "support/dialect.h"
#include "support/left_in.h"

#include <doctest/doctest.h>

#include "support/eventually.h"
#include "support/failing_memory.h"

#include <atomic>
#include <cstddef>
#include <new>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace {

using namespace test;

// The message that completes a round has no token, the one before it has.
TEST_CASE("a wait for a message ends also if there is no memory for what another one fires") {
  bool failed = false;
  for (int n = 1; n < 10; ++n) {
    CAPTURE(n);
    graph g;
    flow::continue_node<continue_msg> node(g, 2, [](continue_msg) {});
    std::atomic<bool> over{false};
    std::thread first([&] {
      node.try_put_and_wait(continue_msg());
      over = true;
    });
    CHECK(eventually([&] { return left_in(g).find("1 of 2 predecessors") != std::string::npos; }));
    std::thread([&] {
      graph other;  // after the wait the thread is known, and has seen what was cancelled before
      other.wait_for_all();
      allocations_left = n;
      try {
        node.try_put(continue_msg());
      } catch (std::bad_alloc const&) {
        failed = true;
      }
      allocations_left = -1;
    }).join();
    CHECK(eventually([&] { return over.load(); }));
    g.reset();
    first.join();
  }
  CHECK(failed);
}

// Takes all that the calling thread's pool has left for small jobs, while there is no other memory.
class empty_pool {
 public:
  empty_pool() {
    for (std::size_t const size : {std::size_t{128}, std::size_t{64}}) {
      try {
        for (;;) take(size);
      } catch (std::bad_alloc const&) {
      }
    }
  }
  empty_pool(empty_pool const&) = delete;
  ~empty_pool() {
    while (taken_ != nullptr) {
      block const b = *taken_;
      ashlar::sched::this_slot().pool().release(taken_, b.size, b.home);
      taken_ = b.next;
    }
  }

 private:
  struct block {
    block* next;
    std::size_t size;
    ashlar::sched::task_pool* home;
  };
  void take(std::size_t size) {
    ashlar::sched::task_pool* home;
    void* const place = ashlar::sched::this_slot().pool().allocate(size, home);
    taken_ = new (place) block{taken_, size, home};
  }
  block* taken_ = nullptr;
};

// The body runs in the put, and there is no memory for the activation that would go on with what it puts.
TEST_CASE("what a body has put into its node is dropped if there is no memory to go on") {
  with_threads(1, [] {
    struct large {
      int value;
      char more[64];
    };
    std::vector<int> seen;
    graph g;
    using node_type = flow::multifunction_node<large, std::tuple<large>, flow::queueing_lightweight>;
    node_type node(g, serial, [&](large const& m, node_type::output_ports_type& ports) noexcept {
      seen.push_back(m.value);
      if (m.value == 1) std::get<0>(ports).try_put(large{2, {}});
    });
    make_edge(flow::output_port<0>(node), node);
    seen.reserve(10);
    CHECK(node.try_put(large{1, {}}));
    g.wait_for_all();
    CHECK(seen == std::vector<int>{1, 2});
    {
      memory_is_full = true;
      empty_pool const none;
      node.try_put(large{1, {}});
      memory_is_full = false;
    }
    CHECK_THROWS_AS(g.wait_for_all(), std::bad_alloc);
    CHECK(node.try_put(large{3, {}}));
    g.wait_for_all();
    CHECK(seen == std::vector<int>{1, 2, 1, 3});
  });
}

// Two threads put at once, so that rounds are complete before the one that came first has begun the next. The node's
// own job is under way, and nobody runs it.
TEST_CASE("a node fires again after several rounds for which there was no memory") {
  with_threads(1, [] {
    std::atomic<int> runs{0};
    graph g;
    flow::continue_node<continue_msg> node(g, 2, [&](continue_msg) { ++runs; });
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> ready{0}, failed{0};
      auto const put_many = [&] {
        graph other;
        other.wait_for_all();
        ++ready;
        while (ready < 3) std::this_thread::yield();
        empty_pool const none;
        ++ready;
        while (ready < 5) std::this_thread::yield();
        for (int i = 0; i < 5000; ++i) {
          try {
            node.try_put(continue_msg());
          } catch (std::bad_alloc const&) {
            ++failed;
          }
        }
      };
      CHECK(node.try_put(continue_msg()));
      CHECK(node.try_put(continue_msg()));
      std::thread a(put_many), b(put_many);
      while (ready != 2) std::this_thread::yield();
      memory_is_full = true;
      ++ready;
      a.join();
      b.join();
      memory_is_full = false;
      CHECK(failed == 5000);
      CHECK(runs == 2 * round);
      g.wait_for_all();
      CHECK(node.try_put(continue_msg()));
      CHECK(node.try_put(continue_msg()));
      g.wait_for_all();
      CHECK(runs == 2 * round + 2);
    }
  });
}

}  // namespace
