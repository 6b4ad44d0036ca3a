// SPDX-License-Identifier: Apache-2.0
// The allocations of the process, all threads', while senders run. Sanitizers have a malloc of their own.
#include "recording_receiver.h"

#include <ashlar/base/config.h>

#if !ASHLAR_TSAN && !ASHLAR_ASAN && defined(__GLIBC__)

#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>

namespace {
std::atomic<long> allocations{0};
}
extern "C" {
void* __libc_malloc(std::size_t size);  // NOLINT: glibc's name
void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
}

namespace {

constexpr int many = 1000;

/// How many there are in `many` calls, after others have made what is kept.
template <typename F>
long allocations_of(F const& f) {
  for (int i = 0; i < many; ++i) f();
  long const before = allocations.load();
  for (int i = 0; i < many; ++i) f();
  return allocations.load() - before;
}

}  // namespace

TEST_CASE("an operation that is connected and started allocates nothing") {
  tbb::task_arena arena(2);
  for (arena_scheduler const s : {own_scheduler(), arena_scheduler(arena)}) {
    CHECK(allocations_of([&] {
            record r;
            auto operation = ex::connect(ex::schedule(s) | ex::then([] {}), recording_receiver(r));
            ex::start(operation);
            r.wait();
          }) <= many / 20);  // a part of the queue of enqueued jobs, which has room for some thirty
  }
}

TEST_CASE("sync_wait allocates nothing") {
  CHECK(allocations_of([] { ex::sync_wait(ex::schedule(own_scheduler()) | ex::then([] { return 1; })); }) == 0);
}

TEST_CASE("a sender that is spawned into a group is one allocation") {
  tbb::task_group group;
  CHECK(allocations_of([&] {
          ex::spawn(ex::schedule(own_scheduler()) | ex::then([]() noexcept {}), tbb::execution::group_token(group));
          group.wait();
        }) <= many + many / 20);
}

#endif
