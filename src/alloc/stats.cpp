// SPDX-License-Identifier: Apache-2.0
#include "alloc/stats.h"

#include "alloc/heap_registry.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace ashlar {
inline namespace v1 {
namespace alloc {

namespace {

struct sums {
  std::size_t heaps = 0;
  std::size_t pages[class_count] = {};
};

void add_heap(heap const& h, void* arg) {
  sums& s = *static_cast<sums*>(arg);
  ++s.heaps;
  for (unsigned c = 0; c < class_count; ++c) {
    s.pages[c] += h.pages_of(c);
  }
}

template <typename... Values>
void line(char const* format, Values... values) {
  char text[160];
  int const n = std::snprintf(text, sizeof text, format, values...);
  if (n > 0) {
    [[maybe_unused]] auto const written = write(STDERR_FILENO, text, static_cast<std::size_t>(n));
  }
}

double mb(std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

}  // namespace

void print_stats() noexcept {
  ashlar_malloc_stats s;
  ashlar_malloc_get_stats(&s);
  line("tbbmalloc: mapped %.2f MB: used %.2f, free and kept %.2f; metadata %.2f MB, heaps %zu\n", mb(s.mapped),
       mb(s.used), mb(s.free_dirty), mb(s.metadata), s.heaps);
  ashlar_malloc_class_stats classes[class_count];
  ashlar_malloc_get_class_stats(classes, class_count);
  for (ashlar_malloc_class_stats const& c : classes) {
    if (c.pages) {
      line("tbbmalloc: %7zu bytes: %zu pages\n", c.size, c.pages);
    }
  }
}

void print_stats_at_exit() noexcept {
  std::atexit([] { print_stats(); });
}

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar

using namespace ashlar::alloc;

extern "C" ASHLAR_EXPORT void ashlar_malloc_get_stats(ashlar_malloc_stats* stats) {
  backend_figures const f = central.figures();
  sums all;
  for_each_heap(add_heap, &all);
  *stats = {f.mapped, f.used, f.dirty, f.metadata, all.heaps};
}

extern "C" ASHLAR_EXPORT std::size_t ashlar_malloc_get_class_stats(ashlar_malloc_class_stats* stats,
                                                                   std::size_t count) {
  sums all;
  for_each_heap(add_heap, &all);
  for (unsigned c = 0; c < class_count && c < count; ++c) {
    stats[c] = {class_size(c), all.pages[c]};
  }
  return class_count;
}

extern "C" ASHLAR_EXPORT void ashlar_malloc_print_stats(void) { print_stats(); }
