// SPDX-License-Identifier: Apache-2.0
// The allocator's other paths, for the long form of tools/golden.py; allocator.cpp has those of the short one.
#include <tbb/cache_aligned_allocator.h>
#include <tbb/scalable_allocator.h>
#include <tbb/tbb_allocator.h>

#include <vector>

#include "rows.h"

namespace {

using golden::sink;

template <std::size_t Bytes>
void pair(long n) {
  for (long i = 0; i < n; ++i) scalable_free(scalable_malloc(Bytes));
}
void zeroed(long n) {
  for (long i = 0; i < n; ++i) scalable_free(scalable_calloc(8, 16));
}
void aligned(long n) {
  for (long i = 0; i < n; ++i) scalable_aligned_free(scalable_aligned_malloc(200, 256));
}
void resized_in_place(long n) {
  void* p = scalable_malloc(100);
  for (long i = 0; i < n; ++i) p = scalable_realloc(p, i % 2 == 0 ? 110 : 100);
  scalable_free(p);
}
void resized_elsewhere(long n) {
  void* p = scalable_malloc(100);
  for (long i = 0; i < n; ++i) p = scalable_realloc(p, i % 2 == 0 ? 1000 : 100);
  scalable_free(p);
}
void usable_size(long n) {
  void* const p = scalable_malloc(100);
  for (long i = 0; i < n; ++i) sink = static_cast<long>(scalable_msize(p));
  scalable_free(p);
}
template <typename Allocator>
void by_allocator(long n) {
  Allocator a;
  for (long i = 0; i < n; ++i) a.deallocate(a.allocate(4), 4);
}
// Blocks of several classes that live for a while.
void mixed(long n) {
  std::vector<void*> live(256);
  unsigned x = 1;
  for (long i = 0; i < n; ++i) {
    x = x * 1664525u + 1013904223u;
    void*& place = live[x >> 24];
    scalable_free(place);
    place = scalable_malloc(16 + (x >> 8) % 2000);
  }
  for (void* p : live) scalable_free(p);
}

golden::row const rows[] = {
    {"pair_8", pair<8>},
    {"pair_256", pair<256>},
    {"pair_4096", pair<4096>},
    {"pair_8192", pair<8192>},
    {"pair_65536", pair<65536>},
    {"pair_262144", pair<262144>},
    {"zeroed", zeroed},
    {"aligned", aligned},
    {"resized_in_place", resized_in_place},
    {"resized_elsewhere", resized_elsewhere},
    {"usable_size", usable_size},
    {"scalable_allocator", by_allocator<tbb::scalable_allocator<long>>},
    {"tbb_allocator", by_allocator<tbb::tbb_allocator<long>>},
    {"cache_aligned_allocator", by_allocator<tbb::cache_aligned_allocator<long>>},
    {"mixed_sizes", mixed},
};

}  // namespace

int main(int argc, char** argv) { return golden::main(argc, argv, rows); }
