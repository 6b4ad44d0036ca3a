// SPDX-License-Identifier: Apache-2.0
#include "sched/park/parking.h"

#include "os/clock.h"
#include "os/futex.h"
#include "os/topology.h"

#include <ashlar/os/tuning.h>

#include <utility>

namespace ashlar::sched {

bool sleeper::sleep(std::uint64_t nanoseconds) noexcept {
  while (token_.load(mo::acquire) == 0) {  // [P2]
    if (nanoseconds == 0) {
      os::futex_wait(token_, 0);
    } else if (!os::futex_wait_for(token_, 0, nanoseconds)) {
      if (token_.load(mo::acquire) == 0) return false;  // [P2]
    }
  }
  unsigned const wakers_cpu = token_.load(mo::relaxed) - 1;
  token_.store(0, mo::relaxed);
  if (thread_ != 0) settle(wakers_cpu);
  return true;
}

// After shorter pauses the kernel moves oversubscribed threads better than the affinity mask does (program discs, 8
// threads on 2 CPUs: 263 ms without, 369 ms with the mask); after a long one all CPUs but the waker's sleep (frames:
// 294 and 216 ms).
void sleeper::keep_apart(bool crowded) noexcept {
  if (thread_ == 0 || apart_ == 0) return;
  if (crowded && os::ticks() - asleep_since_ < os::tuned.ticks_of_us(os::long_sleep_us)) return;
  --apart_;
  away_.begin(thread_, os::current_cpu(), cpu_);
}

void sleeper::settle(unsigned wakers_cpu) noexcept {
  if (away_.active()) {
    away_.end();
  } else if (called_for_work_ && os::current_cpu() == wakers_cpu) {
    apart_ = calls_apart;
  }
}

void sleeper::unpark() noexcept {
  token_.store(1 + os::current_cpu(), mo::release);  // [P1]
  os::futex_wake(token_, 1);
}

constinit atomic<void (*)(void const*) noexcept> parking_lot::other_waiters{nullptr};

parking_lot& parking_lot::get() noexcept {
  static constinit parking_lot lot;
  return lot;
}

void parking_lot::insert(sleeper& s, sleeper::purpose const& what_for) noexcept {
  std::lock_guard guard(lock_);
  s.for_ = what_for;
  sleeper*& first = list_of(s);
  s.previous_ = nullptr;
  s.next_ = first;
  if (first != nullptr) first->previous_ = &s;
  first = &s;
  s.listed_ = true;
  s.called_for_work_ = false;
  count_.fetch_add(1, mo::relaxed);
}

void parking_lot::remove(sleeper& s) noexcept {
  (s.previous_ != nullptr ? s.previous_->next_ : list_of(s)) = s.next_;
  if (s.next_ != nullptr) s.next_->previous_ = s.previous_;
  s.listed_ = false;
  count_.fetch_sub(1, mo::relaxed);
}

void parking_lot::enter_worker(sleeper& s) noexcept {
  if (s.thread_ != 0) {
    s.cpu_ = os::current_cpu();
    s.asleep_since_ = os::ticks();
  }
  insert(s, {});
}

void parking_lot::enter_waiter(sleeper& s, arena& inside, void const* address, bool restricted,
                               more_waits const* more) noexcept {
  insert(s, {&inside, address, more, restricted, false});
}

void parking_lot::enter_seeker(sleeper& s, arena& full, void const* address) noexcept {
  insert(s, {&full, address, nullptr, false, true});
}

void parking_lot::wake_seeker(arena& a) noexcept {
  bool woken = false;
  wake_if(waiters_, [&](sleeper const& s) { return s.for_.seeks && s.for_.inside == &a && !std::exchange(woken, true); });
}

bool parking_lot::leave(sleeper& s) noexcept {
  {
    std::lock_guard guard(lock_);
    if (s.listed_) {
      remove(s);
      return true;
    }
  }
  s.sleep();  // chosen: the token is there or about to come
  return false;
}

sleeper* parking_lot::take_for(arena& a, bool worker_allowed, bool restricted_allowed) noexcept {
  std::lock_guard guard(lock_);
  sleeper* restricted = nullptr;
  for (sleeper* s = waiters_; s != nullptr; s = s->next_) {
    if (s->for_.inside != &a || s->for_.seeks) continue;
    if (!s->for_.restricted) return call(*s);
    restricted = s;
  }
  if (worker_allowed && workers_ != nullptr) return call(*workers_);
  return restricted_allowed && restricted != nullptr ? call(*restricted) : nullptr;
}

bool parking_lot::lists(sleeper const& s) noexcept {
  std::lock_guard guard(lock_);
  return s.listed_;
}

sleeper* parking_lot::call(sleeper& s) noexcept {
  remove(s);
  s.called_for_work_ = true;
  return &s;
}

template <typename Pick>
void parking_lot::wake_if(sleeper*& list, Pick pick) noexcept {
  sleeper* woken = nullptr;
  {
    std::lock_guard guard(lock_);
    for (sleeper* s = list; s != nullptr;) {
      sleeper* const next = s->next_;
      if (pick(*s)) {
        remove(*s);
        s->also_woken_ = std::exchange(woken, s);
      }
      s = next;
    }
  }
  // One that was taken from the list stays until it is unparked.
  while (woken != nullptr) std::exchange(woken, woken->also_woken_)->unpark();
}

void parking_lot::wake_worker() noexcept {
  bool woken = false;
  wake_if(workers_, [&](sleeper const&) { return !std::exchange(woken, true); });
}

void parking_lot::wake_address(void const* address) noexcept {
  wake_if(waiters_, [address](sleeper const& s) {
    return s.for_.address == address || (s.for_.more != nullptr && s.for_.more->contains(*s.for_.more, address));
  });
}

void parking_lot::wake_workers() noexcept {
  wake_if(workers_, [](sleeper const&) { return true; });
}

void parking_lot::forget_sleepers() noexcept {
  workers_ = nullptr;
  waiters_ = nullptr;
  count_.store(0, mo::relaxed);
}

}  // namespace ashlar::sched
