// SPDX-License-Identifier: Apache-2.0
// Frozen graphs: each body once in a run, after its predecessors; nothing is allocated. Ours alone.
#include "support/dialect.h"

#include "flow/frozen/frozen_plan.h"
#include "os/thread.h"
#include "os/thread_activity.h"

#include <doctest/doctest.h>

#include <tbb/profiling.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
std::atomic<long> allocations{0}, first_to_fail{-1};

void* allocate(std::size_t size) {
  if (++allocations == first_to_fail) throw std::bad_alloc();
  void* const place = std::malloc(size == 0 ? 1 : size);
  if (place == nullptr) throw std::bad_alloc();
  return place;
}
}  // namespace

__attribute__((noinline)) void* operator new(std::size_t size) { return allocate(size); }
__attribute__((noinline)) void operator delete(void* p) noexcept { std::free(p); }
__attribute__((noinline)) void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

using namespace test;
using node = flow::continue_node<continue_msg>;

// Random edges from earlier to later nodes. Each body sees that its predecessors have run.
struct random_graph {
  random_graph(unsigned seed, std::size_t size) : runs(size), before(size) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < size; ++i) {
      nodes.emplace_back(new node(g, [this, i](continue_msg) {
        for (std::size_t const p : before[i]) {
          if (runs[p] != runs[i] + 1) wrong = true;
        }
        disturb(i);
        ++runs[i];
        if (i == fails) throw std::runtime_error("body");
      }));
    }
    for (std::size_t i = 1; i < size; ++i) {
      for (std::size_t n = random() % 4; n != 0; --n) {
        std::size_t const from = random() % i;
        make_edge(*nodes[from], *nodes[i]);
        before[i].push_back(from);
      }
    }
  }
  bool all_have_run(int times) const {
    for (auto const& r : runs) {
      if (r != times) return false;
    }
    return !wrong;
  }
  graph g;
  std::vector<std::unique_ptr<node>> nodes;
  std::vector<std::atomic<int>> runs;
  std::vector<std::vector<std::size_t>> before;
  std::atomic<bool> wrong{false};
  std::atomic<std::size_t> fails{~std::size_t{0}};
};

TEST_CASE("each body runs once in a run, after its predecessors") {
  for (int const threads : {1, 2, 8, 32}) {
    for (unsigned seed = 0; seed < 10; ++seed) {
      CAPTURE(threads);
      CAPTURE(seed);
      with_threads(threads, [&] {
        random_graph r(seed, 10 + 40 * seed);
        flow::frozen_graph frozen = flow::freeze(r.g);
        CHECK(frozen.size() == r.nodes.size());
        frozen.run();
        CHECK(r.all_have_run(1));
        frozen.run_n(20);
        CHECK(r.all_have_run(21));
      });
    }
  }
}

TEST_CASE("runs allocate nothing") {
  with_threads(1, [] {
    random_graph r(7, 500);
    flow::frozen_graph frozen(r.g);
    frozen.run_n(3);
    // Workers of the tests before this one may still be busy with their own ends: what a run allocates it does each
    // time.
    bool nothing = false;
    for (int tries = 0; tries < 20 && !nothing; ++tries) {
      long const before = allocations;
      frozen.run_n(50);
      nothing = allocations == before;
    }
    CHECK(nothing);
  });
}

TEST_CASE("messages can be put into the same graph") {
  with_threads(2, [] {
    graph g;
    std::atomic<int> first{0}, second{0};
    node a(g, [&](continue_msg) { ++first; }), b(g, [&](continue_msg) { ++second; });
    make_edge(a, b);
    flow::frozen_graph frozen(g);
    for (int i = 0; i < 10; ++i) {
      a.try_put(continue_msg());
      frozen.run();
    }
    CHECK(first == 20);
    CHECK(second == 20);
  });
}

TEST_CASE("a run of which a body throws ends, and the next one is whole") {
  for (int const threads : {1, 2, 8}) {
    with_threads(threads, [] {
      for (std::size_t const fails : {0, 1, 17, 60, 99}) {
        random_graph r(3, 100);
        flow::frozen_graph frozen(r.g);
        r.fails = fails;
        CHECK_THROWS_AS(frozen.run(), std::runtime_error);
        r.fails = ~std::size_t{0};
        for (auto& n : r.runs) n = 0;
        r.wrong = false;
        frozen.run_n(3);
        CHECK(r.all_have_run(3));
      }
    });
  }
}

// How many jobs the next run has.
struct opened_plan : ashlar::flow::frozen_plan {
  explicit opened_plan(graph& g) : frozen_plan(g.core()) {}
  std::size_t jobs() {
    if (forms_anew_) form_chunks();
    return jobs_;
  }
  bool was_measured() const { return measured_; }
  // As if the machine had made no run slow: each slow run puts off the measurement after the next one.
  void forget_slow_runs() {
    was_slow_.store(false, ashlar::mo::relaxed);
    patience_ = 1;
  }
  // As if the bodies had taken up to half of what a chunk may.
  void invent_costs(unsigned seed) {
    std::mt19937 random(seed);
    longest_chunk_ = 100;
    for (std::size_t i = 0; i < size_; ++i) marks_[i].cost = 1 + random() % 50;
    form_chunks();
    longest_chunk_ = ~std::uint64_t{0} / 16;  // none is dissolved
  }
};

// 30 x 30 nodes, each after the one above and the one to the left.
struct lattice {
  static constexpr std::size_t side = 30;
  template <typename Body>
  explicit lattice(Body const& body) {
    for (std::size_t i = 0; i < side * side; ++i) nodes.emplace_back(new node(g, [body, i](continue_msg) { body(i); }));
    for (std::size_t i = 0; i < side; ++i) {
      for (std::size_t j = 0; j < side; ++j) {
        if (i + 1 < side) make_edge(*nodes[i * side + j], *nodes[(i + 1) * side + j]);
        if (j + 1 < side) make_edge(*nodes[i * side + j], *nodes[i * side + j + 1]);
      }
    }
  }
  graph g;
  std::vector<std::unique_ptr<node>> nodes;
};

TEST_CASE("short bodies share jobs, long ones don't") {
  with_threads(2, [] {
    std::atomic<int> microseconds{0};
    lattice l([&](std::size_t) {
      if (microseconds == 0) return;
      auto const end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
      while (std::chrono::steady_clock::now() < end) {
      }
    });
    opened_plan frozen(l.g);
    CHECK(frozen.jobs() == 900);  // nothing is known
    // On a machine with other work a short body may look long for a while.
    for (int i = 0; i < 4 || (i < 300 && frozen.jobs() >= 450); ++i) frozen.run();
    CHECK(frozen.jobs() < 450);
    microseconds = 100;
    frozen.forget_slow_runs();
    for (int i = 0; i < 2; ++i) frozen.run();  // chunks are dissolved, or at their end too late for that; then measured
    CHECK(frozen.jobs() > 800);
    microseconds = 0;
    for (int i = 0; i < 8 || (i < 300 && frozen.jobs() >= 450); ++i) frozen.run();
    CHECK(frozen.jobs() < 450);
  });
}

TEST_CASE("chunks call each body after its predecessors") {
  for (int const threads : {1, 2, 8, 32}) {
    CAPTURE(threads);
    with_threads(threads, [] {
      std::vector<std::atomic<int>> runs(lattice::side * lattice::side);
      std::atomic<int> run{0}, wrong{0};
      lattice l([&](std::size_t i) {
        std::size_t const x = i % lattice::side;
        // Every fourth run has a body here and there that takes long.
        if (run % 4 == 3 && i % 53 == static_cast<std::size_t>(run) % 53) {
          std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
        if (x != 0 && runs[i - 1] != run + 1) ++wrong;
        if (i >= lattice::side && runs[i - lattice::side] != run + 1) ++wrong;
        if (runs[i]++ != run) ++wrong;
      });
      flow::frozen_graph frozen(l.g);
      for (; run < 100; ++run) frozen.run();
      CHECK(wrong == 0);
      CHECK(runs.back() == 100);
    });
  }
}

TEST_CASE("chunks of random graphs wait for no circle") {
  for (int const threads : {1, 8}) {
    CAPTURE(threads);
    with_threads(threads, [] {
      for (unsigned seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        random_graph r(seed, 20 + 15 * seed);
        opened_plan frozen(r.g);
        frozen.invent_costs(seed);
        CHECK(frozen.jobs() < frozen.size());
        frozen.run();
        CHECK(r.all_have_run(1));
      }
    });
  }
}

TEST_CASE("chunks are not formed anew for each run in which some body takes long") {
  with_threads(2, [] {
    std::size_t slow = ~std::size_t{0};
    lattice l([&](std::size_t i) {
      if (i == slow) std::this_thread::sleep_for(std::chrono::microseconds(500));
    });
    opened_plan frozen(l.g);
    for (int i = 0; i < 12; ++i) frozen.run();
    frozen.forget_slow_runs();
    int measured = 0;
    for (int i = 0; i < 300; ++i) {
      slow = static_cast<std::size_t>(i) * 37 % 900;
      frozen.run();
      measured += frozen.was_measured();
    }
    CHECK(measured >= 3);
    CHECK(measured <= 10);
  });
}

TEST_CASE("threads share what is left of a chunk whose bodies suddenly take long") {
  with_threads(8, [] {
    std::atomic<int> under_way{0}, most{0};
    // Threads that the machine wakes late may miss a run; where nothing is shared no run helps.
    for (int tries = 0; tries < 20 && most <= 4; ++tries) {
      std::atomic<bool> slow{false};
      graph g;
      node first(g, [](continue_msg) {});
      std::vector<std::unique_ptr<node>> others;
      for (int i = 0; i < 60; ++i) {
        others.emplace_back(new node(g, [&](continue_msg) {
          if (!slow) return;
          int const now = ++under_way;
          for (int m = most; now > m && !most.compare_exchange_weak(m, now);) {
          }
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
          --under_way;
        }));
        make_edge(first, *others.back());
      }
      opened_plan frozen(g);
      for (int i = 0; i < 5 || (i < 300 && frozen.jobs() >= 30); ++i) frozen.run();
      CHECK(frozen.jobs() < 30);
      slow = true;
      frozen.run();
    }
    CHECK(most > 4);
  });
}

TEST_CASE("a body of a chunk that throws, and one that cancels") {
  with_threads(2, [] {
    std::atomic<int> calls{0}, ends{-1};
    bool throws = true;
    lattice* here = nullptr;
    lattice l([&](std::size_t i) {
      ++calls;
      if (static_cast<int>(i) != ends) return;
      if (throws) throw std::runtime_error("body");
      here->g.cancel();
    });
    here = &l;
    flow::frozen_graph frozen(l.g);
    frozen.run_n(9);
    CHECK(calls == 9 * 900);
    for (int const at : {0, 1, 100, 500, 899}) {
      ends = at;
      throws = true;
      CHECK_THROWS_AS(frozen.run(), std::runtime_error);
      throws = false;
      frozen.run();
      CHECK(l.g.is_cancelled());
      ends = -1;
      calls = 0;
      frozen.run();
      CHECK(calls == 900);
    }
  });
}

std::string refusal(graph& g) {
  try {
    flow::frozen_graph const frozen(g);
  } catch (std::invalid_argument const& e) {
    return e.what();
  }
  return "";
}

TEST_CASE("what can't be frozen is refused by name") {
  graph g;
  CHECK(flow::freeze(g).size() == 0);
  flow::freeze(g).run();
  node a(g, [](continue_msg) {}), b(g, [](continue_msg) {});
  make_edge(a, b);
  CHECK(refusal(g).empty());
  {
    node c(g, 1, [](continue_msg) {});
    tbb::profiling::set_name(c, "the third");
    CHECK(refusal(g).find("the third is no continue_node, or waits") != std::string::npos);
  }
  {
    flow::queue_node<continue_msg> q(g);
    CHECK(refusal(g).find("queue_node 2 is no continue_node") != std::string::npos);
  }
  {
    graph other;
    node far(other, [](continue_msg) {});
    make_edge(b, far);
    CHECK(refusal(g).find("a successor that is not in the graph") != std::string::npos);
    remove_edge(b, far);
  }
  {
    graph other;
    node far(other, [](continue_msg) {});
    make_edge(far, b);
    CHECK(refusal(g).find("waits for messages besides those of its edges") != std::string::npos);
    remove_edge(far, b);
  }
  make_edge(b, a);
  CHECK(refusal(g).find("circle") != std::string::npos);
}

TEST_CASE("a body must not run its own graph") {
  graph g;
  std::unique_ptr<flow::frozen_graph> frozen;
  bool thrown = false;
  node a(g, [&](continue_msg) {
    try {
      frozen->run();
    } catch (std::exception const&) {
      thrown = true;
    }
  });
  frozen.reset(new flow::frozen_graph(g));
  frozen->run();
  CHECK(thrown);
}

// The lock that a put takes where there are many successors.
struct opened : ashlar::flow::output_edges {
  static auto its_lock() { return &opened::lock_; }
};
struct opened_node : node {
  using node::node;
  auto& lock() { return successors_.*opened::its_lock(); }
};

TEST_CASE("an output that is in use while the graph is frozen keeps its edges") {
  with_threads(1, [] {
    graph g;
    bool first = false, in_order = false;
    opened_node a(g, [&](continue_msg) { first = true; });
    node b(g, [&](continue_msg) { in_order = first; });
    make_edge(a, b);
    a.lock().lock();
    std::thread user([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      a.lock().unlock();
    });
    std::unique_ptr<flow::frozen_graph> frozen;
    try {
      frozen.reset(new flow::frozen_graph(g));
    } catch (std::invalid_argument const&) {
    }
    user.join();
    REQUIRE(frozen);
    frozen->run();
    CHECK(in_order);
  });
}

#if !FLOW_CLASSIC
// The graph's arena has no place for the thread, which needs memory for its wait.
TEST_CASE("a run for which there is no memory has not begun") {
  bool has_failed = false;
  for (int const n : {1, 2, 3}) {
    CAPTURE(n);
    tbb::task_arena full(1);
    std::unique_ptr<graph> g;
    full.execute([&] { g.reset(new graph); });
    std::atomic<int> runs{0};
    node a(*g, [&](continue_msg) { ++runs; });
    flow::frozen_graph frozen(*g);
    std::atomic<bool> over{false};
    std::atomic<int> runner{0};  // the thread's number
    bool failed = false;
    std::thread other;
    full.execute([&] {
      other = std::thread([&] {
        graph().wait_for_all();  // the thread is known from now on
        first_to_fail = allocations + n;
        runner = ashlar::os::thread_id();
        try {
          frozen.run();
        } catch (std::bad_alloc const&) {
          failed = true;
        }
        first_to_fail = -1;
        over = true;
      });
      // Until it has failed, or waits for this thread's place.
      while (!over && (runner == 0 || ashlar::os::look_at_thread(runner).state != 'S')) std::this_thread::yield();
    });
    other.join();
    int const begun = runs;
    CHECK(begun == (failed ? 0 : 1));
    g->wait_for_all();
    CHECK(runs == begun);
    has_failed |= failed;
  }
  CHECK(has_failed);
}
#endif

}  // namespace
