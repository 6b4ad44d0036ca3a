// SPDX-License-Identifier: Apache-2.0
// The arenas that there are, and who uses the scheduler: application threads that are attached, and handles of arenas.
//
// Threads    the list under the market's lock; the counts: any.
#pragma once

#include "sched/arena/arena_list.h"

namespace ashlar {
inline namespace v1 {
namespace sched {

class membership {
 public:
  void add(arena& a) noexcept { arenas_.add(a); }
  void remove(arena& a) noexcept { arenas_.remove(a); }
  template <typename Call>
  void for_each(Call const& call) const {
    arenas_.for_each(call);
  }

  // While there are attached application threads or handles of arenas, finalize() answers false.
  void count_attached(int change) noexcept { attached_.fetch_add(change, mo::relaxed); }
  void count_handles(int change) noexcept { handles_.fetch_add(change, mo::relaxed); }
  bool has_users() const noexcept { return attached_.load(mo::relaxed) != 0 || handles_.load(mo::relaxed) != 0; }
  // After a fork: the threads that are attached.
  void set_attached(int threads) noexcept { attached_.store(threads, mo::relaxed); }

 private:
  arena_list<&arena_state::all> arenas_;
  atomic<int> attached_{0};
  atomic<int> handles_{0};
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
