// SPDX-License-Identifier: Apache-2.0
#include "alloc/stats.h"

#include "alloc/heap_registry.h"
#include "obs/text_buffer.h"
#include "os/process.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace ashlar::inline v1::alloc {

namespace {

using obs::share;
using obs::text_buffer;

constexpr std::size_t most_text = std::size_t{1} << 14;
constexpr unsigned most_rows = 14;  // of size classes, in the table

// All pages, in sums.
struct usage {
  std::size_t large = 0;
  ashlar_malloc_class_usage classes[class_count] = {};

  usage() noexcept {
    for (unsigned c = 0; c < class_count; ++c) classes[c].size = class_size(c);
    map.each_page([this](page const& pg) { add(pg); });
  }

  // Fields that belong to the owner are read in one piece each, and what they say may be a moment old.
  void add(page const& pg) noexcept {
    page_kind const kind = pg.kind.load(mo::relaxed);
    std::size_t const bytes = std::size_t{racy_read(pg.units)} * unit_bytes;
    if (kind == page_kind::large) large += bytes;
    unsigned const c = racy_read(pg.size_class);
    if (kind != page_kind::small || c >= class_count) return;
    ashlar_malloc_class_usage& sum = classes[c];
    ++sum.pages;
    sum.held += bytes;
    std::size_t const capacity = bytes / sum.size;
    if (racy_read(pg.place) == page_place::active) {
      auto const unlisted = racy_read(pg.fresh_end) - racy_read(pg.fresh);
      std::size_t const fresh = unlisted > 0 ? static_cast<std::size_t>(unlisted) / sum.size : 0;
      std::size_t const held = racy_read(pg.capacity);
      sum.most_in_use += held > fresh ? std::min(held - fresh, capacity) : 0;
      return;
    }
    auto const live = racy_read(pg.needed) + racy_read(pg.slack);
    std::size_t const objects = live > 0 ? std::min(static_cast<std::size_t>(live), capacity) : 0;
    sum.least_in_use += objects;
    sum.most_in_use += objects;
  }

  ashlar_malloc_usage sum(ashlar_malloc_stats const& s) const noexcept {
    ashlar_malloc_usage u{s.used + s.free_dirty + s.metadata, 0, large, large, large};
    for (ashlar_malloc_class_usage const& c : classes) {
      u.pages += c.held;
      u.least_in_use += c.least_in_use * c.size;
      u.most_in_use += c.most_in_use * c.size;
    }
    return u;
  }
};

double mb(std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); }
double kb(std::size_t bytes) { return static_cast<double>(bytes) / (1 << 10); }
std::size_t middle(std::size_t a, std::size_t b) { return a + (b - a) / 2; }

void put_row(text_buffer& out, char const* name, ashlar_malloc_class_usage const& c, std::size_t in_use) {
  out.put("  %15s %9zu %12.0f %12.0f %8.1f\n", name, c.pages, kb(c.held), kb(in_use), share(in_use, c.held));
}

// The classes that hold most, the others in one row.
void put_classes(text_buffer& out, usage const& all) {
  ashlar_malloc_class_usage const* order[class_count];
  unsigned n = 0;
  for (ashlar_malloc_class_usage const& c : all.classes) {
    if (c.pages) order[n++] = &c;
  }
  std::sort(order, order + n,
            [](auto const* a, auto const* b) { return a->held != b->held ? a->held > b->held : a < b; });
  unsigned const shown = n <= most_rows ? n : most_rows - 1;
  std::sort(order, order + shown);
  out.put("  %15s %9s %12s %12s %8s\n", "object size", "pages", "held KB", "in use KB", "in use %");
  ashlar_malloc_class_usage rest = {};
  std::size_t rest_in_use = 0;
  for (unsigned i = 0; i < n; ++i) {
    ashlar_malloc_class_usage const& c = *order[i];
    std::size_t const in_use = middle(c.least_in_use, c.most_in_use) * c.size;
    if (i < shown) {
      char name[24];
      std::snprintf(name, sizeof name, "%zu bytes", c.size);
      put_row(out, name, c, in_use);
      continue;
    }
    rest.pages += c.pages;
    rest.held += c.held;
    rest_in_use += in_use;
  }
  if (shown < n) {
    char name[24];
    std::snprintf(name, sizeof name, "%u other sizes", n - shown);
    put_row(out, name, rest, rest_in_use);
  }
}

void put_table(text_buffer& out, ashlar_malloc_stats const& s, usage const& all) {
  ashlar_malloc_usage const u = all.sum(s);
  std::size_t const in_use = middle(u.least_in_use, u.most_in_use), unsure = (u.most_in_use - u.least_in_use) / 2;
  out.put("tbbmalloc: %.2f MB held from the system (mapped %.2f MB), %zu heap%s\n", mb(u.held), mb(s.mapped), s.heaps,
          s.heaps == 1 ? "" : "s");
  auto const row = [&](char const* what, std::size_t bytes) {
    out.put("  %12.2f MB  %5.1f %%  %s\n", mb(bytes), share(bytes, u.held), what);
  };
  char text[64];
  std::snprintf(text, sizeof text, "in use by objects, +- %.2f MB (pages being filled)", mb(unsure));
  row(text, in_use);
  std::size_t const small = in_use - u.large;
  row("of these, large objects", u.large);
  row("free within pages of heaps", u.pages > small ? u.pages - small : 0);
  row("kept by heaps for reuse", s.used > u.pages + u.large ? s.used - u.pages - u.large : 0);
  row("free and kept for all", s.free_dirty);
  row("the allocator's own structures", s.metadata);
  put_classes(out, all);
}

void put_json(text_buffer& out, ashlar_malloc_stats const& s, usage const& all) {
  ashlar_malloc_usage const u = all.sum(s);
  out.put("{\"ashlar_malloc_statistics\":{\"held_bytes\":%zu,\"mapped_bytes\":%zu,\"used_bytes\":%zu,", u.held,
          s.mapped, s.used);
  out.put("\"free_kept_bytes\":%zu,\"metadata_bytes\":%zu,\"heaps\":%zu,\"large_bytes\":%zu,\"page_bytes\":%zu,",
          s.free_dirty, s.metadata, s.heaps, u.large, u.pages);
  out.put("\"least_in_use_bytes\":%zu,\"most_in_use_bytes\":%zu,\"classes\":[", u.least_in_use, u.most_in_use);
  char const* separator = "";
  for (ashlar_malloc_class_usage const& c : all.classes) {
    if (!c.pages) continue;
    out.put("%s{\"size\":%zu,\"pages\":%zu,\"held_bytes\":%zu,\"least_in_use\":%zu,\"most_in_use\":%zu}", separator,
            c.size, c.pages, c.held, c.least_in_use, c.most_in_use);
    separator = ",";
  }
  out.put("]}}\n");
}

void count_heap(heap const&, void* arg) { ++*static_cast<std::size_t*>(arg); }

}  // namespace

void print_stats(bool json) noexcept {
  char text[most_text];
  std::size_t const length = ashlar_malloc_write_stats(text, sizeof text, json);
  os::write_error(text, std::min(length, sizeof text - 1));
}

void print_stats_at_exit(bool json) noexcept {
  if (json) {
    std::atexit([] { print_stats(true); });
  } else {
    std::atexit([] { print_stats(false); });
  }
}

}  // namespace ashlar::inline v1::alloc

using namespace ashlar::alloc;

extern "C" ASHLAR_EXPORT void ashlar_malloc_get_stats(ashlar_malloc_stats* stats) {
  backend_figures const f = central.figures();
  std::size_t heaps = 0;
  for_each_heap(count_heap, &heaps);
  *stats = {f.mapped, f.used, f.dirty, f.metadata, heaps};
}

extern "C" ASHLAR_EXPORT std::size_t ashlar_malloc_get_class_stats(ashlar_malloc_class_stats* stats,
                                                                   std::size_t count) {
  usage const all;
  for (std::size_t c = 0; c < std::min<std::size_t>(count, class_count); ++c) {
    stats[c] = {all.classes[c].size, all.classes[c].pages};
  }
  return class_count;
}

extern "C" ASHLAR_EXPORT std::size_t ashlar_malloc_get_class_usage(ashlar_malloc_class_usage* to, std::size_t count) {
  usage const all;
  std::copy_n(all.classes, std::min<std::size_t>(count, class_count), to);
  return class_count;
}

extern "C" ASHLAR_EXPORT void ashlar_malloc_get_usage(ashlar_malloc_usage* to) {
  ashlar_malloc_stats s;
  ashlar_malloc_get_stats(&s);
  usage const all;
  *to = all.sum(s);
}

extern "C" ASHLAR_EXPORT std::size_t ashlar_malloc_write_stats(char* to, std::size_t room, int json) {
  ashlar_malloc_stats s;
  ashlar_malloc_get_stats(&s);
  usage const all;
  text_buffer out(to, room);
  if (json) {
    put_json(out, s, all);
  } else {
    put_table(out, s, all);
  }
  return out.length();
}

extern "C" ASHLAR_EXPORT void ashlar_malloc_print_stats(void) { print_stats(false); }
