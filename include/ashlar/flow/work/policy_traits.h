// SPDX-License-Identifier: Apache-2.0
// What a policy of a node says: whether the node refuses messages, how many may wait, and whether senders call its
// body.
#pragma once

#include <ashlar/flow/engine/types.h>

#include <cstddef>
#include <type_traits>

namespace ashlar {
inline namespace v1 {
namespace flow {

inline constexpr std::size_t any_number = ~std::size_t{0};

template <typename Policy>
inline constexpr bool is_lightweight =
    std::is_same_v<Policy, tbb::flow::lightweight> || std::is_same_v<Policy, tbb::flow::queueing_lightweight> ||
    std::is_same_v<Policy, tbb::flow::rejecting_lightweight>;

template <typename Policy>
struct policy_traits {
  static_assert(std::is_same_v<Policy, tbb::flow::queueing> || std::is_same_v<Policy, tbb::flow::rejecting> ||
                    std::is_same_v<Policy, tbb::flow::queueing_bounded> || is_lightweight<Policy>,
                "the policy of a node is queueing, queueing_bounded, rejecting, "
                "lightweight, queueing_lightweight or rejecting_lightweight");
  static constexpr bool rejects =
      std::is_same_v<Policy, tbb::flow::rejecting> || std::is_same_v<Policy, tbb::flow::rejecting_lightweight>;
  static constexpr bool lightweight = is_lightweight<Policy>;
  /// How many messages may wait.
  template <typename Input>
  static std::size_t room([[maybe_unused]] Policy p) noexcept {
    constexpr bool is_bounded = std::is_same_v<Policy, tbb::flow::queueing_bounded>;
    static_assert(std::is_default_constructible_v<Input> || !(rejects || is_bounded),
                  "a node that may refuse messages gets those from its predecessors later: messages need a default "
                  "constructor");
    if constexpr (is_bounded) {
      return p.most;
    } else {
      return rejects ? 0 : any_number;
    }
  }
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
