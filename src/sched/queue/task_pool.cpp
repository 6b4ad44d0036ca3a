// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/queue/task_pool.h>

#include "base/sanitized_program.h"
#include "sched/park/process_locks.h"

#include <mutex>

namespace ashlar::inline v1::sched {
namespace {

constexpr std::size_t chunk_size = 16 * 1024;
task_pool* orphans = nullptr;
atomic<std::size_t> bytes_from_system{0};

void* system_memory(std::size_t size) {
  void* const p = ::operator new(size, std::align_val_t{task_pool::granule});
  bytes_from_system.fetch_add(size, mo::relaxed);
  return p;
}

}  // namespace

task_pool& task_pool::acquire() {
  {
    std::lock_guard guard(process_locks::orphans);
    if (task_pool* const p = orphans) {
      orphans = p->next_;
      tsan::acquire_there(p);
      return *p;
    }
  }
  return *new task_pool;
}

void task_pool::abandon() noexcept {
  tsan::release_there(this);
  std::lock_guard guard(process_locks::orphans);
  next_ = orphans;
  orphans = this;
}

std::size_t task_pool::footprint() noexcept { return bytes_from_system.load(mo::relaxed); }

bool task_pool::take_remote() noexcept {
  block* b = remote_.exchange(nullptr, mo::acquire);  // [T2]
  bool const any = b != nullptr;
  while (b != nullptr) {
    block* const next = b->next;
    std::size_t const c = b->size_class;
    b->next = free_[c];
    free_[c] = b;
    b = next;
  }
  return any;
}

void* task_pool::refill(std::size_t c) {
  if (take_remote() && free_[c] != nullptr) {
    block* const b = free_[c];
    free_[c] = b->next;
    return b;
  }
  std::size_t const size = (c + 1) * granule;
  if (static_cast<std::size_t>(fresh_end_ - fresh_) < size) {
    // What is left of the old chunk serves the smaller classes.
    while (fresh_ != fresh_end_) {
      auto* const b = reinterpret_cast<block*>(fresh_);
      b->next = free_[0];
      free_[0] = b;
      fresh_ += granule;
    }
    fresh_ = static_cast<char*>(system_memory(chunk_size));
    fresh_end_ = fresh_ + chunk_size;
  }
  void* const p = fresh_;
  fresh_ += size;
  return p;
}

void task_pool::release_remote(void* what, std::size_t size, task_pool* home) noexcept {
  if (home == nullptr) {
    ::operator delete(what, std::align_val_t{granule});
    return;
  }
  auto* const b = static_cast<block*>(what);
  b->size_class = (size - 1) / granule;
  block* head = home->remote_.load(mo::relaxed);
  do {
    b->next = head;
  } while (!home->remote_.compare_exchange(head, b, mo::release, mo::relaxed));  // [T1]
}

void* task_pool::allocate_large(std::size_t size) { return ::operator new(size, std::align_val_t{granule}); }

}  // namespace ashlar::inline v1::sched
