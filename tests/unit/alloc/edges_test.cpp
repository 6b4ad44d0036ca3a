// SPDX-License-Identifier: Apache-2.0
// Sizes around every class, requests of nothing, errno, address space, what is kept for how long.
#include "alloc/size_class.h"

#include <ashlar/base/config.h>
#include <doctest/doctest.h>

#include <ashlar/alloc/malloc_stats.h>
#include <support/again.h>
#include <support/death.h>
#include <support/emulator.h>
#include <support/process_memory.h>
#include <tbb/scalable_allocator.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t mb = std::size_t{1} << 20;

ashlar_malloc_stats stats() {
  ashlar_malloc_stats s;
  ashlar_malloc_get_stats(&s);
  return s;
}

void sleep_ms(long ms) {
  timespec const t{ms / 1000, ms % 1000 * 1000000};
  nanosleep(&t, nullptr);
}

// Allocates, touches and frees `bytes` in objects of 100 KB.
void round_of(std::size_t bytes) {
  std::vector<void*> objects(bytes / 100000);
  for (void*& p : objects) {
    p = scalable_malloc(100000);
    std::memset(p, 1, 100000);
  }
  for (void* p : objects) {
    scalable_free(p);
  }
}

}  // namespace

TEST_CASE("sizes at, below and above the size of every class") {
  using namespace ashlar::alloc;
  for (unsigned c = 0; c < class_count; ++c) {
    for (std::size_t size = class_size(c) - 1; size <= class_size(c) + 1; ++size) {
      CAPTURE(size);
      auto* p = static_cast<unsigned char*>(scalable_malloc(size));
      REQUIRE(p != nullptr);
      std::size_t const usable = scalable_msize(p);
      REQUIRE(usable >= size);
      if (size > 64 && size <= small_limit) {
        // A quarter too much at most, or, of an object that has a run of units for itself, less than a unit.
        CHECK((usable * 4 <= (size + 1) * 5 || (size > 8192 && usable < size + unit_bytes)));
      }
      std::memset(p, 0xa5, usable);
      p = static_cast<unsigned char*>(scalable_realloc(p, size + 1));
      REQUIRE(p != nullptr);
      CHECK(p[0] == 0xa5);
      CHECK(p[size - 1] == 0xa5);
      scalable_free(p);
      auto* const zero = static_cast<unsigned char*>(scalable_calloc(size, 1));
      REQUIRE(zero != nullptr);
      CHECK(zero[0] == 0);
      CHECK(zero[size - 1] == 0);
      scalable_free(zero);
    }
  }
}

TEST_CASE("requests of nothing give distinct objects that can be freed") {
  void* aligned = nullptr;
  CHECK(scalable_posix_memalign(&aligned, 64, 0) == 0);
  void* const objects[] = {scalable_malloc(0),
                           scalable_malloc(0),
                           scalable_calloc(0, 5),
                           scalable_calloc(5, 0),
                           scalable_realloc(nullptr, 0),
                           scalable_aligned_realloc(nullptr, 0, 256),
                           aligned};
  CHECK(reinterpret_cast<std::uintptr_t>(objects[5]) % 256 == 0);
  for (void* const& p : objects) {
    CHECK(p != nullptr);
    for (void* const* q = objects; q != &p; ++q) {
      CHECK(p != *q);
    }
  }
  for (void* p : objects) {
    scalable_free(p);
  }
  scalable_aligned_free(nullptr);
}

TEST_CASE("what succeeds leaves errno alone, and so does free") {
  errno = 12345;
  for (std::size_t const size : {8ul, 5000ul, 100000ul, 1ul << 20, 64ul << 20}) {
    void* p = scalable_malloc(size);
    p = scalable_realloc(p, size * 2);
    p = scalable_aligned_realloc(p, size, 4096);
    CHECK(scalable_msize(p) >= size);
    scalable_free(p);
    scalable_free(scalable_calloc(1, size));
    scalable_aligned_free(scalable_aligned_malloc(size, 1024));
  }
  scalable_free(nullptr);
  scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr);
  std::thread([] {
    errno = 54321;
    scalable_free(scalable_malloc(100));
    CHECK(errno == 54321);
  }).join();
  CHECK(errno == 12345);
}

// The sanitizers map shadow memory when they like.
TEST_CASE("address space stays near what is used" * doctest::skip(ASHLAR_TSAN || ASHLAR_ASAN)) {
  test::death const d = test::run_in_child([] {
    auto const mapped = [] { return test::memory_of_process().mapped; };
    std::size_t const before = mapped();
    std::vector<void*> objects;
    objects.reserve(1000000);
    for (std::size_t sum = 0; sum < 100 * mb;) {
      std::size_t const size = 16 + sum % 997;
      objects.push_back(scalable_malloc(size));
      sum += size;
      if (objects.size() % 1024 == 0 && mapped() - before > sum * 3 / 2 + 24 * mb) {
        std::fprintf(stderr, "%zu MB for %zu\n", (mapped() - before) / mb, sum / mb);
        _exit(11);
      }
    }
  });
  INFO(d.errors);
  CHECK(d.exited);
  CHECK(d.code == 0);
}

// ThreadSanitizer reserves the memory itself, without huge pages.
TEST_CASE("memory mapped in the mode for huge pages is marked for the system" *
          doctest::skip(ASHLAR_TSAN || test::emulated)) {
  auto const marked = [](void const* p) {
    std::ifstream file("/proc/self/smaps");
    bool inside = false;
    for (std::string line; std::getline(file, line);) {
      unsigned long first = 0;
      unsigned long last = 0;
      if (std::sscanf(line.c_str(), "%lx-%lx ", &first, &last) == 2) {
        auto const a = reinterpret_cast<std::uintptr_t>(p);
        inside = a >= first && a < last;
      } else if (inside && line.compare(0, 8, "VmFlags:") == 0) {
        return line.find(" hg") != std::string::npos;
      }
    }
    return false;
  };
  constexpr std::size_t size = 64 * mb;  // more than anything keeps, so that it is mapped anew
  void* const plain = scalable_malloc(size);
  CHECK_FALSE(marked(plain));
  if (scalable_allocation_mode(TBBMALLOC_USE_HUGE_PAGES, 1) == TBBMALLOC_OK) {
    void* const huge = scalable_malloc(size);
    CHECK(marked(huge));
    scalable_free(huge);
  }
  scalable_allocation_mode(TBBMALLOC_USE_HUGE_PAGES, 0);
  scalable_free(plain);
  scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr);
}

// So many rounds of 40 MB: without a limit most of it stays for the next one, unless that comes so late that it goes
// back.
constexpr int rounds = 15;

// Milliseconds of a round.
long timed_round() {
  auto const begun = std::chrono::steady_clock::now();
  round_of(40 * mb);
  return static_cast<long>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun).count());
}
constexpr long slow_ms = 200;  // the allocator's decay has steps of half a second

TEST_CASE("the environment's soft limit holds from the first allocation on") {
  auto const run = [](char const* value, char const* what = "--test-case=a process that uses 40 MB again and again") {
    return test::run_in_child([=] {
             setenv("TBB_MALLOC_SET_SOFT_HEAP_LIMIT", value, 1);
             test::start_again({what});
           })
        .errors;
  };
  auto const mapped = [](std::string const& text) { return std::strtoul(text.c_str(), nullptr, 10); };
  auto const is_slow = [](std::string const& text) { return text.find("slow") != std::string::npos; };
  std::string const free = run("");
  std::string const limited = run("10000000");
  CAPTURE(free);
  CAPTURE(limited);
  CHECK(mapped(limited) > 0);
  CHECK(mapped(limited) <= 12 * mb);  // what the heap itself holds comes on top
  CHECK((mapped(free) > 20 * mb || is_slow(free)));
  CHECK(run("-5", "--test-case=a process that allocates").find("bad value of TBB_MALLOC_SET_SOFT_HEAP_LIMIT: -5") !=
        std::string::npos);
}

TEST_CASE("a process that uses 40 MB again and again") {
  long longest = 0;
  for (int i = 0; i < rounds; ++i) longest = std::max(longest, timed_round());
  if (std::getenv("TBB_MALLOC_SET_SOFT_HEAP_LIMIT")) {
    std::fprintf(stderr, "%zu mapped%s\n", stats().mapped, longest < slow_ms ? "" : ", slow");
  }
}

TEST_CASE("what was kept because it was needed again and again goes when it no longer is") {
  test::death const d = test::run_in_child([] {
    // A machine that stands still for half a second makes it look unneeded: then it is needed some more.
    long shortest = slow_ms;
    for (int i = 0; i < rounds || (stats().free_dirty < 20 * mb && i < 20 * rounds); ++i) {
      shortest = std::min(shortest, timed_round());
      if (i == 2 * rounds && shortest == slow_ms) break;
    }
    std::size_t const kept = stats().free_dirty;
    if (kept < 20 * mb && shortest == slow_ms) {
      std::fprintf(stderr, "skipped: no round is fast enough here for its memory to be needed again\n");
      _exit(0);
    }
    if (kept < 20 * mb) {
      std::fprintf(stderr, "only %zu KB were kept\n", kept / 1024);
      _exit(11);
    }
    // The program goes on with little. How much goes at a time depends on when the rounds fall; it is over after about
    // six.
    std::size_t later = kept;
    for (int i = 0; i < 30 && later > kept / 2; ++i) {
      sleep_ms(200);
      round_of(6 * mb);
      later = stats().free_dirty;
    }
    std::fprintf(stderr, "%zu KB, then %zu\n", kept / 1024, later / 1024);
    _exit(later > kept / 2 ? 12 : 0);
  });
  INFO(d.errors);
  CHECK(d.exited);
  CHECK(d.code == 0);
}

// What each of them frees is too short for what it asks for next. A process of its own: what others missed before
// counts in the budget.
TEST_CASE("arrays that grow have nothing kept for them") {
  std::string const kept =
      test::run_in_child([] { test::start_again({"--no-skip", "--test-case=a process whose arrays grow"}); }).errors;
  CAPTURE(kept);
  CHECK(kept.find(" MB kept") != std::string::npos);
  CHECK(std::strtoul(kept.c_str(), nullptr, 10) <= 12);  // a sixteenth of what is in use
}

TEST_CASE("a process whose arrays grow" * doctest::skip()) {
  char* arrays[3] = {};
  std::size_t most = 0;
  for (std::size_t size = mb; size <= 64 * mb; size *= 2) {
    for (char*& array : arrays) {
      char* const longer = static_cast<char*>(scalable_malloc(size));
      REQUIRE(longer != nullptr);
      std::memset(longer, 1, size);
      scalable_free(array);
      array = longer;
      most = std::max<std::size_t>(most, stats().free_dirty);
    }
  }
  for (char* const array : arrays) scalable_free(array);
  std::fprintf(stderr, "%zu MB kept\n", most / mb);
}
