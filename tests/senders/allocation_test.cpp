// SPDX-License-Identifier: Apache-2.0
// The allocations of the process, all threads', while senders run. Sanitizers have a malloc of their own.
#include "recording_receiver.h"

#include <ashlar/base/config.h>

#if !ASHLAR_TSAN && !ASHLAR_ASAN && defined(__GLIBC__)

#include <tbb/task_group.h>

#include <doctest/doctest.h>

#if !SENDERS_OF_BEMAN
#include <exec/start_detached.hpp>
#endif

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>

namespace {
std::atomic<long> allocations{0};
}
extern "C" {
// NOLINTBEGIN: glibc's names
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* p, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
// NOLINTEND
void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, size);
}
void* realloc(void* p, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(p, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}
}

namespace {

constexpr int at_once = 100;

/// Calls f(n), which starts n operations and waits for them, for more than a second, in which threads sleep and wake
/// and the library looks at its quota. The allocations beyond `each` for each operation, after that with more of them
/// has made what is kept.
template <typename F>
long allocations_beyond(long each, F const& f) {
  using std::chrono::steady_clock;
  auto const run_for = [&](std::chrono::milliseconds time, int n) {
    long operations = 0;
    for (auto const end = steady_clock::now() + time; steady_clock::now() < end; operations += n) f(n);
    return operations;
  };
  run_for(std::chrono::milliseconds(200), 10 * at_once);
  long const before = allocations.load();
  long const operations = run_for(std::chrono::milliseconds(600), 1) + run_for(std::chrono::milliseconds(600), at_once);
  return allocations.load() - before - each * operations;
}

/// From outside of tasks, whose work is enqueued, and from inside of one, whose work is spawned.
template <typename F>
void from_everywhere(F const& f) {
  f();
  tbb::task_group group;
  group.run_and_wait(f);
  tbb::task_arena(2).execute([&] {
    tbb::task_group inner;
    inner.run_and_wait(f);
  });
}

}  // namespace

TEST_CASE("an operation that is connected and started allocates nothing, wherever it is started") {
  tbb::task_arena other(2);
  from_everywhere([&] {
    for (arena_scheduler const s : {own_scheduler(), arena_scheduler(other)}) {
      auto const sender = ex::schedule(s) | ex::then([]() noexcept {});
      using operation = decltype(ex::connect(sender, recording_receiver(std::declval<record&>())));
      struct one {
        explicit one(decltype(sender) const& work) : state(ex::connect(work, recording_receiver(r))) {}
        record r;
        operation state;
      };
      alignas(one) static std::byte places[10 * at_once][sizeof(one)];
      CHECK(allocations_beyond(0, [&](int n) {
              for (int i = 0; i < n; ++i) ex::start((::new (places[i]) one(sender))->state);
              for (int i = 0; i < n; ++i) {
                one& o = *std::launder(reinterpret_cast<one*>(places[i]));
                o.r.wait();
                o.~one();
              }
            }) == 0);
    }
  });
}

TEST_CASE("sync_wait allocates nothing") {
  from_everywhere([] {
    CHECK(allocations_beyond(0, [](int n) {
            for (int i = 0; i < n; ++i) ex::sync_wait(ex::schedule(own_scheduler()) | ex::then([] { return 1; }));
          }) == 0);
  });
}

TEST_CASE("a sender that is spawned into a group is one allocation") {
  from_everywhere([] {
    CHECK(allocations_beyond(1, [](int n) {
            tbb::task_group group;
            for (int i = 0; i < n; ++i) {
              ex::spawn(ex::schedule(own_scheduler()) | ex::then([]() noexcept {}), tbb::execution::group_token(group));
            }
            group.wait();
          }) == 0);
  });
}

#if !SENDERS_OF_BEMAN
TEST_CASE("start_detached is one allocation, the implementation's") {
  from_everywhere([] {
    CHECK(allocations_beyond(1, [](int n) {
            std::atomic<int> over{0};
            for (int i = 0; i < n; ++i) {
              exec::start_detached(ex::schedule(own_scheduler()) | ex::then([&over]() noexcept { ++over; }));
            }
            while (over < n) std::this_thread::yield();
          }) == 0);
  });
}
#endif

#endif
