// SPDX-License-Identifier: Apache-2.0
// The allocator's operations, `size` times each, for tools/golden.py: allocator ROW SIZE.
#include <tbb/scalable_allocator.h>

#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

template <std::size_t Bytes>
void pair(long n) {
  for (long i = 0; i < n; ++i) scalable_free(scalable_malloc(Bytes));
}

// Full pages, freed in the order of their addresses.
void in_order(long n) {
  std::vector<void*> objects(512);
  for (long left = n; left > 0; left -= 512) {
    for (void*& p : objects) p = scalable_malloc(64);
    for (void* p : objects) scalable_free(p);
  }
}

// Full pages, freed in another order.
void out_of_order(long n) {
  std::vector<void*> objects(512);
  for (long left = n; left > 0; left -= 512) {
    for (void*& p : objects) p = scalable_malloc(64);
    for (unsigned i = 0; i < 512; ++i) scalable_free(objects[i * 37 % 512]);
  }
}

// Another thread's objects, and their way home.
void remote(long n) {
  std::vector<void*> objects(static_cast<std::size_t>(n));
  std::thread([&] {
    for (void*& p : objects) p = scalable_malloc(64);
  }).join();
  for (void* p : objects) scalable_free(p);
}

struct {
  char const* name;
  void (*run)(long);
} const rows[] = {
    {"malloc_free_64", pair<64>},       {"malloc_free_1024", pair<1024>},
    {"malloc_free_16384", pair<16384>}, {"malloc_free_1m", pair<std::size_t{1} << 20>},
    {"malloc_free_in_order", in_order}, {"malloc_free_shuffled", out_of_order},
    {"malloc_free_remote", remote},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  for (auto const& row : rows) {
    if (std::strcmp(row.name, argv[1]) == 0) {
      row.run(std::atol(argv[2]));
      return 0;
    }
  }
  return 2;
}
