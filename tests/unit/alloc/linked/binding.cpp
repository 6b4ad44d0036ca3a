// SPDX-License-Identifier: Apache-2.0
// binding standard|scalable: exit code 0 if libtbb's allocators and its scheduler work on that allocator.
#include <tbb/cache_aligned_allocator.h>
#include <tbb/parallel_for.h>
#include <tbb/tbb_allocator.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

// Whether a library of that name is loaded.
bool loaded(char const* name) {
  bool found = false;
  if (std::FILE* const f = std::fopen("/proc/self/maps", "r")) {
    char line[4096];
    while (std::fgets(line, sizeof line, f)) {
      found = found || std::strstr(line, name);
    }
    std::fclose(f);
  }
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  bool const scalable = argc == 2 && std::strcmp(argv[1], "scalable") == 0;
  using allocator = tbb::tbb_allocator<int>;
  bool const as_expected = (allocator::allocator_type() == allocator::scalable) == scalable;
  std::atomic<long> sum{0};
  tbb::parallel_for(0, 1000, [&](int i) {
    std::vector<int, allocator> v(static_cast<std::size_t>(i) + 1, 1);
    std::vector<long, tbb::cache_aligned_allocator<long>> w(static_cast<std::size_t>(i) + 1, 1);
    sum += v.back() + w.back();
  });
  if (!as_expected || sum != 2000 || loaded("libtbbmalloc") != scalable) {
    std::fprintf(stderr, "binding %s: %s allocator, sum %ld\n", argc == 2 ? argv[1] : "",
                 as_expected ? "right" : "wrong", sum.load());
    return 1;
  }
  return 0;
}
