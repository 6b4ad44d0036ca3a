// SPDX-License-Identifier: Apache-2.0
// tbb::flow::graph_proxy and receiver_gateway: what code outside of a graph needs to know of it. Users include
// <tbb/flow_graph_abstractions.h>.
#pragma once

#include <ashlar/base/config.h>

namespace tbb {
namespace flow {

ASHLAR_FLOW_HOME(11)

/// Keeps a graph's wait from returning.
class graph_proxy {
 public:
  // Waits go on until release_wait() was called as often.
  virtual void reserve_wait() = 0;
  virtual void release_wait() = 0;
  virtual ~graph_proxy() = default;
};

/// Keeps a graph's wait from returning, and takes messages from outside: the gateway of an async_node.
template <typename Input>
class receiver_gateway : public graph_proxy {
 public:
  using input_type = Input;
  virtual bool try_put(input_type const& v) = 0;
  /// The same without a copy, where the gateway's node can do that.
  virtual bool try_put(input_type&& v) { return try_put(static_cast<input_type const&>(v)); }
};
ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, graph_proxy)
ASHLAR_FLOW_KNOWN_IN(11, receiver_gateway)

}  // namespace flow
}  // namespace tbb
