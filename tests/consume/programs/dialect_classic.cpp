// SPDX-License-Identifier: Apache-2.0
// With dialect_header.cpp and dialect_onetbb.cpp: files of both dialects in one program. This one is compiled with the
// macro, and declares classes that the library's functions know by itself, where classic TBB has them.
namespace tbb {
namespace interface6 {
class task_scheduler_observer;
}
namespace interface7 {
class task_arena;
}
namespace interface9 {
class global_control;
}
}  // namespace tbb
bool use_declared(tbb::interface7::task_arena& arena, tbb::interface6::task_scheduler_observer& observer);

#include <tbb/tbb.h>

static_assert(TBB_INTERFACE_VERSION < 12000, "compiled with -DASHLAR_CLASSIC_DIALECT=1");

struct counting : tbb::filter {
  counting() : tbb::filter(tbb::filter::serial_in_order) {}
  void* operator()(void*) override { return made < 10 ? &items[made++] : nullptr; }
  int made = 0;
  int items[10] = {};
};

struct told : tbb::task_scheduler_observer {
  void on_scheduler_entry(bool) override { entered = true; }
  tbb::atomic<bool> entered;
};
struct marking : tbb::task {
  explicit marking(tbb::atomic<bool>& d) : done(d) {}
  tbb::task* execute() override {
    done = true;
    return nullptr;
  }
  tbb::atomic<bool>& done;
};

bool use_declared(tbb::interface7::task_arena& arena, tbb::interface6::task_scheduler_observer& observer) {
  observer.observe(true);
  tbb::atomic<bool> done;
  done = false;
  tbb::task::enqueue(*new (tbb::task::allocate_root()) marking(done), arena);
  arena.debug_wait_until_empty();
  observer.observe(false);
  return done && arena.max_concurrency() == 2;
}

static bool use_homes() {
  tbb::interface9::global_control three(tbb::global_control::max_allowed_parallelism, 3);
  tbb::task_arena arena(2);
  told observer;
  observer.entered = false;
  return use_declared(arena, observer) && observer.entered &&
         tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) == 3;
}

int count_classic();

int count_classic() {
  tbb::task_scheduler_init init(2);
  tbb::mutex m;
  tbb::mutex::scoped_lock lock(m);
  bool const of_the_system = m.native_handle() != nullptr;
  counting source;
  tbb::pipeline line;
  line.add_filter(source);
  line.run(2);
  line.clear();
  return of_the_system && use_homes() ? source.made : 0;
}
