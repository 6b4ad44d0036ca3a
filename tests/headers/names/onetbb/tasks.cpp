// SPDX-License-Identifier: Apache-2.0
// What a program written for oneTBB may write with versions, exceptions, tasks, groups, arenas, observers and controls.
// It compiles with oneTBB's own headers as well, so it states oneTBB's interface and not ours. Compiled only.
#define TBB_PREVIEW_ISOLATED_TASK_GROUP 1
#define TBB_PREVIEW_TASK_GROUP_EXTENSIONS 1
#include <oneapi/tbb.h>
#include <tbb/tbb.h>

#include <stdexcept>
#include <type_traits>

namespace {

void version() {
  static_assert(TBB_VERSION_MAJOR >= 2021 && TBB_VERSION_MINOR >= 0 && TBB_VERSION_PATCH >= 0 &&
                ONETBB_SPEC_VERSION >= 100);
  static_assert(TBB_INTERFACE_VERSION >= 12000 && TBB_INTERFACE_VERSION_MAJOR == TBB_INTERFACE_VERSION / 1000);
  static_assert(TBB_INTERFACE_VERSION_MINOR >= 0);
  char const* const text = TBB_VERSION_STRING;
  (void)(text == TBB_runtime_version() ? TBB_runtime_interface_version() : 0);
  static_assert(std::is_same_v<oneapi::tbb::spin_mutex, tbb::spin_mutex>);
}

void exceptions() {
  static_assert(std::is_base_of_v<std::bad_alloc, tbb::bad_last_alloc> &&
                std::is_base_of_v<std::exception, tbb::missing_wait>);
  static_assert(std::is_base_of_v<std::exception, tbb::user_abort> &&
                std::is_base_of_v<std::runtime_error, tbb::unsafe_wait>);
}

void groups() {
  tbb::task_group_context context(tbb::task_group_context::isolated),
      bound(tbb::task_group_context::bound, tbb::task_group_context::default_traits);
  tbb::task_group_context floating(tbb::task_group_context::bound, tbb::task_group_context::fp_settings);
  context.capture_fp_settings();
  (void)(context.cancel_group_execution() + context.is_group_execution_cancelled());
  context.reset();
  (void)context.traits();
  tbb::task_group group, in_context(context);
  group.run([] {});
  tbb::task_handle handle = group.defer([] {});
  tbb::task_handle empty;
  (void)(empty == nullptr);
  empty = std::move(handle);
  group.run(std::move(empty));
  tbb::task_group_status const status = group.run_and_wait([] {});
  (void)(status == tbb::complete || status == tbb::canceled || status == tbb::not_complete);
  (void)group.wait();
  group.cancel();
  (void)tbb::is_current_task_group_canceling();
  tbb::isolated_task_group isolated;
  isolated.run([] {});
  (void)isolated.run_and_wait([] {});
  (void)tbb::task::current_context();
  tbb::task::suspend([](tbb::task::suspend_point point) { tbb::task::resume(point); });
}

void arenas() {
  tbb::task_arena arena, sized(4), reserved(4, 2), ranked(4, 1, tbb::task_arena::priority::high),
      attached(tbb::attach{}), copied(arena);
  tbb::task_arena::constraints wanted(tbb::task_arena::automatic, 2);
  wanted.set_numa_id(tbb::task_arena::automatic)
      .set_core_type(tbb::task_arena::automatic)
      .set_max_concurrency(2)
      .set_max_threads_per_core(1);
  tbb::task_arena constrained(wanted), constrained_more(wanted, 1, tbb::task_arena::priority::low);
  arena.initialize();
  sized.initialize(2, 1);
  attached.initialize(tbb::attach{});
  (void)(arena.is_active() + arena.max_concurrency());
  tbb::task_group group;
  arena.enqueue([] {});
  arena.enqueue(group.defer([] {}));
  auto const one = [] { return 1L; };
  static_assert(std::is_same_v<decltype(arena.execute(one)), long>);
  arena.execute([] {});
  arena.terminate();
  (void)(tbb::this_task_arena::current_thread_index() + tbb::this_task_arena::max_concurrency());
  (void)tbb::this_task_arena::isolate([] { return 1; });
  tbb::this_task_arena::enqueue([] {});
  tbb::this_task_arena::enqueue(group.defer([] {}));
  (void)(tbb::info::default_concurrency() + tbb::info::default_concurrency(wanted) +
         int(tbb::info::numa_nodes().size() + tbb::info::core_types().size()));
  static_assert(tbb::task_arena::not_initialized == -2 && tbb::task_arena::automatic == -1);
}

struct watching : tbb::task_scheduler_observer {
  watching() = default;
  explicit watching(tbb::task_arena& arena) : tbb::task_scheduler_observer(arena) {}
  ~watching() override { observe(false); }
  void on_scheduler_entry(bool) override {}
  void on_scheduler_exit(bool) override {}
};

void controls() {
  tbb::task_arena arena;
  watching watch, watch_arena(arena);
  watch.observe(true);
  (void)watch.is_observing();
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2),
      stack(tbb::global_control::thread_stack_size, 1 << 20);
  tbb::global_control ends(tbb::global_control::terminate_on_exception, 0);
  (void)tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  tbb::task_scheduler_handle handle{tbb::attach{}}, none;
  handle = tbb::attach();  // Numba does
  none = std::move(handle);
  none.release();
  tbb::task_scheduler_handle last = tbb::task_scheduler_handle{tbb::attach{}};
  (void)(bool(last) && tbb::finalize(last, std::nothrow));
  tbb::tick_count const begin = tbb::tick_count::now();
  tbb::tick_count::interval_t took = tbb::tick_count::now() - begin;
  took += tbb::tick_count::interval_t(0.5);
  (void)(took.seconds() + tbb::tick_count::resolution());
  static_assert(std::is_base_of_v<tbb::tick_count::clock_type::duration, tbb::tick_count::interval_t>);
  (void)(std::chrono::duration_cast<std::chrono::milliseconds>(took) > std::chrono::seconds(1));
  took = (took + took) - tbb::tick_count::interval_t();
}

}  // namespace

void use_tasks();
void use_tasks() {
  version();
  exceptions();
  groups();
  arenas();
  controls();
}
