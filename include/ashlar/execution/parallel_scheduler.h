// SPDX-License-Identifier: Apache-2.0
// The backend of std::execution's parallel_scheduler: an arena of the process's. src/execution/parallel_scheduler.cpp,
// which a program links by TBB::parallel_scheduler, makes it that.
#pragma once

#include <ashlar/execution/bulk.h>
#include <ashlar/sched/api/info.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <utility>

ASHLAR_EXECUTION_PARTS

namespace replacement = ex::parallel_scheduler_replacement;

/// The receiver's stop token; one that stops nothing if it has none of the type that the interface passes on.
inline ex::inplace_stop_token token_of(replacement::receiver_proxy& r) noexcept {
  return r.template try_query<ex::inplace_stop_token>(ex::get_stop_token).value_or(ex::inplace_stop_token());
}

/// A job in the storage that the frontend lends, or from the heap where that is too small. It is over, and the storage
/// given back, before the receiver is completed.
struct scheduled_job : sched::job {
  explicit scheduled_job(replacement::receiver_proxy& r) noexcept : job{&run_it}, receiver(&r) {}
  static sched::job* run_it(sched::job* self, sched::slot& here) noexcept {
    auto& j = *static_cast<scheduled_job*>(self);
    replacement::receiver_proxy& r = *j.receiver;
    if (j.allocated) delete &j;
    void* const outer = here.task();
    here.enter_apart(nullptr);
    if (token_of(r).stop_requested()) {
      r.set_stopped();
    } else {
      r.set_value();
    }
    here.return_to(outer);
    return nullptr;
  }

  replacement::receiver_proxy* receiver;
  bool allocated = false;
};

/// Chunked: the receiver gets parts of [0, n); else each number by itself.
template <bool Chunked>
struct bulk_job : sched::job {
  bulk_job(replacement::bulk_item_receiver_proxy& r, std::size_t count) noexcept
      : job{&run_it}, receiver(&r), n(count) {}
  static sched::job* run_it(sched::job* self, sched::slot& here) noexcept {
    auto& j = *static_cast<bulk_job*>(self);
    replacement::bulk_item_receiver_proxy& r = *j.receiver;
    std::size_t const n = j.n;
    if (j.allocated) delete &j;
    void* const outer = here.task();
    here.enter_apart(nullptr);
    bool stopped = false;
    std::exception_ptr error;  // std::bad_alloc: no body throws
    ASHLAR_TRY { stopped = run_loop(r, n); }
    ASHLAR_CATCH_ALL { error = std::current_exception(); }
    if (error) {
      r.set_error(std::move(error));
    } else if (stopped) {
      r.set_stopped();
    } else {
      r.set_value();
    }
    here.return_to(outer);
    return nullptr;
  }
  static bool run_loop(replacement::bulk_item_receiver_proxy& r, std::size_t n) {
    std::conditional_t<Chunked, tbb::auto_partitioner, tbb::simple_partitioner> const how;
    auto const part = [&r](tbb::blocked_range<std::size_t> const& p) { r.execute(p.begin(), p.end()); };
    ex::inplace_stop_token const token = token_of(r);
    if (token.stop_possible()) return stop_or_for_chunks(token, n, part, how);
    for_chunks(n, part, how);
    return false;
  }

  replacement::bulk_item_receiver_proxy* receiver;
  std::size_t n;
  bool allocated = false;
};

/// One worker more than by default, unless the program limits the threads: those that wait for senders of a
/// parallel_scheduler are outside, and take no part in the work.
class arena_backend final : public replacement::parallel_scheduler_backend {
 public:
  arena_backend() { sched::request_threads(static_cast<unsigned>(tbb::info::default_concurrency()) + 1); }
  void schedule(replacement::receiver_proxy& r, std::span<std::byte> storage) noexcept override {
    start<scheduled_job>(storage, r, r);
  }
  void schedule_bulk_chunked(std::size_t n, replacement::bulk_item_receiver_proxy& r,
                             std::span<std::byte> storage) noexcept override {
    start<bulk_job<true>>(storage, r, r, n);
  }
  void schedule_bulk_unchunked(std::size_t n, replacement::bulk_item_receiver_proxy& r,
                               std::span<std::byte> storage) noexcept override {
    start<bulk_job<false>>(storage, r, r, n);
  }

 private:
  template <typename Job, typename... Args>
  void start(std::span<std::byte> storage, replacement::receiver_proxy& r, Args&&... args) noexcept {
    void* place = storage.data();
    std::size_t size = storage.size();
    Job* j;
    if (std::align(alignof(Job), sizeof(Job), place, size) != nullptr) {
      j = ::new (place) Job(args...);
    } else {
      j = new (std::nothrow) Job(args...);
      if (j == nullptr) return r.set_error(std::make_exception_ptr(std::bad_alloc()));
      j->allocated = true;
    }
    start_job(*arena_, *j, 1, false);
  }

  tbb::task_arena place_{tbb::info::default_concurrency(), 0};
  sched::arena* const arena_ = &reinterpret_cast<sched::arena_holder&>(place_).get();
};

/// The process's. It is never destroyed: senders may be under way when static objects are. So the pointers count no
/// references, of which implementations make several for each sender, with locked instructions on one word.
inline std::shared_ptr<replacement::parallel_scheduler_backend> process_backend() {
  static arena_backend* const backend = new arena_backend;
  return {std::shared_ptr<void>(), backend};
}

ASHLAR_EXECUTION_PARTS_END
