// SPDX-License-Identifier: Apache-2.0
// Which classes above 8 KB are rare: a page for each of them would keep up to half a megabyte for the sake of an object
// or two, so their objects are runs of units of their own, as large ones are, and what is freed serves every size. A
// class has deserved pages when it is asked for all the time, or, below 32 KB, where a run of its own wastes up to half
// of it, when some such objects live already.
//
// Threads: the heap's acting owner; `alone` is counted down by every thread that frees.
#pragma once

#include "alloc/size_class.h"

#include <ashlar/base/atomic.h>

namespace ashlar {
inline namespace v1 {
namespace alloc {

class rare_classes {
 public:
  using counter = atomic<std::uint32_t>;

  static bool may_be_rare(unsigned c) noexcept { return c >= first; }

  // The class has no page, and an object of it is wanted. True: it gets one.
  bool deserves_page(unsigned c) noexcept {
    record& r = records_[c - first];
    std::uint32_t const age = ++events_ - r.last;
    r.last = events_;
    r.streak = age < often ? r.streak + 1u : 0;
    return r.streak >= steady || (c < exact && r.alone.load(mo::relaxed) >= crowd);
  }

  counter& alone(unsigned c) noexcept { return records_[c - first].alone; }

 private:
  struct record {
    std::uint32_t last = 0;    // the event at which it was asked for last
    std::uint32_t streak = 0;  // how often in a row that was soon after the time before
    counter alone{0};          // its objects that live in runs of their own
  };

  static constexpr unsigned first = compute_class(8 * 1024 + 1);
  static constexpr unsigned exact = compute_class(32 * 1024 + 1);  // from here on a run wastes a third at most
  static constexpr std::uint32_t often = 4;                        // events
  static constexpr std::uint32_t steady = 8;
  static constexpr std::uint32_t crowd = 8;

  record records_[class_count - first];
  std::uint32_t events_ = 0;
};

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
