// SPDX-License-Identifier: Apache-2.0
// Arenas, observers and limits that come and go.
#include "cases.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>

namespace growth {

namespace {

struct counter : tbb::task_scheduler_observer {
  counter() { observe(true); }
  explicit counter(tbb::task_arena& a) : tbb::task_scheduler_observer(a) { observe(true); }
  ~counter() { observe(false); }
  void on_scheduler_entry(bool) override { ++seen; }
  void on_scheduler_exit(bool) override { --seen; }
  std::atomic<long> seen{0};
};

void unused(run& r) {
  exchange_objects(r, 10, [](long) { return new tbb::task_arena(2); }, [](tbb::task_arena&) {});
}
void initialized(run& r) {
  exchange_objects(
      r, 10,
      [](long i) {
        auto* const a = new tbb::task_arena(1 + static_cast<int>(i % 4), static_cast<unsigned>(i % 2),
                                            tbb::task_arena::priority::low);
        a->initialize();
        return a;
      },
      [](tbb::task_arena& a) { a.terminate(); });
}
void executed(run& r) {
  exchange_objects(
      r, 10,
      [](long) {
        auto* const a = new tbb::task_arena(2);
        a->execute([] { tbb::parallel_for(0, 8, [](int) {}); });
        return a;
      },
      [](tbb::task_arena& a) { a.execute([] {}); });
}
// The arena's last task may run after its end.
void enqueued(run& r) {
  std::atomic<long> there{0};
  exchange_objects(
      r, 10,
      [&](long) {
        while (there > 20) std::this_thread::yield();
        ++there;
        auto* const a = new tbb::task_arena(2);
        a->enqueue([&] { --there; });
        return a;
      },
      [](tbb::task_arena&) {});
  while (there > 0) std::this_thread::yield();
}
void enqueued_and_awaited(run& r) {
  exchange_objects(
      r, 10,
      [](long) {
        auto* const a = new tbb::task_arena(2);
        std::atomic<bool> done{false};
        a->enqueue([&] { done = true; });
        while (!done) std::this_thread::yield();
        return a;
      },
      [](tbb::task_arena&) {});
}
void attached(run& r) {
  exchange_objects(
      r, 10,
      [](long) {
        auto* const a = new tbb::task_arena(tbb::task_arena::attach{});
        a->initialize();
        return a;
      },
      [](tbb::task_arena& a) { a.execute([] { tbb::parallel_for(0, 4, [](int) {}); }); });
}
void isolated(run& r) {
  exchange(
      r, 10, [](long) { return tbb::this_task_arena::isolate([] { tbb::parallel_for(0, 4, [](int) {}); }), item{0}; },
      [](item) { tbb::this_task_arena::isolate([] {}); });
}

void observers(run& r) {
  exchange_objects(
      r, 10,
      [](long) {
        auto* const o = new counter;
        tbb::parallel_for(0, 4, [](int) {});
        return o;
      },
      [](counter&) { tbb::parallel_for(0, 4, [](int) {}); });
}
void observers_of_arena(run& r) {
  tbb::task_arena a(4, 2);
  exchange_objects(
      r, 10,
      [&](long) {
        auto* const o = new counter(a);
        a.execute([] { tbb::parallel_for(0, 4, [](int) {}); });
        return o;
      },
      [&](counter&) { a.execute([] { tbb::parallel_for(0, 4, [](int) {}); }); });
}
void observers_of_arenas(run& r) {
  struct pair {
    tbb::task_arena arena{2};
    counter seen{arena};
  };
  exchange_objects(
      r, 10,
      [](long) {
        auto* const p = new pair;
        p->arena.execute([] { tbb::parallel_for(0, 4, [](int) {}); });
        return p;
      },
      [](pair& p) { p.arena.execute([] {}); });
}
void controls(run& r) {
  exchange_objects(
      r, 10,
      [](long i) {
        auto* const c =
            new tbb::global_control(tbb::global_control::max_allowed_parallelism, 2 + static_cast<std::size_t>(i % 4));
        tbb::parallel_for(0, 4, [](int) {});
        return c;
      },
      [](tbb::global_control&) { tbb::parallel_for(0, 4, [](int) {}); });
}

}  // namespace

void add_arenas(table& t) {
  t.push_back({"arenas_unused", 50'000, unused});
  t.push_back({"arenas_initialized", 10'000, initialized});
  t.push_back({"arenas_executed", 10'000, executed});
  t.push_back({"arenas_enqueued", 10'000, enqueued});
  t.push_back({"arenas_enqueued_awaited", 5000, enqueued_and_awaited});
  t.push_back({"arenas_attached", 20'000, attached});
  t.push_back({"isolate", 30'000, isolated});
  t.push_back({"observers", 20'000, observers});
  t.push_back({"observers_of_arena", 10'000, observers_of_arena});
  t.push_back({"observers_of_arenas", 10'000, observers_of_arenas});
  t.push_back({"global_controls", 10'000, controls});
}

}  // namespace growth
