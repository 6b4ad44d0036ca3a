// SPDX-License-Identifier: Apache-2.0
// Classic TBB's tbb::flow::continue_receiver. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/edges/counting_receiver.h>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// A base for receivers of the program's own that act when each of their predecessors has sent a message: it counts the
/// messages, and calls execute() at the last one of a round. Each edge to it adds one to their number. As for each
/// receiver, the program says in graph_reference() which graph it is for. It is no node: a graph doesn't list it, and
/// resets it only if a node of the program calls reset_receiver(). A continue_node and the decrement port of a
/// limiter_node are such receivers, too.
///
/// Thread safety: messages may come, and edges may be made and removed, from any thread. The next round begins before
/// execute() is called, which may thus run several times at once.
class continue_receiver : public ::ashlar::flow::counting_receiver<receiver<continue_msg>> {
 public:
  /// So many messages make a round beside those that edges add; 0, and no edge: each message does. The priority has no
  /// effect: the tasks are the program's.
  explicit continue_receiver(int number_of_predecessors = 0, node_priority_t = no_priority) noexcept
      : counting_receiver(number_of_predecessors) {}
  /// The number that the other one was constructed with, and nothing of its edges and messages.
  continue_receiver(continue_receiver const& other) noexcept : continue_receiver(other.initial_count()) {}

 protected:
  /// The round is complete. Called by whoever has sent the last message, who gets what it throws. A task that it
  /// returns is spawned.
  virtual task* execute() = 0;
  using receiver<continue_msg>::try_put_task;
  task* try_put_task(continue_msg const&) override {
    if (rounds_.arrive() == ::ashlar::flow::rounds::turn::counted) return SUCCESSFULLY_ENQUEUED;
    task* const made = execute();
    return made != nullptr ? made : SUCCESSFULLY_ENQUEUED;
  }
  /// The round begins again. No message comes meanwhile.
  void reset_receiver(reset_flags f = rf_reset_protocol) override { reset_rounds(f); }
  bool is_continue_receiver() override { return true; }
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, continue_receiver)
}  // namespace flow
}  // namespace tbb
