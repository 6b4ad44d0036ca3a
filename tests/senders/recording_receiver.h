// SPDX-License-Identifier: Apache-2.0
// A receiver that remembers how it was completed, and whose stop token the test gives.
#pragma once

#include "implementation.h"

#include <atomic>
#include <exception>
#include <thread>

struct record {
  enum kind { nothing, value, error, stopped };

  void wait() const noexcept {
    while (completed.load(std::memory_order_acquire) == nothing) std::this_thread::yield();
  }
  void complete(kind k) noexcept { completed.store(k, std::memory_order_release); }

  std::atomic<kind> completed{nothing};
  std::exception_ptr what;
  std::thread::id by;
};

class recording_receiver {
 public:
  using receiver_concept = ex::receiver_tag;

  class environment {
   public:
    explicit environment(ex::inplace_stop_token t) noexcept : token_(t) {}
    ex::inplace_stop_token query(ex::get_stop_token_t) const noexcept { return token_; }

   private:
    ex::inplace_stop_token token_;
  };

  explicit recording_receiver(record& r, ex::inplace_stop_token t = {}) noexcept : record_(&r), token_(t) {}
  template <typename... Values>
  void set_value(Values&&...) noexcept {
    complete(record::value);
  }
  void set_error(std::exception_ptr e) noexcept {
    record_->what = e;
    complete(record::error);
  }
  void set_stopped() noexcept { complete(record::stopped); }
  environment get_env() const noexcept { return environment(token_); }

 private:
  void complete(record::kind k) noexcept {
    record_->by = std::this_thread::get_id();
    record_->complete(k);
  }
  record* record_;
  ex::inplace_stop_token token_;
};
