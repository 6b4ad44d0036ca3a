// SPDX-License-Identifier: Apache-2.0
// tbb::flow::copy_body. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/base/config.h>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// A copy of the node's body as it is now. Body is its exact type; throws std::bad_cast for any other.
template <typename Body, typename Node>
Body copy_body(Node& n) {
  return n.template copy_function_object<Body>();
}

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, copy_body)
}  // namespace flow
}  // namespace tbb
