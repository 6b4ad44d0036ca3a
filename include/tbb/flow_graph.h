// SPDX-License-Identifier: Apache-2.0
// The flow graph: nodes that pass messages to each other along edges, and run bodies as tasks when messages come.
#pragma once

#if defined(TBB_PREVIEW_OPENCL_NODE) && TBB_PREVIEW_OPENCL_NODE
#error \
    "Ashlar has no opencl_node: an async_node can hand work to an OpenCL queue and put the results from its callbacks"
#endif
#if defined(TBB_PREVIEW_STREAMING_NODE) && TBB_PREVIEW_STREAMING_NODE
#error "Ashlar has no streaming_node: an async_node can hand work to a device and put the results from its callbacks"
#endif

#include <ashlar/base/exceptions.h>
#if ASHLAR_CLASSIC_DIALECT && defined(TBB_PREVIEW_ASYNC_MSG) && TBB_PREVIEW_ASYNC_MSG
#include <ashlar/flow/nodes/async_msg.h>
#endif
#include <ashlar/flow/nodes/async_node.h>
#include <ashlar/flow/nodes/broadcast_node.h>
#include <ashlar/flow/nodes/buffer_node.h>
#include <ashlar/flow/nodes/composite_node.h>
#include <ashlar/flow/nodes/continue_node.h>
#if ASHLAR_CLASSIC_DIALECT
#include <ashlar/flow/edges/continue_receiver.h>
#endif
#include <ashlar/flow/engine/copy_body.h>
#include <ashlar/flow/frozen/frozen_graph.h>
#include <ashlar/flow/nodes/deduction.h>
#include <ashlar/flow/nodes/fallible_node.h>
#include <ashlar/flow/nodes/function_node.h>
#include <ashlar/flow/nodes/indexer_node.h>
#include <ashlar/flow/nodes/input_node.h>
#include <ashlar/flow/nodes/join_node.h>
#include <ashlar/flow/nodes/limiter_node.h>
#include <ashlar/flow/nodes/multifunction_node.h>
#include <ashlar/flow/nodes/overwrite_node.h>
#if !ASHLAR_CLASSIC_DIALECT &&                                                                          \
    ((defined(TBB_PREVIEW_FLOW_GRAPH_RESOURCE_LIMITING) && TBB_PREVIEW_FLOW_GRAPH_RESOURCE_LIMITING) || \
     (defined(TBB_PREVIEW_FLOW_GRAPH_FEATURES) && TBB_PREVIEW_FLOW_GRAPH_FEATURES))
#include <ashlar/flow/resources/resource_limited_node.h>
#endif
#include <ashlar/flow/nodes/switch_node.h>
#include <tbb/profiling.h>

#include <tbb/detail/closure/flow.h>

#if !ASHLAR_CLASSIC_DIALECT
namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)
template <typename T, typename U, std::enable_if_t<!std::is_same_v<T, U>>* = nullptr>
void make_edge(sender<T>&, receiver<U>&) = delete;  // needs a sender and a receiver of the same type of message

// Found by their arguments. oneTBB's nodes have no public members of these names.
template <typename T>
bool register_predecessor(receiver<T>& to, sender<T>& from) {
  return to.register_predecessor(from);
}
template <typename T>
bool remove_predecessor(receiver<T>& to, sender<T>& from) {
  return to.remove_predecessor(from);
}
template <typename T>
bool register_successor(sender<T>& from, receiver<T>& to) {
  return from.register_successor(to);
}
template <typename T>
bool remove_successor(sender<T>& from, receiver<T>& to) {
  return from.remove_successor(to);
}
ASHLAR_FLOW_HOME_END
}  // namespace flow

namespace detail {
// What oneTBB's own tests, and programs after their model, spell so.
namespace d2 {
inline namespace ashlar_v1 {
using ::tbb::flow::async_node;
using ::tbb::flow::broadcast_node;
using ::tbb::flow::buffer_node;
using ::tbb::flow::composite_node;
using ::tbb::flow::continue_msg;
using ::tbb::flow::continue_node;
using ::tbb::flow::function_node;
using ::tbb::flow::graph;
using ::tbb::flow::graph_node;
using ::tbb::flow::graph_task;
using ::tbb::flow::indexer_node;
using ::tbb::flow::input_node;
using ::tbb::flow::join_node;
using ::tbb::flow::limiter_node;
using ::tbb::flow::message_metainfo;
using ::tbb::flow::multifunction_node;
using ::tbb::flow::overwrite_node;
using ::tbb::flow::priority_queue_node;
using ::tbb::flow::queue_node;
using ::tbb::flow::receiver;
using ::tbb::flow::register_predecessor;
using ::tbb::flow::register_successor;
using ::tbb::flow::remove_predecessor;
using ::tbb::flow::remove_successor;
using ::tbb::flow::sender;
using ::tbb::flow::sequencer_node;
using ::tbb::flow::split_node;
using ::tbb::flow::SUCCESSFULLY_ENQUEUED;
using ::tbb::flow::tagged_msg;
using ::tbb::flow::write_once_node;
}  // namespace ashlar_v1
}  // namespace d2
}  // namespace detail
}  // namespace tbb
#endif
