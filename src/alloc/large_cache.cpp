// SPDX-License-Identifier: Apache-2.0
#include "alloc/large_cache.h"

namespace ashlar::inline v1::alloc {

bool large_cache::give_all() noexcept {
  bool given = false;
  for (page*& pg : runs_) {
    if (pg) {
      give_guarded(pg, false);
      pg = nullptr;
      given = true;
    }
  }
  units_ = 0;
  return given;
}

}  // namespace ashlar::inline v1::alloc
