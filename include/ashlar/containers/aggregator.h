// SPDX-License-Identifier: Apache-2.0
// tbb::aggregator and tbb::aggregator_ext of classic TBB: operations on something that is not thread-safe, one at a
// time.
//
// Threads announce operations in a list; who gets the lock performs all that are announced. include/tbb/aggregator.h
// documents the classes.
//
// Ordering   [AG1] operation announced -> [AG2] list taken
// Its owner has the lock, too, when it looks whether its operation is finished, and so sees the results.
// Model      tests/model/aggregator_model.cpp
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/base/cache_line.h>
#include <ashlar/sync/mutex.h>

#include <utility>

namespace tbb {
ASHLAR_HOME(6)

class aggregator_operation {
  template <typename Handler>
  friend class aggregator_ext;
  using order = ::ashlar::order;

 public:
  enum aggregator_operation_status { agg_waiting = 0, agg_finished };

  aggregator_operation() noexcept = default;
  aggregator_operation(aggregator_operation const&) = delete;
  aggregator_operation& operator=(aggregator_operation const&) = delete;

  // For handlers: before and after the operation. After finish() the object may be gone.
  void start() noexcept {}
  void finish() noexcept { status_.store(agg_finished, order::relaxed); }
  aggregator_operation* next() const noexcept { return next_; }
  void set_next(aggregator_operation* operation) noexcept { next_ = operation; }

 private:
  ::ashlar::atomic<int> status_{agg_waiting};
  aggregator_operation* next_ = nullptr;
};

template <typename Handler>
class aggregator_ext {
  using order = ::ashlar::order;

 public:
  explicit aggregator_ext(Handler const& handler) : handler_(handler) {}
  aggregator_ext(aggregator_ext const&) = delete;
  aggregator_ext& operator=(aggregator_ext const&) = delete;

  /// Returns when the handler has finished the operation.
  void process(aggregator_operation* operation) {
    operation->status_.store(aggregator_operation::agg_waiting, order::relaxed);
    aggregator_operation* first = announced_.load(order::relaxed);
    do operation->set_next(first);
    while (!announced_.compare_exchange(first, operation, order::release, order::relaxed));  // [AG1]
    ::ashlar::sync::adaptive_mutex::scoped_lock const guard(mutex_);
    if (operation->status_.load(order::relaxed) == aggregator_operation::agg_finished) return;
    handler_(in_order(announced_.exchange(nullptr, order::acquire)));  // [AG2]
  }

 private:
  static aggregator_operation* in_order(aggregator_operation* last) noexcept {
    aggregator_operation* first = nullptr;
    while (last != nullptr) {
      aggregator_operation* const before = last->next();
      last->set_next(first);
      first = last;
      last = before;
    }
    return first;
  }

  alignas(::ashlar::cache_line)::ashlar::atomic<aggregator_operation*> announced_{nullptr};
  alignas(::ashlar::cache_line)::ashlar::sync::adaptive_mutex mutex_;
  Handler handler_;
};

class aggregator {
 public:
  aggregator() noexcept = default;
  aggregator(aggregator const&) = delete;
  aggregator& operator=(aggregator const&) = delete;

  template <typename Body>
  void execute(Body const& body) {
    ::ashlar::sync::adaptive_mutex::scoped_lock const guard(mutex_);
    body();
  }

 private:
  ::ashlar::sync::adaptive_mutex mutex_;
};

ASHLAR_HOME_END
ASHLAR_KNOWN_IN(6, aggregator)
ASHLAR_KNOWN_IN(6, aggregator_ext)
ASHLAR_KNOWN_IN(6, aggregator_operation)

}  // namespace tbb
