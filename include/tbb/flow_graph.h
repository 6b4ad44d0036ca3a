// SPDX-License-Identifier: Apache-2.0
// The flow graph: nodes that pass messages to each other along edges, and run bodies as tasks when messages come.
#pragma once

#if TBB_PREVIEW_OPENCL_NODE
#error \
    "Ashlar has no opencl_node: an async_node can hand work to an OpenCL queue and put the results from its callbacks"
#endif
#if TBB_PREVIEW_STREAMING_NODE
#error "Ashlar has no streaming_node: an async_node can hand work to a device and put the results from its callbacks"
#endif

#include <ashlar/base/exceptions.h>
#if ASHLAR_CLASSIC_DIALECT && TBB_PREVIEW_ASYNC_MSG
#include <ashlar/flow/async_msg.h>
#endif
#include <ashlar/flow/async_node.h>
#include <ashlar/flow/broadcast_node.h>
#include <ashlar/flow/buffer_node.h>
#include <ashlar/flow/composite_node.h>
#include <ashlar/flow/continue_node.h>
#if ASHLAR_CLASSIC_DIALECT
#include <ashlar/flow/continue_receiver.h>
#endif
#include <ashlar/flow/copy_body.h>
#include <ashlar/flow/deduction.h>
#include <ashlar/flow/fallible_node.h>
#include <ashlar/flow/frozen_graph.h>
#include <ashlar/flow/function_node.h>
#include <ashlar/flow/indexer_node.h>
#include <ashlar/flow/input_node.h>
#include <ashlar/flow/join_node.h>
#include <ashlar/flow/limiter_node.h>
#include <ashlar/flow/multifunction_node.h>
#include <ashlar/flow/overwrite_node.h>
#if !ASHLAR_CLASSIC_DIALECT && (TBB_PREVIEW_FLOW_GRAPH_RESOURCE_LIMITING || TBB_PREVIEW_FLOW_GRAPH_FEATURES)
#include <ashlar/flow/resource_limited_node.h>
#endif
#include <ashlar/flow/switch_node.h>
#include <tbb/profiling.h>

#include <tbb/detail/closure/flow.h>
