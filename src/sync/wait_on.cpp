// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sync/wait_on.h>

#include "sync/parker.h"

#include <utility>

namespace ashlar::inline v1::sync {

namespace {

wait_result sleep_alone(parker& me, std::uint64_t nanoseconds) noexcept {
  if (me.sleep(nanoseconds)) return wait_result::woken;
  if (me.leave()) return wait_result::timed_out;
  me.sleep();
  return wait_result::woken;
}

}  // namespace

wait_result wait_on(void const* address, bool (*still)(void const*) noexcept, void const* context, wait_kind kind,
                    std::uint64_t nanoseconds) noexcept {
  parker me;
  wait_place at;
  at.armed = kind == wait_kind::armed;
  {
    wait_list list(bucket_of(address));
    if (at.armed) list.arm();
    if (!still(context)) {
      if (at.armed) list.disarm();
      return wait_result::refused;
    }
    me.prepare(at, address);
    list.add(at);
  }
  return sleep_alone(me, nanoseconds);
}

wait_result wait_after(void const* address, void (*enlisted)(void*) noexcept, void* context,
                       std::uint64_t nanoseconds) noexcept {
  parker me;
  wait_place at;
  me.enter(at, address);
  enlisted(context);
  return sleep_alone(me, nanoseconds);
}

std::size_t wake_one(void const* address) noexcept {
  parker* chosen;
  {
    wait_list list(bucket_of(address));
    chosen = list.take_oldest(address);
    if (chosen == nullptr) list.grow_impatient();
  }
  if (chosen == nullptr) return 0;
  chosen->wake();
  return 1;
}

std::size_t wake_all(void const* address) noexcept {
  parker* first = nullptr;
  parker** end = &first;
  {
    wait_list list(bucket_of(address));
    while (parker* const chosen = list.take_oldest(address)) {
      *end = chosen;
      end = &chosen->also_woken;
    }
    *end = nullptr;
  }
  std::size_t n = 0;
  for (; first != nullptr; ++n) std::exchange(first, first->also_woken)->wake();
  return n;
}

}  // namespace ashlar::inline v1::sync
