// SPDX-License-Identifier: Apache-2.0
// A sender that completes as the test says.
#pragma once

#include "implementation.h"

#include <system_error>
#include <utility>

/// A sender that completes as the function says, at once.
template <typename Complete>
struct sender_of {
  using sender_concept = ex::sender_tag;
  using completion_signatures = ex::completion_signatures<ex::set_value_t(), ex::set_error_t(int),
                                                          ex::set_error_t(std::error_code), ex::set_stopped_t()>;
  template <typename Receiver>
  struct operation {
    using operation_state_concept = ex::operation_state_tag;
    void start() & noexcept { complete(receiver); }
    Complete complete;
    Receiver receiver;
  };

  template <typename Self, typename... Env>
  static consteval completion_signatures get_completion_signatures() noexcept {
    return {};
  }
  template <typename Receiver>
  operation<Receiver> connect(Receiver r) const {
    return {complete, std::move(r)};
  }
  Complete complete;
};
template <typename Complete>
sender_of<Complete> sends(Complete c) {
  return {c};
}
