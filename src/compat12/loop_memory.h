// SPDX-License-Identifier: Apache-2.0
// Which parallel loops of a foreign program are small: decision record 6 for code that was compiled with other headers,
// whose bodies and ranges we don't see. What identifies a loop is the virtual table of the first task of its group (in
// practice, a place in the program); what it did last time says what it is likely to do.
//
// A group that application code begins outside of all tasks is timed from its first task to the end of the wait,
// without what a wake-up takes meanwhile. If that was short, and nobody else took part unasked, the next group of that
// kind offers its tasks reserved: nobody is woken. When it lasts longer than a small loop all the same, the reservation
// is lifted. One long execution doesn't change the memory, two do; an unknown kind wakes at once, so that long tasks
// never wait for the memory to be right.
//
// Threads    any. Entries are hints: two kinds that share one disturb each other's memory, and nothing else.
#pragma once

#include "contexts.h"
#include "running.h"

#include <ashlar/algo/small_loop.h>
#include <ashlar/os/ticks.h>
#include <ashlar/os/tuning.h>

namespace ashlar {
inline namespace v1 {
namespace compat12 {

class loop_kind {
 public:
  bool small() const noexcept { return history().expects_small(0); }
  void learn(bool was_small) noexcept { history().remember(evidence_, 0, was_small); }

  static loop_kind& of(d1::task const& first) noexcept {
    std::uintptr_t table;
    __builtin_memcpy(&table, static_cast<void const*>(&first), sizeof table);
    loop_kind& k = kinds[(table >> 4) * 0x9E3779B97F4A7C15u >> (64 - bits)];
    if (ASHLAR_UNLIKELY(k.table_.load(mo::relaxed) != table)) {
      k.evidence_.store(0, mo::relaxed);
      k.table_.store(table, mo::relaxed);
    }
    return k;
  }

 private:
  using history_word = algo::small_loop_history::word;

  algo::small_loop_history history() const noexcept { return algo::small_loop_history(evidence_.load(mo::relaxed)); }

  static constexpr unsigned bits = 8;
  static loop_kind kinds[1 << bits];

  atomic<std::uintptr_t> table_{0};
  atomic<history_word> evidence_{0};
};

inline loop_kind* kind_of(foreign_context const& group) noexcept {
  return static_cast<loop_kind*>(group.kind.load(mo::relaxed));
}

// What foreign_context::helped says of the group.
enum loop_state : std::uint32_t { alone, others_took_part, lasts };

inline void note_help(foreign_context& group) noexcept {
  if (group.helped.load(mo::relaxed) == alone) group.helped.store(others_took_part, mo::relaxed);
}

// A fresh group gets its first task.
inline void begin_loop(foreign_context& group, d1::task const& first, sched::slot const& here) noexcept {
  if (!here.outside_tasks() || !here.can_share()) return group.care.store(plain, mo::relaxed);
  loop_kind& k = loop_kind::of(first);
  group.helped.store(alone, mo::relaxed);
  group.begun.store(ticks(), mo::relaxed);
  group.kind.store(&k, mo::relaxed);
  group.care.store(k.small() ? reserved : plain, mo::relaxed);
}
// It is not large because a thread had to be woken for it: that takes 5 to 10 us, and 60 under a tracer.
inline bool is_long(foreign_context const& group, sched::slot const& here) noexcept {
  std::uint64_t const begun = group.begun.load(mo::relaxed), now = ticks();
  return now - begun > os::tuned.small_loop && now - begun - here.call_took(begun) > os::tuned.small_loop;
}
// Are its tasks to be offered reserved? If the group turns out to be no small loop, what the thread has reserved
// becomes free.
inline bool stays_small(foreign_context& group, sched::slot& here) noexcept {
  if (group.care.load(mo::relaxed) != reserved) return false;
  if (!is_long(group, here)) return true;
  group.care.store(plain, mo::relaxed);
  group.helped.store(lasts, mo::relaxed);
  kind_of(group)->learn(false);
  here.unreserve(0);
  return false;
}
// A task of such a group spawns, and nobody else takes part: the thread that waits looks at the clock before each task
// that it runs, so the task need not.
inline bool looked_after(foreign_context const& group, sched::slot const& here) noexcept {
  return group.care.load(mo::relaxed) == reserved && group.helped.load(mo::relaxed) == alone && !here.outside_tasks();
}
// Application code has waited for the group.
inline void end_loop(foreign_context& group, sched::slot const& here) noexcept {
  loop_kind* const k = kind_of(group);
  if (k == nullptr) return;
  group.kind.store(nullptr, mo::relaxed);
  group.care.store(fresh, mo::relaxed);
  std::uint32_t const what = group.helped.load(mo::relaxed);
  if (what == lasts) return;  // known already
  // What others have helped with unasked may be more work than its time tells.
  k->learn((what == alone || k->small()) && !is_long(group, here));
}

}  // namespace compat12
}  // namespace v1
}  // namespace ashlar
