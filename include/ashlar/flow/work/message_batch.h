// SPDX-License-Identifier: Apache-2.0
// The messages that one thread has taken out of a queue all at once, oldest first. Those who send and the one who
// receives meet once for a batch, and not for each message.
//
// Threads    one at a time, but for size().
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/flow/work/message_queue.h>

#include <cstddef>

namespace ashlar {
inline namespace v1 {
namespace flow {

template <typename T>
class message_batch {
 public:
  bool empty() const noexcept { return size() == 0; }
  /// A guess, for those who look from outside.
  std::size_t size() const noexcept { return left_.load(mo::relaxed); }

  /// Takes all messages of a queue, which the caller has locked, and leaves it the memory of the batch before, which
  /// was used up.
  void fill(message_queue<T>& from) noexcept {
    queue_.swap(from);
    left_.store(queue_.size(), mo::relaxed);
  }
  /// Throws std::bad_alloc, and what copying the message throws.
  ASHLAR_ALWAYS_INLINE void push(T& v, passage p) {
    queue_.push(v, p);
    left_.store(queue_.size(), mo::relaxed);
  }
  T& front() noexcept { return queue_.front(); }
  wait_token* front_token() const noexcept { return queue_.front_token(); }
  ASHLAR_ALWAYS_INLINE void pop() noexcept {
    queue_.pop();
    left_.store(queue_.size(), mo::relaxed);
  }
  void clear() noexcept {
    queue_.clear();
    left_.store(0, mo::relaxed);
  }

 private:
  message_queue<T> queue_;
  atomic<std::size_t> left_{0};
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
