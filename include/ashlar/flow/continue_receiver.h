// SPDX-License-Identifier: Apache-2.0
// Classic TBB's tbb::flow::continue_receiver. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/rounds.h>
#include <ashlar/flow/sender.h>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// A base for receivers of the program's own that act when each of their predecessors has sent a message: it counts the
/// messages, and calls execute() at the last one of a round. Each edge to it adds one to their number. As for each
/// receiver, the program says in graph_reference() which graph it is for. It is no node: a graph doesn't list it, and
/// resets it only if a node of the program calls reset_receiver().
///
/// Thread safety: messages may come, and edges may be made and removed, from any thread. The next round begins before
/// execute() is called, which may thus run several times at once.
class continue_receiver : public receiver<continue_msg> {
 public:
  using input_type = continue_msg;
  using predecessor_type = sender<continue_msg>;

  /// So many messages make a round beside those that edges add; 0, and no edge: each message does. The priority has no
  /// effect: the tasks are the program's.
  explicit continue_receiver(int number_of_predecessors = 0, node_priority_t = no_priority) noexcept
      : rounds_(number_of_predecessors), initial_(number_of_predecessors) {}
  /// The number that the other one was constructed with, and nothing of its edges and messages.
  continue_receiver(continue_receiver const& other) noexcept : continue_receiver(other.initial_) {}

  /// An edge was made: a round needs one message more.
  bool register_predecessor(predecessor_type&) override {
    rounds_.expect_one_more();
    return true;
  }
  /// An edge was removed. If the round is complete without it, execute() is called at the next message only.
  bool remove_predecessor(predecessor_type&) override {
    rounds_.expect_one_less();
    return true;
  }

  bool counts_predecessors() const noexcept final { return true; }
  bool may_pull() const noexcept final { return false; }

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
  void reset_receiver(reset_flags f = rf_reset_protocol) override {
    if ((f & rf_clear_edges) != 0) rounds_.restart(initial_);
    rounds_.restart();
  }
  bool is_continue_receiver() override { return true; }

 private:
  ::ashlar::flow::rounds rounds_;
  int const initial_;
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, continue_receiver)
}  // namespace flow
}  // namespace tbb
