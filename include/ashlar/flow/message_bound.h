// SPDX-License-Identifier: Apache-2.0
// How many messages from outside may be under way in a graph at once: those that a program puts, and those that its
// sources make. Each has a token, which gives its place back when everything that the message causes is over, or is
// stored for good.
//
// Threads    any.
#pragma once

#include <ashlar/flow/message.h>
#include <ashlar/sync/spin_mutex.h>

#include <cstddef>

namespace ashlar {
inline namespace v1 {
namespace flow {

// Graphs that have a bound: without any a put costs one look.
extern ASHLAR_EXPORT atomic<unsigned> bounded_graphs;

class message_bound : private token_owner {
 public:
  // Is told when there may be room.
  class waiter {
   public:
    virtual void room_again() = 0;
    // A guess, for those who look from outside.
    bool waits() const noexcept { return waits_.load(mo::relaxed); }

   protected:
    ~waiter() = default;

   public:
    // ---- for message_bound
    waiter* next_ = nullptr;
    atomic<bool> waits_{false};
  };

  message_bound() noexcept = default;
  message_bound(message_bound const&) = delete;
  message_bound& operator=(message_bound const&) = delete;
  ~message_bound() {
    if (is_set()) bounded_graphs.fetch_sub(1, mo::relaxed);
  }

  bool is_set() const noexcept { return most_.load(mo::relaxed) != 0; }
  // 0: any number.
  ASHLAR_EXPORT void set(std::size_t most);
  // The caller's use of a token for one message; null: there is no room, and `w`, if any, is told when there is. Throws
  // std::bad_alloc.
  ASHLAR_EXPORT wait_token* enter(waiter* w = nullptr);
  // It is not told any more.
  ASHLAR_EXPORT void forget(waiter& w) noexcept;
  void forget_all() noexcept;
  // A node is being destroyed: what it drops makes room, but nobody is told before the graph is waited for.
  ASHLAR_EXPORT void pause() noexcept;
  void go_on();

 private:
  void token_ended() noexcept override { leave(); }
  ASHLAR_EXPORT void leave() noexcept;
  void tell_waiters();

  atomic<std::size_t> most_{0};
  tbb::spin_mutex lock_;  // of what follows
  std::size_t inside_ = 0;
  std::size_t waiting_ = 0;
  bool paused_ = false;
  waiter* first_ = nullptr;
  waiter** last_ = &first_;
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
