// SPDX-License-Identifier: Apache-2.0
// Arenas, observers, isolation, phases.
#define TBB_PREVIEW_ISOLATED_TASK_GROUP 1
#define TBB_PREVIEW_PARALLEL_PHASE 1
#include "client.h"

#include <tbb/tbb.h>

#include <xmmintrin.h>
#include <mutex>

using namespace tbb;

namespace tbb::detail::r1 {
__attribute__((visibility("default"))) d1::slot_id execution_slot(d1::task_arena_base const&);
__attribute__((visibility("default"))) void wait(d1::task_arena_base&);
}  // namespace tbb::detail::r1

struct counting : task_scheduler_observer {
  std::atomic<long> in{0}, out{0};
  std::mutex lock;
  counting() = default;
  explicit counting(task_arena& a) : task_scheduler_observer(a) {}
  void on_scheduler_entry(bool) override { ++in; }
  void on_scheduler_exit(bool) override { ++out; }
};

static void basics() {
  task_arena a(4, 1);
  line("inactive", a.is_active());
  line("concurrency", a.max_concurrency());
  line("execute", a.execute([] { return this_task_arena::max_concurrency(); }));
  line("index below", a.execute([] { return this_task_arena::current_thread_index() < 4; }));
  line("slot", detail::r1::execution_slot(a) == 0xffff);
  line("slot inside", a.execute([&] { return detail::r1::execution_slot(a) < 4; }));
  line("threw", thrown([&] { a.execute([] { throw std::runtime_error("arena"); }); }));
  std::atomic<long> done{0};
  for (int i = 0; i < 100; ++i) a.enqueue([&] { ++done; });
  while (done < 100) std::this_thread::yield();
  line("enqueued", done);
  detail::r1::wait(a);
  task_group g;
  a.execute([&] { g.run([&] { ++done; }); });
  a.execute([&] { g.wait(); });
  line("group", done);
#if TBB_INTERFACE_VERSION >= 12040
  a.enqueue(g.defer([&] { ++done; }));
  a.execute([&] { g.wait(); });
  line("handle", done);
#endif
  line("attached outside", task_arena(task_arena::attach{}).max_concurrency() > 0);
  a.execute([] {
    task_arena same(task_arena::attach{});
    line("attached", same.max_concurrency());
  });
  task_arena one(1, 0);
  std::atomic<bool> went{false};
  one.enqueue([&] { went = true; });
  while (!went) std::this_thread::yield();
  line("reserved none", one.max_concurrency());
  a.terminate();
  line("terminated", a.is_active());
  a.initialize(3);
  line("again", a.max_concurrency());
  for (auto p : {task_arena::priority::low, task_arena::priority::normal, task_arena::priority::high}) {
    task_arena with(2, 1, p);
    std::atomic<long> ran{0};
    with.execute([&] { parallel_for(0, 1000, [&](int) { ++ran; }); });
    line("priority", ran);
  }
  task_arena bound(task_arena::constraints(task_arena::automatic, 2));
  line("constrained", bound.execute([] { return this_task_arena::max_concurrency(); }));
  // Full arenas hand their functions to the threads inside.
  task_arena small(1);
  std::atomic<long> sum{0};
  threads(4, [&](int i) { sum += small.execute([i] { return i; }); });
  line("delegated", sum);
  unsigned const bits = 0x8040;
  task_arena plain(2, 1);
  plain.initialize();
  plain.execute([&] {
    _mm_setcsr(_mm_getcsr() | bits);
    unsigned inside = 1;
    plain.execute([&] { inside = _mm_getcsr() & bits; });
    line("fp inside", inside);
    line("fp after", _mm_getcsr() & bits);
  });
  line("fp outside", _mm_getcsr() & bits);
}

static void observers() {
  task_arena a(2);
  counting local(a);
  local.observe();
  a.execute([] { parallel_for(0, 1000, [](int) {}); });
  line("observing", local.is_observing());
  local.observe(false);
  line("entered", local.in > 0);
  line("own exit", local.out > 0);
  line("observing", local.is_observing());
  counting global;
  global.observe(true);
  parallel_for(0, 100000, [](int) {});
  global.observe(false);
  line("global entered", global.in > 0);
}

static void isolation() {
  // In an isolated region a thread takes no outer iteration on top of an inner loop.
  enumerable_thread_specific<int> depth(0);
  std::atomic<long> mixed{0};
  parallel_for(0, 64, [&](int) {
    if (depth.local()++ != 0) ++mixed;
    this_task_arena::isolate([&] { parallel_for(0, 64, [](int) { std::this_thread::yield(); }); });
    --depth.local();
  });
  line("mixed", mixed);
  isolated_task_group groups[3];
  std::atomic<long> ran{0};
  parallel_for(0, 300, [&](int i) {
    isolated_task_group mine;
    mine.run([&] { ++ran; });
    mine.run([&] { parallel_for(0, 10, [&](int) { ++ran; }); });
    mine.wait();
    (void)i;
  });
  for (auto& g : groups) {
    for (int i = 0; i < 100; ++i) g.run([&] { ++ran; });
  }
  for (auto& g : groups) line("isolated", static_cast<long>(g.wait()));
  line("isolated ran", ran);
}

int main() {
  basics();
  observers();
  isolation();
#if TBB_INTERFACE_VERSION >= 12200
  {
    task_arena a(2, 1, task_arena::priority::normal, task_arena::leave_policy::fast);
    a.start_parallel_phase();
    std::atomic<long> ran{0};
    a.execute([&] { parallel_for(0, 100, [&](int) { ++ran; }); });
    a.end_parallel_phase();
    this_task_arena::start_parallel_phase();
    this_task_arena::end_parallel_phase();
    line("phase", ran);
  }
#endif
}
