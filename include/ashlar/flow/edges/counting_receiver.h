// SPDX-License-Identifier: Apache-2.0
// The part of a receiver of continue_msg that counts: each edge to it adds one to the messages that make a round.
#pragma once

#include <ashlar/flow/edges/rounds.h>
#include <ashlar/flow/edges/sender.h>

ASHLAR_FLOW_PARTS

/// `Receiver`: receiver<continue_msg>, or a class that is derived from it.
template <typename Receiver>
class counting_receiver : public Receiver {
 public:
  using input_type = continue_msg;
  using predecessor_type = sender<continue_msg>;

  /// An edge was made: a round needs one message more.
  bool register_predecessor(predecessor_type&) override {
    rounds_.expect_one_more();
    return true;
  }
  /// An edge was removed. A round that is complete without it isn't made up for: the next message completes it.
  bool remove_predecessor(predecessor_type&) override {
    rounds_.expect_one_less();
    return true;
  }
  bool counts_predecessors() const noexcept final { return true; }
  bool may_pull() const noexcept final { return false; }

 protected:
  // `predecessors`: beside those that edges add.
  explicit counting_receiver(int predecessors) noexcept : rounds_(predecessors), initial_(predecessors) {}
  ~counting_receiver() override = default;

  int initial_count() const noexcept { return initial_; }
  // The round begins again.
  void reset_rounds(reset_flags f) noexcept {
    if ((f & rf_clear_edges) != 0) rounds_.restart(initial_);
    rounds_.restart();
  }

  rounds rounds_;

 private:
  int const initial_;
};

ASHLAR_FLOW_PARTS_END
