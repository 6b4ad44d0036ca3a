// SPDX-License-Identifier: Apache-2.0
// Large objects that a thread has just freed: four of them, 4 MB in all, at most. Each heap has one.
//
// Threads: the heap's acting owner.
#pragma once

#include "alloc/backend.h"
#include "alloc/page.h"
#include "alloc/size_class.h"

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace alloc {

class large_cache {
 public:
  static constexpr std::size_t most_bytes = std::size_t{4} << 20;

  // A run of so many units, or up to an eighth more; null: there is none.
  page* take(std::uint32_t units) noexcept;
  // False: there is no room for it, or memory is short.
  bool keep(page* pg) noexcept;
  // Gives all to the backend. True: something was given.
  bool give_all() noexcept;

 private:
  static constexpr std::size_t most = 4;
  static constexpr std::size_t most_units = most_bytes >> unit_shift;

  page* runs_[most] = {};
  std::size_t units_ = 0;
};

inline page* large_cache::take(std::uint32_t units) noexcept {
  for (page*& pg : runs_) {
    if (pg != nullptr && pg->units >= units && pg->units - units <= units / 8) {
      page* const found = pg;
      units_ -= found->units;
      pg = nullptr;
      return found;
    }
  }
  return nullptr;
}

inline bool large_cache::keep(page* pg) noexcept {
  if (units_ + pg->units > most_units || central.above_limit(0)) {
    return false;
  }
  for (page*& run : runs_) {
    if (!run) {
      run = pg;
      units_ += pg->units;
      return true;
    }
  }
  return false;
}

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
