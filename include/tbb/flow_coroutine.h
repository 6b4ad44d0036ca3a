// SPDX-License-Identifier: Apache-2.0
// A node of the flow graph whose body is a coroutine. For C++20; empty without coroutines. Ours: no TBB has it.
#pragma once

#include <ashlar/flow/nodes/coroutine_node.h>
#include <tbb/coroutine.h>
#include <tbb/flow_graph.h>
