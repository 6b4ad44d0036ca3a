// SPDX-License-Identifier: Apache-2.0
// The flow graph's small public types: the empty message, policies, priorities, limits, flags of reset().
#pragma once

#include <ashlar/base/config.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tbb {

template <typename T>
struct tbb_hash_compare;

namespace flow {

/// A message without a value: it says that something is over.
class continue_msg {};

/// Limits of concurrency.
enum concurrency { unlimited = 0, serial = 1 };

/// A larger number goes first, among the tasks of a graph that wait for a thread. 0: no priority.
using node_priority_t = unsigned;
inline constexpr node_priority_t no_priority = 0;

/// What tag_matching joins by.
using tag_value = std::uint64_t;

/// What graph::reset() does besides bringing the nodes into their first state.
enum reset_flags : unsigned {
  rf_reset_protocol = 0,     // counts, buffers, edges that were turned to pull, inputs active as constructed
  rf_reset_bodies = 1 << 0,  // bodies become copies of what the constructor was given
  rf_clear_edges = 1 << 1    // all edges are removed
};

/// What becomes of a message that comes while a node runs at its limit: `queueing` keeps it, `rejecting` refuses it.
/// `lightweight` lets the body run at once in the sender's task if nothing forbids it.
struct queueing {};
struct rejecting {};
/// Ashlar's own: keeps so many at most, and refuses more. A node that takes messages from a predecessor which it has
/// refused may have one more for each body that runs.
struct queueing_bounded {
  explicit queueing_bounded(std::size_t messages = 1) noexcept : most(messages) {}
  std::size_t most;
};
struct reserving {};
struct lightweight {};
struct queueing_lightweight {};
struct rejecting_lightweight {};
/// Of a join: messages with equal keys belong together.
template <typename Key, typename HashCompare = tbb_hash_compare<std::decay_t<Key>>>
struct key_matching {
  using key_type = Key;
  using base_key_type = std::decay_t<Key>;
  using hash_compare_type = HashCompare;
};
using tag_matching = key_matching<tag_value>;

}  // namespace flow
}  // namespace tbb

namespace ashlar {
inline namespace v1 {
namespace flow {
using tbb::flow::continue_msg;
using tbb::flow::no_priority;
using tbb::flow::node_priority_t;
using tbb::flow::reset_flags;
using tbb::flow::rf_clear_edges;
using tbb::flow::rf_reset_bodies;
using tbb::flow::rf_reset_protocol;
}  // namespace flow
}  // namespace v1
}  // namespace ashlar
