// SPDX-License-Identifier: Apache-2.0
// The library's one parking lot, for locks and for the scheduler: a thread that sleeps, and the addresses by which it
// can be found, in the buckets of <ashlar/sync/wait_table.h>.
//
// A parker enters the lot under one or more addresses. Whoever looks for somebody under one of them chooses the parker,
// by its token, under that bucket's lock: nobody else finds it from then on, and it stays until the chooser's wake(),
// whose store is the last access to it.
//
// Invariant  A thread that enters under an address and then looks for what it waits for sees the change, or is found
//            by whoever makes the change and then looks under that address: both take the lock of the address's
//            bucket.
// Threads    enter, leave, sleep: the sleeping thread. wake: whoever has chosen the parker.
// Ordering   [W3] bucket unlocked -> [W4] bucket locked (the list, and what was written before)
//            [W2] see wait_on.h
//            [W5] token set by the waker -> [W6] parker reads it (the parker may vanish now)
// Model      tests/model/scheduler_model.cpp, tests/model/mutex_model.cpp
#pragma once

#include <ashlar/sync/backoff.h>
#include <ashlar/sync/wait_table.h>

#include <cstdint>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace sync {

class parker;

// One of the addresses of a parker; unused while the thread is awake.
struct wait_place {
  void const* key = nullptr;
  parker* who = nullptr;
  wait_place* next = nullptr;  // in the bucket
  wait_place* previous = nullptr;
  wait_place* more = nullptr;  // of the same parker
  bool listed = false;         // under the bucket's lock
  bool armed = false;          // wait_kind::armed
};

class parker {
 public:
  parker() noexcept = default;
  parker(parker const&) = delete;
  parker& operator=(parker const&) = delete;

  void enter(wait_place& at, void const* key) noexcept;
  // Leaves all addresses. False: somebody has chosen it, and the caller has to sleep until that one wakes it.
  bool leave() noexcept;
  // Blocks until it is woken, and is in the lot no more; or for so long: then false, and it is still there.
  bool sleep(std::uint64_t nanoseconds = wait_forever) noexcept;
  // `sign` is what the thread finds in sign() afterwards.
  void wake(std::uint32_t sign = 0) noexcept;

  // For the lot, with the bucket locked: enter but for the list; false if it has been chosen already.
  void prepare(wait_place& at, void const* key) noexcept;
  bool choose(wait_place const* by) noexcept;
  parker* also_woken = nullptr;  // the waker's list

  // In the lot, and chosen by nobody. A guess for other threads.
  bool listed() const noexcept { return token_.load(mo::relaxed) == asleep; }

 protected:
  std::uint32_t sign() const noexcept { return token_.load(mo::relaxed) - woken; }

 private:
  static constexpr std::uint32_t asleep = 0, chosen = 1, woken = 2;
  void withdraw() noexcept;

  atomic<std::uint32_t> token_{woken};
  wait_place* places_ = nullptr;
  wait_place const* chosen_by_ = nullptr;  // not in its bucket any more
};

// A bucket, locked, with those who can be found there.
class wait_list {
 public:
  explicit wait_list(wait_bucket& b) noexcept : bucket_(b) { lock(); }
  ~wait_list() { unlock(); }
  wait_list(wait_list const&) = delete;
  wait_list& operator=(wait_list const&) = delete;

  // Makes wakers look into the bucket from now on; may release the lock for the fence. The count keeps others from
  // disarming.
  void arm() noexcept;
  void disarm() noexcept { --bucket_.armed_sleepers; }
  // A waker found nobody for its address.
  void grow_impatient() noexcept;

  void add(wait_place& at) noexcept {
    (bucket_.last != nullptr ? bucket_.last->next : bucket_.first) = &at;
    at.previous = bucket_.last;
    at.next = nullptr;
    bucket_.last = &at;
    at.listed = true;
  }
  void remove(wait_place& at) noexcept {
    (at.previous != nullptr ? at.previous->next : bucket_.first) = at.next;
    (at.next != nullptr ? at.next->previous : bucket_.last) = at.previous;
    at.listed = false;
    if (at.armed) disarm();
  }
  parker* take_oldest(void const* key) noexcept { return take(key, bucket_.first, &wait_place::next); }
  parker* take_newest(void const* key) noexcept { return take(key, bucket_.last, &wait_place::previous); }

 private:
  // After so many wakers that found nobody, a bucket is disarmed. Arming costs the next sleeper a heavy fence of up
  // to 10 us, a futile look about 10 ns.
#ifdef ASHLAR_MODEL
  static constexpr std::uint32_t futile_wakes_borne = 0;
#else
  static constexpr std::uint32_t futile_wakes_borne = 200;
#endif

  void lock() noexcept {
#ifdef ASHLAR_MODEL
    if (model_bucket_lock != nullptr) return model_bucket_lock->lock();
#endif
    for (backoff wait;; wait.pause()) {
      std::uint32_t free = 0;
      if (bucket_.locked.compare_exchange(free, 1, mo::acquire, mo::relaxed)) return;  // [W4]
    }
  }
  void unlock() noexcept {
#ifdef ASHLAR_MODEL
    if (model_bucket_lock != nullptr) return model_bucket_lock->unlock();
#endif
    bucket_.locked.store(0, mo::release);  // [W3]
  }

  // Whoever has been chosen under another address is found here no more.
  parker* take(void const* key, wait_place* at, wait_place* wait_place::* further) noexcept {
    while (at != nullptr) {
      wait_place& here = *std::exchange(at, at->*further);
      if (here.key != key) continue;
      remove(here);
      if (here.who->choose(&here)) return here.who;
    }
    return nullptr;
  }

  wait_bucket& bucket_;
};

// Takes the one that has entered last under an address out of the lot, or none: the caller wakes it.
parker* choose_newest(void const* key) noexcept;

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
