// SPDX-License-Identifier: Apache-2.0
// Tasks: enqueued, deferred, of groups, suspended, and as coroutines; and their contexts.
#include "cases.h"
#include "posting.h"
#include "slots.h"

#include <tbb/concurrent_queue.h>
#include <tbb/parallel_for.h>
#include <tbb/task.h>
#include <tbb/task_group.h>
#if SOAK_OURS
#include <tbb/coroutine.h>
#endif

#include <array>
#include <stdexcept>

namespace growth {

namespace {

constexpr long live = 1000;

void enqueue(run& r) {
  post(r, live, [](tbb::task_arena& a, auto ended) { a.enqueue(ended); });
}
void enqueue_large(run& r) {
  std::array<char, 300> const large{};
  post(r, live,
       [&](tbb::task_arena& a, auto ended) { a.enqueue([large, ended] { static_cast<void>(large[0]), ended(); }); });
}
void enqueue_text(run& r) {
  std::atomic<long> made{0};
  post(r, live, [&](tbb::task_arena& a, auto ended) { a.enqueue([x = some_text(made++), ended] { ended(); }); });
}
void enqueue_deferred(run& r) {
  tbb::task_group g;
  post(r, live, [&](tbb::task_arena& a, auto ended) { a.enqueue(g.defer(ended)); });
  g.wait();
}
void run_in_arena(run& r) {
  tbb::task_group g;
  post(r, live, [&](tbb::task_arena& a, auto ended) { a.execute([&] { g.run(ended); }); });
  g.wait();
}
void run_handle(run& r) {
  tbb::task_group g;
  post(r, live, [&](tbb::task_arena& a, auto ended) {
    a.enqueue([&g, ended] {
      auto handle = g.defer(ended);
      g.run(std::move(handle));
    });
  });
  g.wait();
}

// The threads that make wait for the group now and then.
template <typename Make>
void in_group(run& r, Make const& make) {
  in_slots(r, [&] {
    pace p(r.m);
    tbb::task_group g;
    for (long i = 0; p.step(); ++i) {
      make(g, i);
      if (i % live == live - 1) g.wait();
    }
    g.wait();
  });
}
void group_run(run& r) {
  in_group(r, [](tbb::task_group& g, long i) { g.run([x = some_text(i)] { static_cast<void>(x); }); });
}
void group_and_wait(run& r) {
  in_group(r, [](tbb::task_group& g, long i) {
    g.run([i] { static_cast<void>(i); });
    g.run_and_wait([] {});
  });
}
void group_nested(run& r) {
  in_group(r, [](tbb::task_group& g, long) {
    g.run([] {
      tbb::task_group inner;
      inner.run([] {});
      inner.run_and_wait([] {});
    });
  });
}
void group_cancelled(run& r) {
  in_group(r, [](tbb::task_group& g, long i) {
    g.run([] {});
    if (i % 10 == 0) g.cancel();
    if (i % 100 == 0) g.wait();
  });
}
void group_throws(run& r) {
  in_group(r, [](tbb::task_group& g, long) {
    g.run([] { throw std::runtime_error("expected"); });
    try {
      g.wait();
    } catch (std::runtime_error const&) {
    }
  });
}
// All in one group: its tasks run the next, so that it is never over.
void group_endless(run& r) {
  tbb::task_group g;
  post(r, live,
       [&](tbb::task_arena& a, auto ended) { a.enqueue([&g, ended] { g.run([&g, ended] { g.run(ended); }); }); });
  g.wait();
}
void groups(run& r) {
  exchange_objects(
      r, 100,
      [](long i) {
        auto* const g = new tbb::task_group;
        g->run_and_wait([] {});
        if (i % 2 == 0) g->run_and_wait([] { tbb::parallel_for(0, 2, [](int) {}); });
        return g;
      },
      [](tbb::task_group& g) { g.run_and_wait([] {}); });
}

void contexts(run& r) {
  exchange_objects(
      r, 100,
      [](long i) {
        auto* const c = new tbb::task_group_context(i % 2 == 0 ? tbb::task_group_context::isolated
                                                               : tbb::task_group_context::bound);
        tbb::parallel_for(0, 2, [](int) {}, tbb::auto_partitioner(), *c);
        return c;
      },
      [](tbb::task_group_context& c) {
        c.cancel_group_execution();
        c.reset();
        tbb::parallel_for(0, 2, [](int) {}, tbb::auto_partitioner(), c);
      });
}
// Contexts of tasks, bound to the one that the tasks run in.
void contexts_bound(run& r) {
  tbb::task_group g;
  post(r, 100, [&](tbb::task_arena& a, auto ended) {
    a.enqueue(g.defer([ended] {
      tbb::task_group_context c;
      tbb::parallel_for(0, 2, [](int) {}, tbb::auto_partitioner(), c);
      ended();
    }));
  });
  g.wait();
}

// Each task lets the one go on that stopped before it; a thread does so with the last.
void suspended_ring(run& r) {
  std::atomic<tbb::task::suspend_point> stopped{};
  std::atomic<bool> over{false};
  auto const resume_one = [&](tbb::task::suspend_point p) {
    if (auto const before = stopped.exchange(p); before != tbb::task::suspend_point{}) tbb::task::resume(before);
  };
  std::thread last([&] {
    for (; !over; std::this_thread::yield()) {
      if (r.m.over()) resume_one({});
    }
  });
  post(r, 30, [&](tbb::task_arena& a, auto ended) {
    a.enqueue([&, ended] {
      tbb::task::suspend(resume_one);
      ended();
    });
  });
  over = true;
  last.join();
}
// The arena's tasks stop; as many other threads as the shape has enders let them go on.
void suspended(run& r) {
  if (r.form == shape::ring) return suspended_ring(r);
  tbb::concurrent_bounded_queue<tbb::task::suspend_point> points;
  std::vector<std::thread> resumers;
  for (unsigned t = 0; t < enders(r.form); ++t) {
    resumers.emplace_back([&] {
      for (tbb::task::suspend_point p{}; points.pop(p), p != tbb::task::suspend_point{};) tbb::task::resume(p);
    });
  }
  post(r, 30, [&](tbb::task_arena& a, auto ended) {
    a.enqueue([&, ended] {
      tbb::task::suspend([&](tbb::task::suspend_point p) { points.push(p); });
      ended();
    });
  });
  for (std::size_t t = 0; t < resumers.size(); ++t) points.push({});
  for (std::thread& t : resumers) t.join();
}

#if SOAK_OURS
tbb::co_task<std::string> text_of(long i) { co_return some_text(i); }
tbb::co_task<> coroutine_of(long i, std::function<void()> ended) {
  tbb::task_group inner;
  inner.run([] {});
  static_cast<void>(co_await text_of(i));
  co_await inner;
  ended();
}
void coroutines(run& r) {
  tbb::task_group g;
  std::atomic<long> made{0};
  post(r, 100,
       [&](tbb::task_arena& a, auto ended) { a.enqueue([&, ended] { tbb::co_run(g, coroutine_of(made++, ended)); }); });
  g.wait();
}
void coroutines_unstarted(run& r) {
  exchange_objects(
      r, 100, [](long i) { return new tbb::co_task<std::string>(text_of(i)); }, [](tbb::co_task<std::string>&) {});
}
#endif

}  // namespace

void add_tasks(table& t) {
  t.push_back({"enqueue", 300'000, enqueue});
  t.push_back({"enqueue_large", 200'000, enqueue_large});
  t.push_back({"enqueue_text", 200'000, enqueue_text});
  t.push_back({"enqueue_deferred", 200'000, enqueue_deferred});
  t.push_back({"group_run_in_arena", 30'000, run_in_arena});
  t.push_back({"group_run_handle", 100'000, run_handle});
  t.push_back({"group_run", 500'000, group_run});
  t.push_back({"group_run_and_wait", 50'000, group_and_wait});
  t.push_back({"group_nested", 100'000, group_nested});
  t.push_back({"group_cancelled", 100'000, group_cancelled});
  t.push_back({"group_throws", 10'000, group_throws});
  t.push_back({"group_endless", 200'000, group_endless});
  t.push_back({"groups", 50'000, groups});
  t.push_back({"contexts", 50'000, contexts});
  t.push_back({"contexts_bound", 50'000, contexts_bound});
  t.push_back({"suspend", 10'000, suspended});
#if SOAK_OURS
  t.push_back({"coroutine", 50'000, coroutines});
  t.push_back({"coroutine_unstarted", 200'000, coroutines_unstarted});
#endif
}

}  // namespace growth
