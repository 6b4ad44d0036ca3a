// SPDX-License-Identifier: Apache-2.0
// Thread-local storage with threads that begin and end, and such threads with the rest of the library.
#include "cases.h"

#include <tbb/combinable.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/queuing_mutex.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>

#include <array>

namespace growth {

namespace {

// Large enough that a few thousand that are left show.
using large = std::array<char, 1000>;

template <tbb::ets_key_usage_type Key>
void specific(run& r) {
  tbb::enumerable_thread_specific<large, tbb::cache_aligned_allocator<large>, Key> e;
  short_threads(r, [&](long i) { e.local()[0] = static_cast<char>(i); });
}
void combined(run& r) {
  tbb::combinable<large> c;
  short_threads(r, [&](long i) { c.local()[0] = static_cast<char>(i); });
}
// Each thread has elements in many, and all are emptied now and then.
void several(run& r) {
  std::vector<tbb::enumerable_thread_specific<std::string>> all(50);
  short_threads(r, [&](long i) {
    for (auto& e : all) e.local() = some_text(i);
  });
}

template <typename Storage>
void storages(run& r) {
  exchange_objects(
      r, 20,
      [](long i) {
        auto* const e = new Storage;
        e->local()[0] = static_cast<char>(i);
        return e;
      },
      [](Storage& e) { e.local()[0] = 1; });
}

void loops(run& r) {
  short_threads(r, [](long) { tbb::parallel_for(0, 10, [](int) {}); });
}
void groups(run& r) {
  short_threads(r, [](long) {
    tbb::task_group g;
    for (int i = 0; i < 5; ++i) g.run([] {});
    g.wait();
  });
}
void enqueued(run& r) {
  tbb::task_arena a(2, 0);
  short_threads(r, [&](long) {
    std::atomic<int> left{5};
    for (int i = 0; i < 5; ++i) a.enqueue([&] { --left; });
    while (left > 0) std::this_thread::yield();
  });
}
void executed(run& r) {
  tbb::task_arena a(4, 2);
  short_threads(r, [&](long) { a.execute([] { tbb::parallel_for(0, 10, [](int) {}); }); });
}
void observed(run& r) {
  struct counter : tbb::task_scheduler_observer {
    void on_scheduler_entry(bool) override { ++seen; }
    std::atomic<long> seen{0};
  } o;
  o.observe(true);
  short_threads(r, [](long) { tbb::parallel_for(0, 10, [](int) {}); });
  o.observe(false);
}
void locked(run& r) {
  tbb::queuing_mutex lock;
  short_threads(r, [&](long) {
    for (int i = 0; i < 10; ++i) tbb::queuing_mutex::scoped_lock const guard(lock);
  });
}

}  // namespace

void add_thread_local(table& t) {
  using plain = tbb::enumerable_thread_specific<large>;
  using keyed = tbb::enumerable_thread_specific<large, tbb::cache_aligned_allocator<large>, tbb::ets_key_per_instance>;
  t.push_back({"ets_short_threads", 4000, specific<tbb::ets_no_key>});
  t.push_back({"ets_key_short_threads", 4000, specific<tbb::ets_key_per_instance>});
  t.push_back({"ets_suspend_aware_short_threads", 4000, specific<tbb::ets_suspend_aware>});
  t.push_back({"combinable_short_threads", 4000, combined});
  t.push_back({"many_ets_short_threads", 2000, several});
  t.push_back({"ets_objects", 40'000, storages<plain>});
  t.push_back({"ets_key_objects", 40'000, storages<keyed>});
  t.push_back({"combinable_objects", 40'000, storages<tbb::combinable<large>>});
  t.push_back({"parallel_for_short_threads", 2500, loops});
  t.push_back({"task_group_short_threads", 2500, groups});
  t.push_back({"enqueue_short_threads", 2500, enqueued});
  t.push_back({"execute_short_threads", 2500, executed});
  t.push_back({"observer_short_threads", 2500, observed});
  t.push_back({"queuing_mutex_short_threads", 2500, locked});
}

}  // namespace growth
