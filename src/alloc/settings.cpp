// SPDX-License-Identifier: Apache-2.0
#include "alloc/settings.h"

#include "alloc/backend.h"
#include "alloc/huge_cache.h"
#include "alloc/stats.h"
#include "base/nearest_name.h"
#include "base/version_lines.h"
#include "os/process.h"

#include <ashlar/alloc/scalable_malloc.h>
#include <ashlar/base/atomic.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

namespace ashlar::inline v1::alloc {

namespace {

void complain(char const* name, char const* value, char const* expected) {
  char line[256];
  std::size_t n = 0;
  for (char const* s : {"tbbmalloc: bad value of ", name, ": ", value, "; it is ignored: expected ", expected, "\n"}) {
    for (; *s && n < sizeof line; ++s) {
      line[n++] = *s;
    }
  }
  os::write_error(line, n);
}

// A decimal number up to `most`; `fallback` if the variable is not set or, after one line to stderr, is no such number.
std::intptr_t number(char const* name, std::intptr_t most, std::intptr_t fallback) {
  char const* const text = os::trusted_variable(name);
  if (text == nullptr || !*text) {
    return fallback;
  }
  std::intptr_t value = 0;
  char const* s = text;
  for (; *s >= '0' && *s <= '9'; ++s) {
    std::intptr_t const digit = *s - '0';
    if (digit > most || value > (most - digit) / 10) {
      break;
    }
    value = value * 10 + digit;
  }
  if (*s) {
    complain(name, text, most == 1 ? "0 or 1" : "a number of bytes");
    return fallback;
  }
  return value;
}

// A setting that has no effect, which nobody would notice.
void tell_misspelt_variable() {
  constexpr std::string_view prefix = "ASHLAR_", own[] = {"MALLOC_STATS"};
  for (char** entry = os::environment_entries(); entry != nullptr && *entry != nullptr; ++entry) {
    std::string_view name(*entry);
    // Without substr(), whose exception would bring libstdc++ into C programs.
    if (name.rfind(prefix, 0) != 0) {
      continue;
    }
    name.remove_prefix(prefix.size());
    name.remove_suffix(name.size() - std::min(name.find('='), name.size()));
    bool const stats_of_the_scheduler = std::string_view("STATS").find(name) != prefix.npos;
    if (name == own[0] || stats_of_the_scheduler || nearest_name(name, std::begin(own), std::end(own)).empty()) {
      continue;
    }
    char line[160];
    int const n = std::snprintf(
        line, sizeof line, "tbbmalloc: ASHLAR_%.*s is no variable of ours and has no effect; is ASHLAR_%.*s meant?\n",
        static_cast<int>(name.size()), name.data(), static_cast<int>(own[0].size()), own[0].data());
    os::write_error(line, static_cast<std::size_t>(n));
  }
}

}  // namespace

void read_environment() noexcept {
  tell_misspelt_variable();
  central.set_huge_pages(number("TBB_MALLOC_USE_HUGE_PAGES", 1, 0) != 0);
  if (std::intptr_t const limit = number("TBB_MALLOC_SET_SOFT_HEAP_LIMIT", INTPTR_MAX, 0)) {
    set_mode(TBBMALLOC_SET_SOFT_HEAP_LIMIT, limit);
  }
  // TBB reads the first name and documents the second.
  std::intptr_t const least = number("TBB_MALLOC_SET_HUGE_SIZE_THRESHOLD", INTPTR_MAX, 0);
  if (std::intptr_t const huge = least ? least : number("TBB_MALLOC_SET_HUGE_OBJECT_THRESHOLD", INTPTR_MAX, 0)) {
    set_mode(TBBMALLOC_SET_HUGE_SIZE_THRESHOLD, huge);
  }
  char const* const stats = os::trusted_variable("ASHLAR_MALLOC_STATS");
  if (stats != nullptr && std::strcmp(stats, "json") == 0) {
    print_stats_at_exit(true);
  } else if (stats != nullptr && std::strcmp(stats, "1") == 0) {
    print_stats_at_exit(false);
  } else if (stats != nullptr && *stats && std::strcmp(stats, "0") != 0) {
    complain("ASHLAR_MALLOC_STATS", stats, "0, 1 or json");
  }
}

namespace {

constexpr version_text version_and(std::string_view huge_pages) noexcept {
  version_text text = version_lines("TBBmalloc");
  text.put("TBBmalloc: huge pages\t");
  text.put(huge_pages);
  return text;
}

constexpr version_text with_huge_pages = version_and("requested\n");
constexpr version_text without_huge_pages = version_and("not requested\n");

}  // namespace

void report_version() noexcept {
  static atomic<bool> reported{false};
  if (reported.load(mo::relaxed) || reported.exchange(true, mo::relaxed) ||
      !version_is_asked_for(os::trusted_variable(version_variable))) {
    return;
  }
  version_text const& all = central.huge_pages() ? with_huge_pages : without_huge_pages;
  os::write_error(all.text, all.length);
}

int set_mode(int mode, std::intptr_t value) noexcept {
  switch (mode) {
    case TBBMALLOC_USE_HUGE_PAGES:
      if (value != 0 && value != 1) {
        return TBBMALLOC_INVALID_PARAM;
      }
      central.set_huge_pages(value != 0);
      return value && !os_has_huge_pages() ? TBBMALLOC_NO_EFFECT : TBBMALLOC_OK;
    case TBBMALLOC_SET_SOFT_HEAP_LIMIT:
      if (value < 0) {
        return TBBMALLOC_INVALID_PARAM;
      }
      central.set_limit(static_cast<std::size_t>(value));
      if (central.above_limit(0)) {
        reclaim_from_heaps();
        central.trim(0, true);
      }
      return TBBMALLOC_OK;
    case TBBMALLOC_SET_HUGE_SIZE_THRESHOLD:
      if (value < 0) {
        return TBBMALLOC_INVALID_PARAM;
      }
      kept_huge.set_threshold(static_cast<std::size_t>(value));
      return TBBMALLOC_OK;
    default:
      return TBBMALLOC_INVALID_PARAM;
  }
}

}  // namespace ashlar::inline v1::alloc
