// SPDX-License-Identifier: Apache-2.0
#include "alloc/huge_cache.h"

#include "alloc/backend.h"

namespace ashlar::inline v1::alloc {

constinit huge_cache kept_huge;

void huge_cache::set_threshold(std::size_t bytes) noexcept {
  {
    slow_guard const g(central.lock());
    threshold_.store(0, mo::relaxed);
  }
  give_all();
  slow_guard const g(central.lock());
  threshold_.store(bytes, mo::relaxed);
}

bool huge_cache::keep_huge(page* pg) noexcept {
  if (central.above_limit(0)) {
    return false;
  }
  slow_guard const g(central.lock());
  if (!is_huge(pg->units)) {  // the threshold has changed
    return false;
  }
  kept_.insert(pg);
  return true;
}

page* huge_cache::take_huge(std::uint32_t units) noexcept {
  slow_guard const g(central.lock());
  page* const pg = kept_.find(units);
  if (pg == nullptr || pg->units - units > units / 4) {
    return nullptr;
  }
  kept_.remove(pg);
  return pg;
}

bool huge_cache::give_all() noexcept {
  for (bool given = false;; given = true) {
    page* pg;
    {
      slow_guard const g(central.lock());
      pg = kept_.longest();
      if (pg == nullptr) {
        return given;
      }
      kept_.remove(pg);
    }
    give_guarded(pg, false);
  }
}

}  // namespace ashlar::inline v1::alloc
