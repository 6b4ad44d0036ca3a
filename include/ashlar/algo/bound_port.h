// SPDX-License-Identifier: Apache-2.0
// Where a thread of the user's takes part in a pipeline: the items that wait for a thread-bound filter, and the thread
// that waits for them. A port outlives the runs of its pipeline.
#pragma once

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {
namespace algo {

class bound_queue;

class bound_port {
 public:
  enum result { success, item_not_available, end_of_stream };

  ASHLAR_EXPORT bound_port();
  ASHLAR_EXPORT ~bound_port();
  bound_port(bound_port const&) = delete;
  bound_port& operator=(bound_port const&) = delete;

  /// Processes the next item; if there is none, waits for one or returns.
  ASHLAR_EXPORT result process(bool wait);
  /// For the library.
  bound_queue& queue() noexcept { return *queue_; }

 private:
  bound_queue* const queue_;
};

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
