// SPDX-License-Identifier: Apache-2.0
// Memory runs out, and user code throws, at every possible place in turn: the failure is delivered once, as itself, the
// library stays usable, and nothing leaks (under AddressSanitizer).
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include "support/thread_team.h"

#include <atomic>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <thread>

namespace {

// The allocation of this number fails, counted over all threads while it isn't negative.
std::atomic<long> until_failure{-1};

bool fails_now() noexcept { return until_failure >= 0 && until_failure.fetch_sub(1) == 0; }

}  // namespace

void* operator new(std::size_t size) {
  if (fails_now()) throw std::bad_alloc();
  if (void* const p = std::malloc(size != 0 ? size : 1)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  if (fails_now()) throw std::bad_alloc();
  auto const a = static_cast<std::size_t>(alignment);
  if (void* const p = std::aligned_alloc(a, (size + a - 1) / a * a)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
  return fails_now() ? nullptr : std::malloc(size != 0 ? size : 1);
}
void* operator new[](std::size_t size) { return ::operator new(size); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return ::operator new(size, alignment); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace {

// Lets the n-th allocation of `work`, in a new thread (so that its arena is made anew), fail, for all n below `most`.
// Returns how often the failure came out.
template <typename F>
int with_failing_allocations(long most, F const& work) {
  int delivered = 0;
  for (long n = 0; n < most; ++n) {
    std::thread([&] {
      until_failure = n;
      try {
        work();
      } catch (std::bad_alloc const&) {
        ++delivered;
      }
      until_failure = -1;
      // Still usable.
      std::atomic<int> count{0};
      tbb::parallel_for(0, 100, [&](int) { ++count; });
      REQUIRE(count == 100);
    }).join();
  }
  return delivered;
}

std::atomic<int> alive{0};
std::atomic<long> until_throw{-1};

struct copy_failed : std::runtime_error {
  copy_failed() : std::runtime_error("copy") {}
};

// A function, range or body whose copies and splits are counted and may throw.
struct fragile {
  fragile() { ++alive; }
  fragile(fragile const&) {
    if (until_throw >= 0 && until_throw.fetch_sub(1) == 0) throw copy_failed();
    ++alive;
  }
  ~fragile() { --alive; }
};

struct fragile_range : fragile {
  fragile_range(int b, int e) : begin(b), end(e) {}
  fragile_range(fragile_range const&) = default;
  fragile_range(fragile_range& r, tbb::split) : fragile(r), begin((r.begin + r.end) / 2), end(r.end) { r.end = begin; }
  bool empty() const { return begin >= end; }
  bool is_divisible() const { return end - begin > 1; }
  int begin, end;
};

struct fragile_body : fragile {
  fragile_body() = default;
  fragile_body(fragile_body& b, tbb::split) : fragile(b) {}
  void operator()(fragile_range const& r) { sum += r.end - r.begin; }
  void join(fragile_body& right) { sum += right.sum; }
  int sum = 0;
};

// Lets the n-th copy or split fail, for growing n, until none fails.
template <typename F>
void with_failing_copies(F const& work) {
  long n = 0;
  for (bool failed = true; failed; ++n) {
    until_throw = n;
    failed = false;
    try {
      work();
    } catch (copy_failed const&) {
      failed = true;
    }
    // A copy beyond the last one of this run: not reached.
    bool const reached = until_throw < 0;
    REQUIRE(reached == failed);
    until_throw = -1;
    REQUIRE(alive == 0);
    REQUIRE(n < 100000);
  }
  CHECK(n > 1);
}

}  // namespace

TEST_CASE("failing allocations in a loop") {
  CHECK(with_failing_allocations(60, [] { tbb::parallel_for(0, 1000, [](int) {}, tbb::simple_partitioner()); }) > 0);
}

TEST_CASE("failing allocations in deep forks") {
  struct tree {
    static void grow(int depth) {
      if (depth > 0) tbb::parallel_invoke([=] { grow(depth - 1); }, [] {});
    }
  };
  CHECK(with_failing_allocations(30, [] { tree::grow(2000); }) > 0);
}

TEST_CASE("failing allocations in task groups") {
  CHECK(with_failing_allocations(60, [] {
          tbb::task_group group;
          std::atomic<int> ran{0};
          int submitted = 0;
          try {
            for (; submitted < 3000; ++submitted) group.run([&] { ++ran; });
          } catch (std::bad_alloc const&) {
            group.wait();
            CHECK(ran == submitted);
            throw;
          }
          group.wait();
          CHECK(ran == submitted);
        }) > 0);
}

TEST_CASE("failing copies of ranges and bodies") {
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 1);
  with_failing_copies(
      [] { tbb::parallel_for(fragile_range(0, 40), [](fragile_range const&) {}, tbb::simple_partitioner()); });
  with_failing_copies([] { tbb::parallel_for(fragile_range(0, 40), [](fragile_range const&) {}); });
  with_failing_copies([] {
    fragile_body body;
    tbb::parallel_reduce(fragile_range(0, 40), body, tbb::simple_partitioner());
    if (until_throw >= 0) CHECK(body.sum == 40);
  });
  with_failing_copies([] {
    tbb::task_group group;
    fragile f;
    try {
      for (int i = 0; i < 20; ++i) group.run([f] {});
    } catch (...) {
      group.wait();
      throw;
    }
    group.wait();
  });
}

TEST_CASE("failing copies while thieves are at work") {
  test::thread_team const limit(4);
  int delivered = 0;
  for (int round = 0; round < 400; ++round) {
    until_throw = round % 80;
    try {
      fragile_body body;
      tbb::parallel_reduce(fragile_range(0, 200), body, tbb::simple_partitioner());
    } catch (copy_failed const&) {
      ++delivered;
    }
    until_throw = -1;
    REQUIRE(alive == 0);
  }
  CHECK(delivered > 300);
}
