// SPDX-License-Identifier: Apache-2.0
// A hash table of fixed size under one lock: names are given rarely and read by reports only.
#include <ashlar/base/names.h>

#include "base/names_lock.h"

#include <cstdint>
#include <cstring>
#include <mutex>

namespace ashlar {
inline namespace v1 {
namespace {

struct entry {
  void const* object;
  char name[object_name_bytes];
};

constexpr std::size_t entry_count = 512;
// An object is found within this many entries from its own place, or not at all.
constexpr std::size_t probe_limit = 16;

std::mutex table_mutex;
entry table[entry_count];

std::size_t place_of(void const* object) {
  auto const bits = reinterpret_cast<std::uintptr_t>(object);
  return static_cast<std::size_t>((bits * 0x9E3779B97F4A7C15u) >> 40) % entry_count;
}

// The entry near the place of `object` that holds `wanted` (the object, or null for a free entry), or null.
// The lock is held.
entry* find(void const* object, void const* wanted) {
  std::size_t const start = place_of(object);
  for (std::size_t i = 0; i < probe_limit; ++i) {
    entry& candidate = table[(start + i) % entry_count];
    if (candidate.object == wanted) {
      return &candidate;
    }
  }
  return nullptr;
}

}  // namespace

std::mutex& names_lock() noexcept { return table_mutex; }

void set_object_name(void const* object, char const* name) noexcept {
  if (!object) {
    return;
  }
  std::lock_guard<std::mutex> const lock(table_mutex);
  entry* chosen = find(object, object);
  if (!name) {
    if (chosen) {
      chosen->object = nullptr;
    }
    return;
  }
  if (!chosen) {
    chosen = find(object, nullptr);
  }
  if (!chosen) {
    chosen = &table[place_of(object)];
  }
  chosen->object = object;
  std::strncpy(chosen->name, name, object_name_bytes - 1);
  chosen->name[object_name_bytes - 1] = '\0';
}

bool get_object_name(void const* object, char* name) noexcept {
  if (!object) {
    return false;
  }
  std::lock_guard<std::mutex> const lock(table_mutex);
  entry const* const found = find(object, object);
  if (!found) {
    return false;
  }
  std::memcpy(name, found->name, object_name_bytes);
  return true;
}

}  // namespace v1
}  // namespace ashlar
