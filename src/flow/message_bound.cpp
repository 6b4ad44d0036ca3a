// SPDX-License-Identifier: Apache-2.0
#include <ashlar/flow/message_bound.h>

#include <utility>

namespace ashlar::flow {

namespace {

using guard = tbb::spin_mutex::scoped_lock;

}  // namespace

atomic<unsigned> bounded_graphs{0};

void message_bound::set(std::size_t most) {
  std::size_t before;
  {
    guard const held(lock_);
    before = most_.exchange(most, mo::relaxed);
  }
  if (before == 0 && most != 0) bounded_graphs.fetch_add(1, mo::relaxed);
  if (before != 0 && most == 0) bounded_graphs.fetch_sub(1, mo::relaxed);
  tell_waiters();
}

wait_token* message_bound::enter(waiter* w) {
  {
    guard const held(lock_);
    std::size_t const most = most_.load(mo::relaxed);
    if (most != 0 && inside_ >= most) {
      if (w != nullptr && !w->waits()) {
        w->waits_.store(true, mo::relaxed);
        w->next_ = nullptr;
        *last_ = w;
        last_ = &w->next_;
        ++waiting_;
      }
      return nullptr;
    }
    ++inside_;
  }
  ASHLAR_TRY { return new wait_token(*this); }
  ASHLAR_CATCH_ALL {
    leave();
    ASHLAR_RETHROW;
  }
}

void message_bound::forget(waiter& w) noexcept {
  guard const held(lock_);
  if (!w.waits()) return;
  waiter** at = &first_;
  while (*at != &w) at = &(*at)->next_;
  *at = w.next_;
  if (last_ == &w.next_) last_ = at;
  w.waits_.store(false, mo::relaxed);
  --waiting_;
}

void message_bound::forget_all() noexcept {
  guard const held(lock_);
  for (waiter* w = first_; w != nullptr; w = w->next_) w->waits_.store(false, mo::relaxed);
  first_ = nullptr;
  last_ = &first_;
  waiting_ = 0;
}

void message_bound::pause() noexcept {
  guard const held(lock_);
  paused_ = true;
}

void message_bound::go_on() {
  {
    guard const held(lock_);
    if (!std::exchange(paused_, false)) return;
  }
  tell_waiters();
}

void message_bound::leave() noexcept {
  {
    guard const held(lock_);
    --inside_;
    if (first_ == nullptr || paused_) return;
  }
  tell_waiters();
}

// Those that find no room wait again, behind the others.
void message_bound::tell_waiters() {
  std::size_t left;
  {
    guard const held(lock_);
    left = waiting_;
  }
  for (; left != 0; --left) {
    waiter* w;
    {
      guard const held(lock_);
      w = first_;
      if (w == nullptr) return;
      first_ = w->next_;
      if (first_ == nullptr) last_ = &first_;
      w->waits_.store(false, mo::relaxed);
      --waiting_;
    }
    w->room_again();
  }
}

}  // namespace ashlar::flow
