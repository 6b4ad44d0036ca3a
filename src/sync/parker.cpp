// SPDX-License-Identifier: Apache-2.0
#include "sync/parker.h"

#include "os/futex.h"
#include "os/membarrier.h"

namespace ashlar::inline v1::sync {

void wait_list::arm() noexcept {
  ++bucket_.armed_sleepers;
  bucket_.futile_wakes = 0;
  if (!wakers_use_light_fence() || bucket_.fenced) return;
  bucket_.armed.store(1, mo::relaxed);
  unlock();
  os::heavy_fence();  // [W2]
  lock();
  bucket_.fenced = true;
}

void wait_list::grow_impatient() noexcept {
  if (bucket_.armed_sleepers != 0 || !wakers_use_light_fence()) return;
  // Not fenced: as it was when the library was loaded.
  if (bucket_.fenced && bucket_.futile_wakes++ < futile_wakes_borne) return;
  bucket_.futile_wakes = 0;
  bucket_.fenced = false;
  bucket_.armed.store(0, mo::relaxed);
}

void parker::prepare(wait_place& at, void const* key) noexcept {
  if (places_ == nullptr) token_.store(asleep, mo::relaxed);
  at.key = key;
  at.who = this;
  at.more = std::exchange(places_, &at);
}

void parker::enter(wait_place& at, void const* key) noexcept {
  prepare(at, key);
  wait_list(bucket_of(key)).add(at);
}

bool parker::choose(wait_place const* by) noexcept {
  std::uint32_t expected = asleep;
  if (!token_.compare_exchange(expected, chosen, mo::relaxed, mo::relaxed)) return false;
  chosen_by_ = by;
  return true;
}

void parker::withdraw() noexcept {
  for (wait_place* at = std::exchange(places_, nullptr); at != nullptr; at = at->more) {
    if (at == chosen_by_) continue;
    wait_list list(bucket_of(at->key));
    if (at->listed) list.remove(*at);
  }
}

bool parker::leave() noexcept {
  if (!choose(nullptr)) return false;
  withdraw();
  token_.store(woken, mo::relaxed);
  return true;
}

bool parker::sleep(std::uint64_t nanoseconds) noexcept {
  std::uint32_t now;
  while ((now = token_.load(mo::acquire)) < woken) {  // [W6]
    if (nanoseconds == wait_forever || now == chosen) {
      os::futex_wait(token_, now);
    } else if (!os::futex_wait_for(token_, now, nanoseconds) && token_.load(mo::relaxed) == asleep) {
      return false;
    }
  }
  withdraw();
  return true;
}

void parker::wake(std::uint32_t sign) noexcept {
  atomic<std::uint32_t>& token = token_;
  token.store(woken + sign, mo::release);  // [W5]
  os::futex_wake(token, 1);
}

parker* choose_newest(void const* key) noexcept { return wait_list(bucket_of(key)).take_newest(key); }

}  // namespace ashlar::inline v1::sync
