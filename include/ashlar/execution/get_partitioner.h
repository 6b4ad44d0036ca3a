// SPDX-License-Identifier: Apache-2.0
// tbb::execution::get_partitioner: an environment tells the bulk algorithms how to divide. Users include
// <ashlar/execution.h>.
#pragma once

#include <ashlar/execution/implementation.h>

#include <type_traits>

namespace tbb {
namespace execution {
inline namespace ASHLAR_SENDERS {

/// A query of environments: the partitioner of the bulk algorithms that see the environment. It is forwarded. Given by
/// write_env(loop, prop(get_partitioner, static_partitioner())). An affinity_partitioner remembers, so its address is
/// given; it outlives the loops, of which one at a time uses it.
struct get_partitioner_t {
  static consteval bool query(::ashlar::execution::ASHLAR_SENDERS::ex::forwarding_query_t) noexcept { return true; }
  template <typename Env>
    requires requires(Env const& env, get_partitioner_t self) { env.query(self); }
  auto operator()(Env const& env) const noexcept {
    return env.query(*this);
  }
};
inline constexpr get_partitioner_t get_partitioner{};

}  // namespace ASHLAR_SENDERS
}  // namespace execution
}  // namespace tbb

ASHLAR_EXECUTION_PARTS

/// What the environment gives, or a Default.
template <typename Default, typename Env>
auto partitioner_of(Env const& env) noexcept {
  if constexpr (std::is_invocable_v<tbb::execution::get_partitioner_t, Env const&>) {
    return tbb::execution::get_partitioner(env);
  } else {
    return Default();
  }
}
template <typename Partitioner>
Partitioner const& partitioner_itself(Partitioner const& given) noexcept {
  return given;
}
template <typename Partitioner>
Partitioner& partitioner_itself(Partitioner* given) noexcept {
  return *given;
}

ASHLAR_EXECUTION_PARTS_END
