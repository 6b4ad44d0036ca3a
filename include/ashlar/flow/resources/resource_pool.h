// SPDX-License-Identifier: Apache-2.0
// Resources that are shared by the messages of nodes: pools of them, and requests for one of each of several pools.
//
// A request gets all that it needs at once or nothing, so that requests never wait for each other in a circle. One that
// waits lets at most `patience` younger ones pass in each pool; then they wait for it.
//
// Threads    any.
// Invariants RP1 a request that waits is in the list of each of its pools, by age; all its pools are locked, in the
//                order of their addresses, when it enters or leaves the lists.
//            RP2 who sets waits_ to false owns the request, and tries again. Between that and the locks of RP1 a
//                resource may come back: whoever brings it can't claim the request, and need not, because the owner
//                will look.
#pragma once

#include <ashlar/flow/engine/graph_core.h>

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace flow {

class resource_request;

/// A number for a request, larger than those that were taken before.
ASHLAR_EXPORT std::uint64_t take_request_number() noexcept;

/// A resource of a pool; who has it has the only pointer to it.
struct resource_cell {
  resource_cell* next = nullptr;
};

class resource_pool {
 public:
  resource_pool() noexcept = default;
  resource_pool(resource_pool const&) = delete;
  resource_pool& operator=(resource_pool const&) = delete;

 protected:
  ~resource_pool() = default;
  /// Wakes nobody: another call does.
  void put_back(resource_cell& c) noexcept {
    lock::scoped_lock const held(lock_);
    c.next = free_;
    free_ = &c;
  }
  /// One for a request of this age, which does not wait; null: there is none, or it is kept for older ones.
  ASHLAR_EXPORT resource_cell* take_for(std::uint64_t age) noexcept;
  /// Resumes waiting requests as long as there is something for them.
  ASHLAR_EXPORT void wake_waiters() noexcept;

 private:
  friend class resource_request;
  resource_request* claim_waiter(std::uint64_t after) noexcept;
  bool is_kept_for_older(std::uint64_t age) const noexcept;
  void count_passed(std::uint64_t age) noexcept;

  lock lock_;
  resource_cell* free_ = nullptr;
  struct resource_use* waiters_ = nullptr;
};

/// What a request needs of a pool, and has while it isn't null; the place of the request in the pool's list.
struct resource_use {
  resource_pool* pool = nullptr;
  resource_cell* cell = nullptr;
  resource_request* request = nullptr;
  resource_use* next = nullptr;
};

class resource_request {
 public:
  /// `uses` are in the order of the pools' addresses. Once it has waited and has everything, `resume` is called by the
  /// thread that made that possible.
  resource_request(resource_use* uses, std::size_t number, void (*resume)(resource_request&) noexcept) noexcept;
  resource_request(resource_request const&) = delete;
  resource_request& operator=(resource_request const&) = delete;

  /// True: it has all. False: it waits, and may be gone.
  ASHLAR_EXPORT bool acquire() noexcept;
  /// Gives all back, and resumes requests that wait for them.
  ASHLAR_EXPORT void release() noexcept;

 protected:
  ~resource_request() = default;
  /// Before it is acquired: older than other requests with larger numbers (take_request_number).
  void set_age(std::uint64_t age) noexcept { age_ = age; }
  /// It does not wait any more. False: it did not, because another thread is about to resume it or to let it wait
  /// again.
  ASHLAR_EXPORT bool withdraw() noexcept;

 private:
  friend class resource_pool;
  static constexpr unsigned patience = 16;
  void lock_pools() noexcept;
  void unlock_pools() noexcept;
  bool take_all() noexcept;
  void enter_lists() noexcept;
  void leave_lists() noexcept;

  resource_use* const uses_;
  std::size_t const number_;
  void (*const resume_)(resource_request&) noexcept;
  std::uint64_t age_ = 0;  // 0: not known yet
  bool listed_ = false;
  atomic<unsigned> passed_{0};  // by younger ones, while it waited
  atomic<bool> waits_{false};
};

inline resource_request::resource_request(resource_use* uses, std::size_t number,
                                          void (*resume)(resource_request&) noexcept) noexcept
    : uses_(uses), number_(number), resume_(resume) {
  for (std::size_t i = 0; i < number; ++i) uses[i].request = this;
}

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
