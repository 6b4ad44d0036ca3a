// SPDX-License-Identifier: Apache-2.0
// Memory, controls, topology, exceptions and assertions; and entry points that no header of 2023 calls any more.
#define TBB_PREVIEW_MEMORY_POOL 1
#include "client.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/memory_pool.h>
#include <tbb/scalable_allocator.h>
#include <tbb/tbb.h>

#include <sys/wait.h>
#include <unistd.h>
#include <typeinfo>
#include <vector>

using namespace tbb;

#define R1 __attribute__((visibility("default")))
namespace tbb::detail::r1 {
// In no header, or not in each version's.
using handler = void (*)(char const*, int, char const*, char const*);
R1 handler set_assertion_handler(handler) noexcept;
R1 handler get_assertion_handler() noexcept;
R1 void construct(d1::queuing_rw_mutex&);
R1 unsigned core_type_count(std::intptr_t);
R1 void fill_core_type_indices(int*, std::intptr_t);
R1 void assertion_failure(char const*, int, char const*, char const*);
R1 void* allocate_interleaved(std::size_t, int const*, std::size_t, std::size_t);
R1 void deallocate_interleaved(void*, std::size_t);
R1 int max_concurrency(d1::task_arena_base const*);
R1 void itt_metadata_ptr_add(d1::itt_domain_enum, void*, unsigned long long, string_resource_index, void*);
R1 void itt_metadata_str_add(d1::itt_domain_enum, void*, unsigned long long, string_resource_index, char const*);
}  // namespace tbb::detail::r1
extern "C" int TBB_runtime_interface_version();
extern "C" char const* TBB_runtime_version();

static void memory() {
  cache_aligned_allocator<double> lines;
  double* const d = lines.allocate(100);
  line("aligned", reinterpret_cast<std::uintptr_t>(d) % 64);
  lines.deallocate(d, 100);
  line("line", static_cast<long>(detail::r1::cache_line_size()));
  std::vector<int, tbb_allocator<int>> v(1000, 7);
  line("allocator", v[999]);
  line("kind", tbb_allocator<int>::allocator_type() == tbb_allocator<int>::scalable || true);
  line("too much",
       thrown([] { (void)cache_aligned_allocator<char>().allocate(~std::size_t{0} / 2); }) != std::string("nothing"));
  std::vector<int, scalable_allocator<int>> s(1000, 3);
  line("scalable", s[0] + static_cast<long>(scalable_msize(s.data()) >= 4000));
  void* p = scalable_aligned_malloc(1000, 256);
  line("aligned_malloc", reinterpret_cast<std::uintptr_t>(p) % 256);
  p = scalable_aligned_realloc(p, 5000, 512);
  line("aligned_realloc", reinterpret_cast<std::uintptr_t>(p) % 512);
  scalable_aligned_free(p);
  line("command", scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr) <= 1);
  int const node = 0;
  (void)node;
  void* const inter = detail::r1::allocate_interleaved(1 << 20, nullptr, 0, 0);
  line("interleaved", inter != nullptr);
  if (inter != nullptr) std::memset(inter, 1, 1 << 20), detail::r1::deallocate_interleaved(inter, 1 << 20);
}

static void controls() {
  line("parallelism", static_cast<long>(global_control::active_value(global_control::max_allowed_parallelism)) > 0);
  {
    global_control two(global_control::max_allowed_parallelism, 2);
    global_control one(global_control::max_allowed_parallelism, 1);
    line("one", static_cast<long>(global_control::active_value(global_control::max_allowed_parallelism)));
    std::atomic<long> ran{0};
    parallel_for(0, 1000, [&](int) { ++ran; });
    line("ran", ran);
  }
  global_control stack(global_control::thread_stack_size, 3 << 20);
  line("stack", static_cast<long>(global_control::active_value(global_control::thread_stack_size)));
  line("terminate", static_cast<long>(global_control::active_value(global_control::terminate_on_exception)));
}

static void topology() {
  line("nodes", info::numa_nodes().empty());
  line("node's", info::default_concurrency(info::numa_nodes().front()) == info::default_concurrency());
  std::vector<int> types(detail::r1::core_type_count(0));
  detail::r1::fill_core_type_indices(types.data(), 0);
  line("types", static_cast<long>(types.size()));
#if TBB_INTERFACE_VERSION >= 12040
  task_arena::constraints c;
  line("constraints", info::default_concurrency(c) == info::default_concurrency());
  line("threads per core", detail::r1::constraints_threads_per_core(c, 0) != 0);
#endif
  line("none", detail::r1::max_concurrency(nullptr) == info::default_concurrency());
}

template <typename Type>
static void throws(char const* name, detail::d0::exception_id id) {
  try {
    detail::r1::throw_exception(id);
  } catch (Type const& e) {
    line(name, typeid(e) == typeid(Type));
    line(name, e.what() != nullptr && *e.what() != 0);
  } catch (...) {
    line(name, "another type");
  }
}

// An object that the program itself makes, with the library's table and type information.
template <class Base, class E>
static void throws_own(char const* what, E const& e) {
  try {
    throw e;
  } catch (Base const& caught) {
    line(what, caught.what() != nullptr && dynamic_cast<E const*>(&caught) != nullptr);
  }
}

static void exceptions() {
  using id = detail::d0::exception_id;
  throws<std::bad_alloc>("bad_alloc", id::bad_alloc);
  throws<bad_last_alloc>("bad_last_alloc", id::bad_last_alloc);
  throws<user_abort>("user_abort", id::user_abort);
  throws<missing_wait>("missing_wait", id::missing_wait);
#if TBB_INTERFACE_VERSION >= 12040
  throws<unsafe_wait>("unsafe_wait", id::unsafe_wait);
#endif
  throws<std::invalid_argument>("nonpositive_step", id::nonpositive_step);
  throws<std::out_of_range>("out_of_range", id::out_of_range);
  throws<std::length_error>("length", id::reservation_length_error);
  throws<std::out_of_range>("load", id::invalid_load_factor);
  throws<std::out_of_range>("key", id::invalid_key);
  throws<std::runtime_error>("tag", id::bad_tagged_msg_cast);
  throws_own<std::bad_alloc>("own bad_last_alloc", bad_last_alloc());
  throws_own<std::exception>("own user_abort", user_abort());
  throws_own<std::exception>("own missing_wait", missing_wait());
#if TBB_INTERFACE_VERSION >= 12040
  throws_own<std::runtime_error>("own unsafe_wait", unsafe_wait("of the program"));
#endif
  line("missing", thrown([] {
                    task_group g;
                    g.run([] {
                      while (!is_current_task_group_canceling()) std::this_thread::yield();  // by the destructor
                    });
                  }) != std::string("nothing"));
}

static void assertions() {
  std::fflush(stdout);
  pid_t const child = fork();
  if (child == 0) {
    std::freopen("/dev/null", "w", stderr);
    detail::r1::assertion_failure("here", 1, "two == 2", "why");
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  line("aborts", WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  static char const* seen = "";
  auto const old =
      detail::r1::set_assertion_handler([](char const*, int, char const* what, char const*) { seen = what; });
  line("no handler", old == nullptr);
  line("handler", detail::r1::get_assertion_handler() != nullptr);
  detail::r1::assertion_failure("here", 1, "two == 2", nullptr);
  line("handled", seen);
  detail::r1::set_assertion_handler(old);
}

int main() {
  line("interface", TBB_runtime_interface_version() >= TBB_INTERFACE_VERSION);
  line("version", TBB_runtime_version()[0] == '2');
  memory();
  controls();
  topology();
  exceptions();
  assertions();
  detail::r1::itt_metadata_ptr_add({}, nullptr, 0, {}, nullptr);
  detail::r1::itt_metadata_str_add({}, nullptr, 0, {}, "nothing");
  alignas(queuing_rw_mutex) unsigned char place[sizeof(queuing_rw_mutex)] = {};
  auto& raw = *reinterpret_cast<queuing_rw_mutex*>(place);
  detail::r1::construct(raw);
  {
    queuing_rw_mutex::scoped_lock lock(raw, false);
    line("constructed", lock.upgrade_to_writer());
  }
#if TBB_INTERFACE_VERSION >= 12060
  parallel_for(0, 1000, [](int) {});
  task_scheduler_handle h{attach{}};
  line("full handle", static_cast<bool>(h));
  line("finalized", finalize(h, std::nothrow));
  line("empty handle", static_cast<bool>(h));
  parallel_for(0, 1000, [](int) {});
  task_scheduler_handle again{attach{}};
  parallel_for(0, 2, [&](int i) {
    if (i == 0) line("inside", thrown([&] { finalize(again); }) != std::string("nothing"));
  });
#endif
}
