// SPDX-License-Identifier: Apache-2.0
// What the tests of nodes that need resources have in common (a preview of oneTBB's). To be included first.
#pragma once

#define TBB_PREVIEW_FLOW_GRAPH_RESOURCE_LIMITING 1
#include "dialect.h"

#include <cstddef>
#include <tuple>

namespace test {

namespace parts = tbb::detail::d2;
using flow::output_port;
using flow::resource_limiter;
using parts::request_id;
using node = flow::resource_limited_node<int, std::tuple<int>>;
using ports = node::output_ports_type;

constexpr int thread_counts[] = {1, 2, 8, 32, 64};

inline std::size_t as_index(int x) { return static_cast<std::size_t>(x); }

}  // namespace test
