// SPDX-License-Identifier: Apache-2.0
#include "sched/arena.h"

#include "os/fp_control.h"
#include "os/topology.h"
#include "sched/mailbox.h"
#include "sched/market.h"
#include "sched/stand_ins.h"

#include <memory>
#include <new>

namespace ashlar::sched {

struct arena::annex {
  mailbox mail;
  stand_ins here;
};

mailbox& arena::mail(unsigned i) noexcept { return annexes_[i].mail; }

stand_ins& arena::stand_ins_of(unsigned i) noexcept { return annexes_[i].here; }

arena::arena(unsigned concurrency, unsigned reserved, int priority)
    : concurrency_(concurrency),
      reserved_(reserved < concurrency ? reserved : concurrency),
      priority_(priority),
      slots_(std::make_unique<slot[]>(concurrency)),
      annexes_(std::make_unique<annex[]>(concurrency)) {
  os::fp_control const words = os::read_fp_control();
  fp = {words.mxcsr, words.x87};
  for (unsigned i = 0; i < concurrency_; ++i) {
    slots_[i].arena_ = this;
    slots_[i].index_ = i;
  }
}

arena::~arena() = default;

arena& arena::create(unsigned concurrency, unsigned reserved, int priority) {
  auto* const a = new arena(concurrency, reserved, priority);
  market::get().add(*a);
  return *a;
}

void arena::release() noexcept {
  if (references_.fetch_sub(1, mo::acq_rel) != 1) return;  // [A3]
  destroy();
}

void arena::destroy() noexcept {
  market::get().remove(*this);
  delete this;
}

slot* arena::occupy(thread_data& who) noexcept {
  // A worker leaves the reserved slots to application threads, unless there are no others.
  unsigned const first = who.is_worker && reserved_ < concurrency_ ? reserved_ : 0;
  for (unsigned i = first; i < concurrency_; ++i) {
    slot& s = slots_[i];
    if (s.occupant_.load(mo::relaxed) != nullptr) continue;
    thread_data* nobody = nullptr;
    if (!s.occupant_.compare_exchange(nobody, &who, mo::acquire, mo::relaxed)) continue;  // [A2]
    s.thread_ = &who;
    s.pool_ = &who.pool;
    s.context_ = &s.root_;
    s.key_ = 0;
    s.base_ = 0;
    s.task_ = nullptr;
    s.fp_ = nullptr;
    s.cpu_.store(os::current_cpu(), mo::relaxed);
    // The first push reports itself: sleepers that armed the arena before didn't know this slot.
    s.attention_.store(attention_wake | market::get().standing_bits(), mo::relaxed);
    unsigned used = in_use_.load(mo::relaxed);
    while (used <= i && !in_use_.compare_exchange(used, i + 1, mo::release, mo::relaxed)) {  // [A5]
    }
    return &s;
  }
  return nullptr;
}

void arena::vacate(slot& s) noexcept {
  s.arena_->mail(s.index_).set_idle(false);
  s.thread_ = nullptr;
  s.pool_ = nullptr;
  s.occupant_.store(nullptr, mo::release);  // [A1]
}

bool arena::has_visible_work() noexcept {
  if (!enqueued.empty()) return true;
  unsigned const n = slots_in_use();
  for (unsigned i = 0; i < n; ++i) {
    if (!slots_[i].deque_.looks_empty()) return true;
  }
  return false;
}

void arena::raise(std::uint32_t bit) noexcept {
  unsigned const n = slots_in_use();
  for (unsigned i = 0; i < n; ++i) {
    auto& attention = slots_[i].attention_;
    if ((attention.load(mo::relaxed) & bit) == 0) attention.fetch_or(bit, mo::seq_cst);  // [S2]
  }
}

void arena::lower(std::uint32_t bit) noexcept {
  unsigned const n = slots_in_use();
  for (unsigned i = 0; i < n; ++i) slots_[i].attention_.fetch_and(~bit, mo::relaxed);
}

}  // namespace ashlar::sched
