// SPDX-License-Identifier: Apache-2.0
// A list of arenas in the order of their coming. An arena may be in several lists, one for each pair of links.
// Everything is done under the market's lock.
#pragma once

#include "sched/arena/arena.h"

#include <utility>

namespace ashlar {
inline namespace v1 {
namespace sched {

template <arena_links arena_state::* Links>
class arena_list {
 public:
  bool empty() const noexcept { return first_ == nullptr; }
  arena* front() const noexcept { return first_; }
  static arena* next(arena& a) noexcept { return links(a).next; }

  void add(arena& a) noexcept {
    arena_links& l = links(a);
    if (std::exchange(l.listed, true)) return;
    l.next = nullptr;
    l.previous = last_;
    (last_ != nullptr ? links(*last_).next : first_) = &a;
    last_ = &a;
  }
  void remove(arena& a) noexcept {
    arena_links& l = links(a);
    if (!std::exchange(l.listed, false)) return;
    (l.previous != nullptr ? links(*l.previous).next : first_) = l.next;
    (l.next != nullptr ? links(*l.next).previous : last_) = l.previous;
  }
  // The call may remove the arena that it gets.
  template <typename Call>
  void for_each(Call const& call) const {
    for (arena* a = first_; a != nullptr;) {
      arena* const after = next(*a);
      call(*a);
      a = after;
    }
  }

 private:
  static arena_links& links(arena& a) noexcept { return a.market_state.*Links; }

  arena* first_ = nullptr;
  arena* last_ = nullptr;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
