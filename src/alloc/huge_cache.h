// SPDX-License-Identifier: Apache-2.0
// Freed huge objects: those of at least a threshold that the program sets. The budget of the backend does not apply to
// their memory; it waits here, whole, for a request of about its length, until CLEAN_ALL_BUFFERS, the soft limit or a
// system without memory asks for it. Without a threshold nothing is kept.
//
// Threads: any. The runs are under the backend's lock, so that fork finds them whole.
#pragma once

#include "alloc/page.h"
#include "alloc/run_bins.h"
#include "alloc/size_class.h"

namespace ashlar {
inline namespace v1 {
namespace alloc {

class huge_cache {
 public:
  // 0: no object is huge. What was kept by the old threshold is given back.
  void set_threshold(std::size_t bytes) noexcept;
  // The run of a freed large object, with its guard. False: it is not huge, or memory is short.
  bool keep(page* pg) noexcept { return is_huge(pg->units) && keep_huge(pg); }
  // A kept run of at least `units` and at most a quarter more; null if there is none.
  page* take(std::uint32_t units) noexcept { return is_huge(units) ? take_huge(units) : nullptr; }
  // Gives everything to the backend, whose lock the caller does not hold. True: there was something.
  bool give_all() noexcept;

 private:
  bool keep_huge(page* pg) noexcept;
  page* take_huge(std::uint32_t units) noexcept;
  bool is_huge(std::uint32_t units) const noexcept {
    std::size_t const least = threshold_.load(mo::relaxed);
    return ASHLAR_UNLIKELY(least != 0) && std::size_t{units} << unit_shift >= least;
  }

  atomic<std::size_t> threshold_{0};  // written under the lock; nothing is kept while it is 0
  run_bins kept_;
};

extern huge_cache kept_huge;

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
