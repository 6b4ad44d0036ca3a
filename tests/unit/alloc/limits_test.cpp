// SPDX-License-Identifier: Apache-2.0
// What comes back to the system, the soft limit, statistics, the environment.
#include <ashlar/base/config.h>
#include <doctest/doctest.h>

#include <ashlar/alloc/malloc_stats.h>
#include <support/again.h>
#include <support/death.h>
#include <support/emulator.h>
#include <support/process_memory.h>
#include <tbb/scalable_allocator.h>

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t mb = std::size_t{1} << 20;

ashlar_malloc_stats stats() {
  ashlar_malloc_stats s;
  ashlar_malloc_get_stats(&s);
  return s;
}

// Allocates and touches `bytes` in objects between the sizes, frees them in an order of its own.
void peak(std::vector<void*>& objects, std::size_t bytes, std::size_t least, std::size_t most) {
  objects.clear();
  std::uint64_t x = 88172645463325252u;
  for (std::size_t sum = 0; sum < bytes;) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    std::size_t const size = least + x % (most - least);
    objects.push_back(scalable_malloc(size));
    std::memset(objects.back(), 1, size);
    sum += size;
  }
  for (std::size_t i = 0; i < objects.size(); ++i) {
    std::swap(objects[i], objects[(x + i * 7919) % objects.size()]);
  }
  for (void* p : objects) {
    scalable_free(p);
  }
}

}  // namespace

// The sanitizers' shadow memory counts as resident too.
TEST_CASE("after a peak at most 10 MB stay, after CLEAN_ALL_BUFFERS at most 2 MB" *
          doctest::skip(ASHLAR_TSAN || ASHLAR_ASAN)) {
  struct {
    char const* name;
    std::size_t least, most;
    int threads;
  } const cases[] = {{"small", 16, 1024, 1}, {"medium", 4096, 65536, 2}, {"large", mb, 8 * mb, 1}};
  for (auto const& c : cases) {
    test::death const d = test::run_in_child([&] {
      scalable_free(scalable_malloc(1));
      // The test's own vectors have their memory before the first reading.
      std::vector<void*> objects[2];
      for (std::vector<void*>& v : objects) {
        v.resize(1000000);
      }
      std::size_t const before = test::resident();
      std::vector<std::thread> team;
      for (int t = 1; t < c.threads; ++t) {
        team.emplace_back([&] { peak(objects[1], 200 * mb, c.least, c.most); });
      }
      peak(objects[0], c.threads == 1 ? 400 * mb : 200 * mb, c.least, c.most);
      for (std::thread& t : team) {
        t.join();
      }
      std::size_t const after = test::resident();
      scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr);
      std::size_t const cleaned = test::resident();
      std::fprintf(stderr, "%s: %zu KB stay, %zu KB after cleaning\n", c.name, (after - before) / 1024,
                   cleaned > before ? (cleaned - before) / 1024 : 0);
      _exit((after > before + 10 * mb ? 1 : 0) + (cleaned > before + 2 * mb ? 2 : 0));
    });
    INFO(d.errors);
    CHECK(d.exited);
    CHECK(d.code == 0);
    if (std::getenv("ASHLAR_TEST_VERBOSE")) {
      std::fputs(d.errors.c_str(), stderr);
    }
  }
}

// One thread has no races, and ThreadSanitizer makes this and the next one take 40 s.
TEST_CASE("above the soft limit buffers are given back and allocation goes on" * doctest::skip(ASHLAR_TSAN)) {
  test::death const d = test::run_in_child([] {
    if (scalable_allocation_mode(TBBMALLOC_SET_SOFT_HEAP_LIMIT, 50 * mb) != TBBMALLOC_OK) {
      _exit(10);
    }
    for (std::size_t size = mb; size <= 30 * mb; size += mb) {
      void* const a = scalable_malloc(size);
      void* const b = scalable_malloc(size);
      if (a == nullptr || b == nullptr) {
        _exit(11);
      }
      std::memset(a, 1, size);
      scalable_free(a);
      scalable_free(b);
      if (stats().mapped > 2 * size + 50 * mb) {
        _exit(12);
      }
    }
    // Nothing is held above the limit once it is free.
    if (stats().mapped > 50 * mb) {
      _exit(13);
    }
    std::vector<void*> objects;
    peak(objects, 200 * mb, 16, 4096);
    if (stats().mapped > 55 * mb) {
      _exit(14);
    }
  });
  CHECK(d.exited);
  CHECK(d.code == 0);
}

TEST_CASE("huge objects stay until the whole allocator is cleaned" * doctest::skip(ASHLAR_TSAN)) {
  test::death const d = test::run_in_child([] {
    auto const demand = [](int step, bool holds) {
      if (!holds) {
        _exit(step);
      }
    };
    // What a freed object leaves in use: nothing without a threshold.
    auto const left = [](std::size_t size) {
      std::size_t const before = stats().used;
      scalable_free(scalable_malloc(size));
      return stats().used - before;
    };
    // What earlier tests of the process have left in this thread's heap would be cleaned away between the readings.
    scalable_allocation_command(TBBMALLOC_CLEAN_THREAD_BUFFERS, nullptr);
    scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr);
    scalable_free(scalable_malloc(1));
    demand(10, left(64 * mb) == 0);
    demand(11, scalable_allocation_mode(TBBMALLOC_SET_HUGE_SIZE_THRESHOLD, 32 * mb) == TBBMALLOC_OK);
    demand(12, left(24 * mb) == 0);
    demand(13, left(64 * mb) >= 64 * mb);

    // Neither a request for much less or more nor regular cleaning takes it.
    std::size_t const kept = stats().used;
    demand(14, left(33 * mb) >= 33 * mb && left(70 * mb) >= 70 * mb);
    std::vector<void*> objects;
    peak(objects, 100 * mb, 16, 65536);
    scalable_allocation_command(TBBMALLOC_CLEAN_THREAD_BUFFERS, nullptr);
    demand(15, stats().used >= kept + 102 * mb);

    // The next of about its size does, and calloc clears it.
    std::size_t const before = stats().used;
    char* const first = static_cast<char*>(scalable_malloc(64 * mb));
    demand(16, stats().used == before);
    std::memset(first, 7, 64 * mb);
    scalable_free(first);
    char* const second = static_cast<char*>(scalable_calloc(60, mb));
    demand(17, second == first && stats().used == before);
    for (std::size_t i = 0; i < 60 * mb; i += 4096) {
      demand(18, second[i] == 0);
    }
    scalable_free(second);

    demand(19, scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr) == TBBMALLOC_OK);
    demand(20, stats().used < mb);
    demand(21, left(64 * mb) >= 64 * mb);
    scalable_allocation_mode(TBBMALLOC_SET_SOFT_HEAP_LIMIT, 16 * mb);
    demand(22, stats().mapped <= 16 * mb && left(64 * mb) == 0);
    scalable_allocation_mode(TBBMALLOC_SET_SOFT_HEAP_LIMIT, 0);
    demand(23, left(64 * mb) >= 64 * mb);
    scalable_allocation_mode(TBBMALLOC_SET_HUGE_SIZE_THRESHOLD, 0);
    demand(24, stats().used < mb);
  });
  CHECK(d.exited);
  CHECK(d.code == 0);
}

// The sanitizers map more address space than the limit leaves.
TEST_CASE("kept huge objects make room where the system has none" *
          doctest::skip(ASHLAR_TSAN || ASHLAR_ASAN || test::emulated)) {
  test::death const d = test::run_in_child([] {
    rlim_t const most = test::memory_of_process().mapped + 400 * mb;
    rlimit const limit{most, most};
    if (setrlimit(RLIMIT_AS, &limit) != 0) {
      _exit(10);
    }
    scalable_allocation_mode(TBBMALLOC_SET_HUGE_SIZE_THRESHOLD, 32 * mb);
    for (std::size_t size : {200 * mb, 150 * mb, 300 * mb, 100 * mb, 380 * mb}) {
      void* const p = scalable_malloc(size);
      if (p == nullptr) {
        _exit(11);
      }
      scalable_free(p);
    }
  });
  CHECK(d.exited);
  CHECK(d.code == 0);
}

TEST_CASE("statistics add up") {
  void* const p = scalable_malloc(50 * mb);
  ashlar_malloc_stats const with = stats();
  CHECK(with.mapped >= with.used + with.free_dirty);
  CHECK(with.used >= 50 * mb);
  CHECK(with.heaps >= 1);
  scalable_free(p);
  CHECK(stats().used + 50 * mb <= with.used);

  ashlar_malloc_class_stats classes[200];
  std::size_t const n = ashlar_malloc_get_class_stats(classes, 200);
  REQUIRE(n < 200);
  std::vector<void*> many;
  for (int i = 0; i < 1000; ++i) {
    many.push_back(scalable_malloc(200));
  }
  ashlar_malloc_class_stats now[200];
  ashlar_malloc_get_class_stats(now, 200);
  for (std::size_t c = 0; c < n; ++c) {
    CHECK(now[c].size == classes[c].size);
    if (now[c].size == 208) {
      CHECK(now[c].pages > classes[c].pages);
    }
  }
  for (void* q : many) {
    scalable_free(q);
  }
}

// The bytes in use between whose bounds the program's own count has to lie.
ashlar_malloc_usage usage() {
  ashlar_malloc_usage u;
  ashlar_malloc_get_usage(&u);
  return u;
}

// The hardened build keeps freed objects for a while and puts a tail behind each.
#ifdef ASHLAR_MALLOC_HARDENED
constexpr bool exact_sizes = false;
#else
constexpr bool exact_sizes = true;
#endif

TEST_CASE("the bytes in use follow what the program has, and lie within what is held" * doctest::skip(!exact_sizes)) {
  ashlar_malloc_usage const before = usage();
  constexpr std::size_t count = 100'000, size = 208;
  std::vector<void*> many;
  many.reserve(count);
  for (std::size_t i = 0; i < count; ++i) many.push_back(scalable_malloc(size));
  void* const large = scalable_malloc(10 * mb);
  ashlar_malloc_usage const with = usage();
  std::size_t const added = count * size + 10 * mb;
  constexpr std::size_t page = 64 << 10;
  CHECK(with.least_in_use <= before.most_in_use + added + page);
  CHECK(with.most_in_use + page >= before.least_in_use + added);
  CHECK(with.most_in_use - with.least_in_use < before.most_in_use - before.least_in_use + page);
  CHECK(with.least_in_use <= with.most_in_use);
  CHECK(with.most_in_use <= with.held);
  CHECK(with.large >= before.large + 10 * mb);
  for (std::size_t i = 0; i < count; i += 2) scalable_free(many[i]);  // in each page, every second one
  ashlar_malloc_usage const half = usage();
  CHECK(half.least_in_use <= before.most_in_use + added - count / 2 * size + page);
  CHECK(half.most_in_use + page >= before.least_in_use + added - count / 2 * size);
  for (std::size_t i = 1; i < count; i += 2) scalable_free(many[i]);
  scalable_free(large);
  CHECK(usage().most_in_use <= before.most_in_use + page);
}

TEST_CASE("the statistics fit a screen, and are JSON, too") {
  std::vector<void*> all;
  for (std::size_t bytes = 16; bytes < 200'000; bytes += bytes / 8) all.push_back(scalable_malloc(bytes));
  std::vector<char> text(ashlar_malloc_write_stats(nullptr, 0, 0) + 200);
  REQUIRE(ashlar_malloc_write_stats(text.data(), text.size(), 0) < text.size());
  std::string const table = text.data();
  std::size_t lines = 0;
  for (std::size_t begin = 0, to = 0; (to = table.find('\n', begin)) != std::string::npos; begin = to + 1, ++lines) {
    CHECK(to - begin <= 80);
  }
  CHECK(lines <= 30);
  CHECK(table.find("other sizes") != std::string::npos);
  char json[1 << 14];
  REQUIRE(ashlar_malloc_write_stats(json, sizeof json, 1) < sizeof json);
  CHECK(std::string(json).find("\"least_in_use_bytes\":") != std::string::npos);
  CHECK(std::string(json).find('\n') == std::strlen(json) - 1);
  CHECK(ashlar_malloc_write_stats(json, 10, 1) > 10);  // cut off
  CHECK(std::strlen(json) == 9);
  for (void* const p : all) scalable_free(p);
}

TEST_CASE("the environment is read, and bad values are named") {
  auto const run = [](char const* name, char const* value) {
    return test::run_in_child([=] {
      setenv(name, value, 1);
      test::start_again({"--test-case=a process that allocates"});
    });
  };
  CHECK(run("ASHLAR_MALLOC_STATS", "1").errors.find("mapped") != std::string::npos);
  CHECK(run("ASHLAR_MALLOC_STAT", "1").errors ==
        "tbbmalloc: ASHLAR_MALLOC_STAT is no variable of ours and has no effect; is ASHLAR_MALLOC_STATS meant?\n");
  CHECK(run("ASHLAR_STATS", "1").errors.find("tbbmalloc") == std::string::npos);
  CHECK(run("ASHLAR_MALLOC_STATS", "json").errors.find("{\"ashlar_malloc_statistics\":{\"held_bytes\":") == 0);
  CHECK(run("ASHLAR_MALLOC_STATS", "yes").errors.find("expected 0, 1 or json") != std::string::npos);
  CHECK(run("ASHLAR_MALLOC_STATS", "0").errors.find("mapped") == std::string::npos);
  CHECK(run("ASHLAR_MALLOC_STATS", "yes").errors.find("bad value of ASHLAR_MALLOC_STATS: yes") != std::string::npos);
  CHECK(run("TBB_MALLOC_USE_HUGE_PAGES", "2").errors.find("TBB_MALLOC_USE_HUGE_PAGES") != std::string::npos);
  CHECK(run("TBB_MALLOC_USE_HUGE_PAGES", "1").errors.empty());
  CHECK(run("TBB_MALLOC_SET_HUGE_SIZE_THRESHOLD", "100000000000000000000").errors.find("bad value") !=
        std::string::npos);
  CHECK(run("TBB_MALLOC_SET_HUGE_SIZE_THRESHOLD", "1000000").errors.find("kept") != std::string::npos);
  CHECK(run("TBB_MALLOC_SET_HUGE_SIZE_THRESHOLD", "30000000").errors.empty());
  CHECK(run("TBB_MALLOC_SET_HUGE_OBJECT_THRESHOLD", "1000000").errors.find("kept") != std::string::npos);
}

TEST_CASE("the first allocation shows the version, as TBB's allocator does") {
  auto const run = [](char const* version, char const* huge_pages) {
    return test::run_in_child([=] {
             setenv("TBB_VERSION", version, 1);
             setenv("TBB_MALLOC_USE_HUGE_PAGES", huge_pages, 1);
             test::start_again({"--test-case=a process that allocates"});
           })
        .errors;
  };
  std::string const lines =
      "TBBmalloc: SPECIFICATION VERSION\t104\nTBBmalloc: VERSION\t\t2023.2.0\n"
      "TBBmalloc: INTERFACE VERSION\t12200\nTBBmalloc: TBB_USE_DEBUG\t";
  std::string const plain = run("1", "0");
  CHECK(plain.find(lines) == 0);
  CHECK(plain.find("\nTBBmalloc: huge pages\tnot requested\n") != std::string::npos);
  CHECK(plain.find("TBBmalloc: VERSION") == plain.rfind("TBBmalloc: VERSION"));
  CHECK(run(" 1 ", "1").find("\nTBBmalloc: huge pages\trequested\n") != std::string::npos);
  CHECK(run("0", "0").empty());
  CHECK(run("2", "1").empty());
}

TEST_CASE("a process that allocates") {
  std::size_t const before = stats().used;
  scalable_free(scalable_malloc(20 * mb));
  if (stats().used >= before + 20 * mb) {
    std::fputs("kept\n", stderr);
  }
}
