// SPDX-License-Identifier: Apache-2.0
// The inside of a bound_port. Everything is under its lock: a user's thread that sleeps has to be woken anyway.
#pragma once

#include "pipeline_gate.h"

#include <ashlar/algo/bound_port.h>

#include <condition_variable>
#include <mutex>

namespace ashlar::inline v1::algo {

class bound_queue {
 public:
  // A run begins. `most`: how many tokens the input may have on their way; 0: not the input.
  void begin(pipeline_run& run, std::size_t most, bool ordered, bool numbering) {
    std::lock_guard const guard(lock_);
    run_ = &run;
    most_ = most;
    live_ = 0;
    next_ = 0;
    ordered_ = ordered;
    numbering_ = numbering;
    cancelled_ = false;
    ended_ = false;
    changed_.notify_all();
  }
  // The run is over; the thread shall hear of it once. The input's thread has ended the run's input itself.
  void end(bool tell) {
    std::lock_guard const guard(lock_);
    run_ = nullptr;
    ended_ = tell;
    changed_.notify_all();
  }
  // Some tokens won't come any more.
  void cancel() {
    std::lock_guard const guard(lock_);
    cancelled_ = true;
    changed_.notify_all();
  }
  void arrive(token& t) {
    std::lock_guard const guard(lock_);
    token** at = &first_;
    if (first_ != nullptr && (!ordered_ || last_->number < t.number)) {
      at = &last_->next;
    } else {
      while (*at != nullptr && (*at)->number < t.number) at = &(*at)->next;
    }
    t.next = *at;
    *at = &t;
    if (t.next == nullptr) last_ = &t;
    changed_.notify_all();
  }
  // One of the input's tokens is over.
  void token_over() {
    std::lock_guard const guard(lock_);
    --live_;
    changed_.notify_all();
  }

  // Waits, if asked to, until there is something to do. `t`: what; null: the input is to make a token.
  bound_port::result take(bool wait, pipeline_run*& run, token*& t) {
    std::unique_lock guard(lock_);
    while (!is_ready()) {
      if (ended_) {
        ended_ = false;
        return bound_port::end_of_stream;
      }
      if (!wait) return bound_port::item_not_available;
      changed_.wait(guard);
    }
    run = run_;
    t = nullptr;
    if (most_ != 0) {
      ++live_;
      return bound_port::success;
    }
    t = first_;
    first_ = t->next;
    if (numbering_) t->number = next_;
    ++next_;
    return bound_port::success;
  }

 private:
  bool is_ready() const noexcept {
    if (run_ == nullptr) return false;
    if (most_ != 0) return live_ < most_ || cancelled_;
    return first_ != nullptr && (!ordered_ || first_->number == next_ || cancelled_);
  }

  std::mutex lock_;
  std::condition_variable changed_;
  pipeline_run* run_ = nullptr;
  std::size_t most_ = 0;
  std::size_t live_ = 0;
  token* first_ = nullptr;  // by number, or as they came
  token* last_ = nullptr;   // if there is a first one
  std::uint64_t next_ = 0;
  bool ordered_ = false;
  bool numbering_ = false;
  bool cancelled_ = false;
  bool ended_ = false;
};

}  // namespace ashlar::inline v1::algo
