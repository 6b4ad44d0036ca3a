// SPDX-License-Identifier: Apache-2.0
// The program of the article on the soft heap limit (2014), written anew: three patterns of allocation on all
// processors, with the scalable allocator, with or without a limit, or with the default malloc. It prints what the
// article's does.
//
//     soft_limit_test TEST LIMIT_MB [DEFAULT_MALLOC [REPEATS]]
//
// LIMIT_MB 0: no limit. DEFAULT_MALLOC 1: malloc and free. REPEATS is 100 in the article.
#include <tbb/scalable_allocator.h>
#include <tbb/tick_count.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kb = 1024;
constexpr std::size_t mb = 1024 * kb;

struct allocator {
  void* (*allocate)(std::size_t);
  void (*release)(void*);

  void* get(std::size_t size) const {
    void* const p = allocate(size);
    if (p == nullptr) {
      throw std::bad_alloc();
    }
    return p;
  }
};

// Objects of one size at a time, which changes at random; all their bytes are written.
void random_sizes(allocator a, int repeats) {
  std::minstd_rand random(1234);
  std::uniform_int_distribution<std::size_t> any_size(8, 100 * kb);
  std::vector<void*> objects(1000);
  for (int i = 0; i < repeats; ++i) {
    std::size_t const size = any_size(random);
    for (void*& p : objects) {
      p = std::memset(a.get(size), 0, size);
    }
    std::for_each(objects.begin(), objects.end(), a.release);
  }
}

// A million small objects of one size, which are not written.
void one_size(allocator a, int repeats) {
  std::vector<void*> objects(1000000);
  for (int i = 0; i < repeats; ++i) {
    for (void*& p : objects) {
      p = a.get(100);
    }
    std::for_each(objects.begin(), objects.end(), a.release);
  }
}

// Ever larger objects, so that what was freed before doesn't fit.
void growing_sizes(allocator a, int) {
  void* objects[10];
  for (std::size_t size = 8 * kb; size < 32 * mb; size += 8 * kb) {
    for (void*& p : objects) {
      p = a.get(size);
    }
    std::for_each(std::begin(objects), std::end(objects), a.release);
  }
}

long peak_mb() {
  long kilobytes = -1;
  if (std::FILE* const status = std::fopen("/proc/self/status", "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, status) && std::sscanf(line, "VmPeak: %ld kB", &kilobytes) != 1) {
    }
    std::fclose(status);
  }
  return kilobytes / 1024;
}

template <typename Test>
void on_all_processors(Test test) {
  std::vector<std::thread> team;
  for (unsigned t = 1; t < std::max(1u, std::thread::hardware_concurrency()); ++t) {
    team.emplace_back(test);
  }
  test();
  for (std::thread& t : team) {
    t.join();
  }
}

}  // namespace

int main(int argc, char** argv) {
  void (*const tests[])(allocator, int) = {random_sizes, one_size, growing_sizes};
  int const number = argc > 1 ? std::atoi(argv[1]) : 0;
  if (argc < 3 || number < 1 || number > 3) {
    std::fprintf(stderr,
                 "usage: soft_limit_test TEST(1 to 3) LIMIT_MB(0: none) [DEFAULT_MALLOC(1: yes) [REPEATS(100)]]\n");
    return 2;
  }
  std::size_t const limit = static_cast<std::size_t>(std::atol(argv[2])) * mb;
  bool const default_malloc = argc > 3 && std::atoi(argv[3]) == 1;
  int const repeats = argc > 4 ? std::atoi(argv[4]) : 100;
  if (limit) {
    if (scalable_allocation_mode(TBBMALLOC_SET_SOFT_HEAP_LIMIT, static_cast<std::intptr_t>(limit)) != TBBMALLOC_OK) {
      std::puts("Soft Limit enabling has failed!");
      return 1;
    }
    std::printf("Soft Limit enabled: %ldMB.\n", static_cast<long>(limit / mb));
  }
  std::printf("Test #%d:", number);
  std::fflush(stdout);
  allocator const chosen =
      default_malloc ? allocator{std::malloc, std::free} : allocator{scalable_malloc, scalable_free};
  tbb::tick_count const begin = tbb::tick_count::now();
  on_all_processors([&] { tests[number - 1](chosen, repeats); });
  tbb::tick_count const end = tbb::tick_count::now();
  std::printf(" done.\nPeak Memory Consumption: %ld MB.\nElapsed time: %g seconds.\n", peak_mb(),
              (end - begin).seconds());
  return 0;
}
