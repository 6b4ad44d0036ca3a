// SPDX-License-Identifier: Apache-2.0
// What algorithms become whose input completes in an arena: sync_wait runs other tasks meanwhile, and the bulk
// algorithms are the library's loops.
#pragma once

#include <ashlar/execution/implementation.h>

#include <concepts>
#include <utility>

ASHLAR_EXECUTION_PARTS

template <typename Sender>
concept bulk_algorithm =
    std::same_as<ex::tag_of_t<Sender>, ex::bulk_chunked_t> || std::same_as<ex::tag_of_t<Sender>, ex::bulk_unchunked_t>;

ASHLAR_EXECUTION_PARTS_END

namespace tbb {
namespace execution {
inline namespace ASHLAR_SENDERS {

/// The domain of arena_scheduler's senders.
struct arena_domain : ::ashlar::execution::ASHLAR_SENDERS::ex::default_domain {
  /// sync_wait.h
  template <typename Sender>
  static auto apply_sender(::ashlar::execution::ASHLAR_SENDERS::ex::sync_wait_t, Sender&& s);
  /// bulk.h
  template <::ashlar::execution::bulk_algorithm Sender, typename Env>
  static auto transform_sender(::ashlar::execution::ASHLAR_SENDERS::ex::set_value_t, Sender&& s, Env const& env);
};

}  // namespace ASHLAR_SENDERS
}  // namespace execution
}  // namespace tbb
