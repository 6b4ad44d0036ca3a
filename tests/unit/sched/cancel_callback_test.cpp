// SPDX-License-Identifier: Apache-2.0
// cancel_callback, on_cancel, and the bridges to std::stop_token.
#include <support/death.h>
#include <support/eventually.h>

#include <doctest/doctest.h>

#include <tbb/concurrent_queue.h>
#include <tbb/parallel_for.h>
#include <tbb/stop_token.h>
#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

TEST_CASE("cancel_callback: called once, by the thread that cancels") {
  tbb::task_group_context c;
  int calls = 0;
  std::thread::id by;
  auto const callback = c.on_cancel([&] {
    ++calls;
    by = std::this_thread::get_id();
  });
  CHECK(calls == 0);
  std::thread::id canceller;
  std::thread([&] {
    canceller = std::this_thread::get_id();
    CHECK(c.cancel_group_execution());
    CHECK(calls == 1);
    CHECK_FALSE(c.cancel_group_execution());
  }).join();
  CHECK(calls == 1);
  CHECK(by == canceller);
  c.reset();
  c.cancel_group_execution();
  CHECK(calls == 1);
}

TEST_CASE(
    "cancel_callback: at once if the context is cancelled; not after its end; again after reset if it was not called") {
  tbb::task_group_context c;
  int calls = 0;
  {
    auto const gone = c.on_cancel([&] { ++calls; });
  }
  c.cancel_group_execution();
  CHECK(calls == 0);
  tbb::cancel_callback const late(c, [&] { ++calls; });
  CHECK(calls == 1);
  c.reset();
  auto const next = c.on_cancel([&] { ++calls; });
  CHECK(calls == 1);
  c.cancel_group_execution();
  CHECK(calls == 2);
}

TEST_CASE("cancel_callback: the children's are called, others' are not") {
  int children = 0;
  int others = 0;
  tbb::task_group_context parent, other;
  auto const of_other = other.on_cancel([&] { ++others; });
  tbb::task_group group(parent);
  group.run_and_wait([&] {
    tbb::task_group_context child, isolated(tbb::task_group_context::isolated);
    tbb::task_group inner(child), apart(isolated);
    tbb::task_group own;
    auto const of_child = child.on_cancel([&] { ++children; });
    auto const of_own = own.on_cancel([&] { ++children; });
    auto const of_isolated = isolated.on_cancel([&] { ++others; });
    parent.cancel_group_execution();
    CHECK(children == 2);
    // Bound only now, below a context that is cancelled.
    tbb::task_group_context late;
    auto const of_late = late.on_cancel([&] { ++children; });
    CHECK(children == 2);
    tbb::task_group below(late);
    CHECK(children == 3);
  });
  CHECK(others == 0);
}

TEST_CASE("cancel_callback: wakes code that blocks in a task") {
  for (int i = 0; i < 20; ++i) {
    tbb::concurrent_bounded_queue<int> q;
    tbb::task_group g;
    std::atomic<bool> blocks{false};
    bool aborted = false;
    auto const wakes = g.on_cancel([&] {
      while (q.size() >= 0) std::this_thread::yield();  // until somebody blocks
      q.abort();
    });
    std::atomic<int> failed{0};
    auto const counts_failure = [&](auto wait) {
      try {
        wait();
      } catch (std::runtime_error const&) {
        ++failed;
      }
    };
    std::thread beside([&] {
      test::until(blocks);
      counts_failure([&] { g.run_and_wait([] { throw std::runtime_error("a task fails"); }); });
    });
    g.run([&] {
      blocks = true;
      int x = 0;
      try {
        q.pop(x);
      } catch (tbb::user_abort const&) {
        aborted = true;
      }
    });
    counts_failure([&] { g.wait(); });
    beside.join();
    CHECK(failed == 1);
    CHECK(aborted);
  }
}

TEST_CASE("cancel_callback: its destruction waits for another thread that is in it") {
  for (int i = 0; i < 50; ++i) {
    tbb::task_group_context c;
    std::atomic<bool> in{false}, out{false};
    auto callback = std::make_unique<tbb::cancel_callback<std::function<void()>>>(c, [&] {
      in = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      out = true;
    });
    std::thread canceller([&] { c.cancel_group_execution(); });
    test::until(in);
    callback.reset();
    CHECK(out);
    canceller.join();
  }
}

TEST_CASE("cancel_callback: a callback destroys itself, destroys others, makes others, cancels others") {
  tbb::task_group_context c, d;
  using callback = tbb::cancel_callback<std::function<void()>>;
  std::optional<callback> first, second, made, of_d;
  int calls = 0;
  second.emplace(c, [&] { calls += 100; });
  first.emplace(c, [&] { ++calls; });
  tbb::cancel_callback<std::function<void()>> const before(d, [&] { calls += 10; });
  second.reset();
  second.emplace(c, [&] { calls += 1000; });
  first.reset();
  first.emplace(d, [&] {
    second.reset();  // it was attached to c
    made.emplace(d, [&] { calls += 2; });
    of_d.emplace(c, [&] { calls += 4; });
    c.cancel_group_execution();
    auto* const counted = &calls;  // the closure goes
    first.reset();
    ++*counted;
  });
  d.cancel_group_execution();
  CHECK(calls == 10 + 2 + 4 + 1);
}

TEST_CASE("cancel_callback: one that another one destroys before its turn is not called") {
  tbb::task_group_context c;
  int calls = 0;
  using callback = tbb::cancel_callback<std::function<void()>>;
  std::optional<callback> a, b;
  a.emplace(c, [&] {
    ++calls;
    b.reset();
  });
  b.emplace(c, [&] {
    ++calls;
    a.reset();
  });
  c.cancel_group_execution();
  CHECK(calls == 1);
}

TEST_CASE("cancel_callback: one that outlives its context is not called any more") {
  int calls = 0;
  auto c = std::make_unique<tbb::task_group_context>();
  auto const callback = c->on_cancel([&] { ++calls; });
  c.reset();
  tbb::task_group_context other;
  other.cancel_group_execution();
  CHECK(calls == 0);
}

TEST_CASE("cancel_callback: many contexts, made and cancelled by many threads") {
  std::atomic<int> calls{0};
  std::vector<std::thread> crew;
  constexpr int threads = 8;
  constexpr int each = 500;
  for (int t = 0; t < threads; ++t) {
    crew.emplace_back([&] {
      for (int i = 0; i < each; ++i) {
        tbb::task_group_context c;
        auto const one = c.on_cancel([&] { ++calls; });
        auto const two = c.on_cancel([&] { ++calls; });
        c.cancel_group_execution();
      }
    });
  }
  for (std::thread& t : crew) t.join();
  CHECK(calls == threads * each * 2);
}

TEST_CASE("cancel_callback: made while another thread cancels, it is called") {
  for (int i = 0; i < 2000; ++i) {
    tbb::task_group_context c;
    std::atomic<int> calls{0};
    std::atomic<bool> go{false};
    std::thread canceller([&] {
      test::until(go);
      c.cancel_group_execution();
    });
    go = true;
    {
      auto const callback = c.on_cancel([&] { ++calls; });
      canceller.join();
      CHECK(calls == 1);
    }
  }
}

TEST_CASE("cancel_callback: a copy that throws leaves nothing behind") {
  struct throws {
    throws() = default;
    throws(throws const&) { throw std::runtime_error("copy"); }
    void operator()() const {}
  };
  tbb::task_group_context c;
  throws const f;
  CHECK_THROWS_AS(static_cast<void>(c.on_cancel(f)), std::runtime_error);
  c.cancel_group_execution();
}

TEST_CASE("cancel_callback: a function that throws ends the process") {
  test::death const end = test::run_in_child([] {
    tbb::task_group_context c;
    auto const callback = c.on_cancel([] { throw std::runtime_error("callback"); });
    c.cancel_group_execution();
  });
  CHECK(end.by_signal(SIGABRT));
}

#ifdef __cpp_lib_jthread
TEST_CASE("stop_token: a stop cancels, and a cancellation stops") {
  std::stop_source source;
  tbb::task_group_context c;
  {
    tbb::cancel_on_stop const there(source.get_token(), c);
    tbb::stop_on_cancel const back(c, source);
    std::atomic<bool> runs{false};
    std::thread stopper([&] {
      test::until(runs);
      source.request_stop();
    });
    tbb::parallel_for(
        0, 4,
        [&](int) {
          runs = true;
          while (!tbb::is_current_task_group_canceling()) std::this_thread::yield();
        },
        c);
    CHECK(c.is_group_execution_cancelled());
    stopper.join();
  }
  std::stop_source other;
  tbb::stop_on_cancel const late(c, other);
  CHECK(other.stop_requested());
  tbb::task_group g;
  std::stop_source of_group;
  tbb::stop_on_cancel const bridge(g, of_group);
  g.run([] { throw std::runtime_error("a task fails"); });
  CHECK_THROWS_AS(g.wait(), std::runtime_error);
  CHECK(of_group.stop_requested());
  tbb::task_group_context d;
  tbb::cancel_on_stop const at_once(of_group.get_token(), d);
  CHECK(d.is_group_execution_cancelled());
}
#endif
