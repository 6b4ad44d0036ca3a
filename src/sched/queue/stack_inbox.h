// SPDX-License-Identifier: Apache-2.0
// Where other threads put the stacks that they resume, and where the stacks' thread says that it sleeps: one word.
//
// Threads    push: anyone. take, announce, looks_empty: the occupant of the slot.
// Ordering   [SI1] push, acq_rel -> [SI2] take: acquire (what the resumer did)
//            [SI3] the occupant marks the empty inbox before it sleeps <-> [SI1] push: one of the two sees the other
// Model      tests/model/suspend_model.cpp; protocol: README.md, 'Suspended tasks'
#pragma once

#include <ashlar/base/atomic.h>

#include <cstdint>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace sched {

struct stack_link {
  stack_link* next = nullptr;
};

class stack_inbox {
 public:
  // True if the occupant sleeps and is to be woken. The occupant may go on with the stack from here on.
  bool push(stack_link& s) noexcept {
    std::uintptr_t head = word_.load(mo::relaxed);
    do {
      s.next = link(head);
    } while (!word_.compare_exchange(head, reinterpret_cast<std::uintptr_t>(&s), mo::acq_rel, mo::relaxed));  // [SI1]
    return (head & asleep) != 0;
  }
  bool looks_empty() const noexcept { return link(word_.load(mo::relaxed)) == nullptr; }
  // All that was pushed, the oldest first.
  stack_link* take() noexcept {
    stack_link* newest = link(word_.exchange(0, mo::acquire));  // [SI2]
    stack_link* oldest = nullptr;
    while (newest != nullptr) {
      stack_link* const s = std::exchange(newest, newest->next);
      s->next = oldest;
      oldest = s;
    }
    return oldest;
  }
  // The occupant is about to sleep. False if there is something to take.
  bool announce() noexcept {
    std::uintptr_t seen = 0;
    return word_.compare_exchange(seen, asleep, mo::acq_rel, mo::relaxed) || seen == asleep;  // [SI3]
  }

 private:
  static constexpr std::uintptr_t asleep = 1;
  static stack_link* link(std::uintptr_t word) noexcept { return reinterpret_cast<stack_link*>(word & ~asleep); }

  atomic<std::uintptr_t> word_{0};
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
