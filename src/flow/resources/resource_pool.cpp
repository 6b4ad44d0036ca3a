// SPDX-License-Identifier: Apache-2.0
#include <ashlar/flow/resources/resource_pool.h>

#include <utility>

namespace ashlar::inline v1::flow {

std::uint64_t take_request_number() noexcept {
  static atomic<std::uint64_t> taken{0};
  return taken.fetch_add(1, mo::relaxed) + 1;
}

// ---- the pool; its lock is held but by claim_waiter

resource_request* resource_pool::claim_waiter(std::uint64_t after) noexcept {
  lock::scoped_lock const held(lock_);
  if (free_ == nullptr) return nullptr;
  for (resource_use* u = waiters_; u != nullptr; u = u->next) {
    if (u->request->age_ > after && u->request->waits_.exchange(false, mo::relaxed)) return u->request;
  }
  return nullptr;
}

bool resource_pool::is_kept_for_older(std::uint64_t age) const noexcept {
  for (resource_use* u = waiters_; u != nullptr && u->request->age_ < age; u = u->next) {
    if (u->request->passed_.load(mo::relaxed) >= resource_request::patience) return true;
  }
  return false;
}

void resource_pool::count_passed(std::uint64_t age) noexcept {
  for (resource_use* u = waiters_; u != nullptr && u->request->age_ < age; u = u->next) {
    u->request->passed_.fetch_add(1, mo::relaxed);
  }
}

resource_cell* resource_pool::take_for(std::uint64_t age) noexcept {
  lock::scoped_lock const held(lock_);
  if (free_ == nullptr || is_kept_for_older(age)) return nullptr;
  count_passed(age);
  return std::exchange(free_, free_->next);
}

void resource_pool::wake_waiters() noexcept {
  std::uint64_t after = 0;
  while (resource_request* const r = claim_waiter(after)) {
    after = r->age_;
    if (r->acquire()) r->resume_(*r);
  }
}

// ---- the request

void resource_request::lock_pools() noexcept {
  for (std::size_t i = 0; i < number_; ++i) {
    if (i == 0 || uses_[i].pool != uses_[i - 1].pool) uses_[i].pool->lock_.lock();
  }
}

// The first lock is the last one to be given up: nobody has all of them, and ends the request, before that.
void resource_request::unlock_pools() noexcept {
  for (std::size_t i = number_; i-- != 0;) {
    if (i == 0 || uses_[i].pool != uses_[i - 1].pool) uses_[i].pool->lock_.unlock();
  }
}

bool resource_request::take_all() noexcept {
  std::size_t got = 0;
  for (; got < number_; ++got) {
    resource_use& u = uses_[got];
    if (u.pool->free_ == nullptr || u.pool->is_kept_for_older(age_)) break;
    u.cell = u.pool->free_;
    u.pool->free_ = u.cell->next;
  }
  if (got == number_) {
    for (std::size_t i = 0; i < number_; ++i) uses_[i].pool->count_passed(age_);
    return true;
  }
  while (got-- != 0) {
    resource_use& u = uses_[got];
    u.cell->next = u.pool->free_;
    u.pool->free_ = u.cell;
    u.cell = nullptr;
  }
  return false;
}

void resource_request::enter_lists() noexcept {
  for (std::size_t i = 0; i < number_; ++i) {
    resource_use** at = &uses_[i].pool->waiters_;
    while (*at != nullptr && (*at)->request->age_ <= age_) at = &(*at)->next;
    uses_[i].next = *at;
    *at = &uses_[i];
  }
}

void resource_request::leave_lists() noexcept {
  for (std::size_t i = 0; i < number_; ++i) {
    resource_use** at = &uses_[i].pool->waiters_;
    while (*at != &uses_[i]) at = &(*at)->next;
    *at = uses_[i].next;
  }
}

bool resource_request::acquire() noexcept {
  if (age_ == 0) age_ = take_request_number();
  lock_pools();
  if (listed_) leave_lists();
  bool const has_all = take_all();
  listed_ = !has_all;
  if (!has_all) {
    enter_lists();
    waits_.store(true, mo::relaxed);
  }
  unlock_pools();
  return has_all;
}

bool resource_request::withdraw() noexcept {
  lock_pools();
  bool const waited = waits_.exchange(false, mo::relaxed);
  if (waited) leave_lists();
  unlock_pools();
  return waited;
}

void resource_request::release() noexcept {
  for (std::size_t i = 0; i < number_; ++i) {
    resource_use& u = uses_[i];
    lock::scoped_lock const held(u.pool->lock_);
    u.cell->next = u.pool->free_;
    u.pool->free_ = u.cell;
    u.cell = nullptr;
  }
  for (std::size_t i = 0; i < number_; ++i) uses_[i].pool->wake_waiters();
}

}  // namespace ashlar::inline v1::flow
