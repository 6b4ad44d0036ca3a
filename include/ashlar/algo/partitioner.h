// SPDX-License-Identifier: Apache-2.0
// The public partitioners: how a range algorithm cuts its range into calls of the body.
#pragma once

#include <ashlar/base/atomic.h>

#include <cstdint>
#include <type_traits>

namespace tbb {

class task_group_context;

/// Splits the range as long as it is divisible. The grain decides the cost: choose one of at least a microsecond.
class simple_partitioner {
 public:
  simple_partitioner() = default;
};

/// Splits as much as is needed to keep the threads busy that come to help. The default.
class auto_partitioner {
 public:
  auto_partitioner() = default;
};

/// Cuts the range into one part of equal size for each slot of the arena and balances no further. Limits and processors
/// do not change the parts, so parallel_deterministic_reduce gives the same result in all arenas of the same size.
class static_partitioner {
 public:
  static_partitioner() = default;
};

/// As auto_partitioner, and remembers which thread worked on which part, so that the same loop over the same data runs
/// where the data is in cache. Pass the same object to each execution of the loop; not to two at the same time.
class affinity_partitioner {
 public:
  affinity_partitioner() noexcept = default;
  affinity_partitioner(affinity_partitioner const&) = delete;
  affinity_partitioner& operator=(affinity_partitioner const&) = delete;
  ~affinity_partitioner() { delete[] memory_; }

  /// For the library: the memory of a loop cut into n parts; forgotten when n changes. Throws std::bad_alloc.
  ashlar::atomic<std::uint16_t>* memory(unsigned n) {
    if (n != parts_) {
      delete[] memory_;
      memory_ = nullptr;
      parts_ = 0;
      memory_ = new ashlar::atomic<std::uint16_t>[n];
      parts_ = n;
    }
    return memory_;
  }

 private:
  ashlar::atomic<std::uint16_t>* memory_ = nullptr;  // per part: 0, or one more than the slot that worked on it last
  unsigned parts_ = 0;
};

}  // namespace tbb

namespace ashlar {
inline namespace v1 {
namespace algo {

template <typename P>
inline constexpr bool is_partitioner =
    std::is_same_v<P, tbb::simple_partitioner> || std::is_same_v<P, tbb::auto_partitioner> ||
    std::is_same_v<P, tbb::static_partitioner> || std::is_same_v<P, tbb::affinity_partitioner>;

/// For a forwarding reference P&&: an affinity_partitioner must be an lvalue that may be changed.
template <typename P>
using enable_if_partitioner =
    std::enable_if_t<is_partitioner<std::remove_cv_t<std::remove_reference_t<P>>> &&
                     (!std::is_same_v<std::remove_cv_t<std::remove_reference_t<P>>, tbb::affinity_partitioner> ||
                      std::is_same_v<P, tbb::affinity_partitioner&>)>;

/// For a deleted twin's last arguments, of which there are none: with them it is the last choice, also beside a
/// template of the program's that has the same name and parameters.
template <typename... Nothing>
using enable_if_nothing = std::enable_if_t<sizeof...(Nothing) == 0>;

/// For a function, so that it is not taken for what may follow a range and its body.
template <typename F>
using enable_if_loop_body = std::enable_if_t<!is_partitioner<std::remove_cv_t<F>> &&
                                             !std::is_same_v<std::remove_cv_t<F>, tbb::task_group_context>>;

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
