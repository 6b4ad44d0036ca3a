// SPDX-License-Identifier: Apache-2.0
// Which message an input with a body takes next: the oldest of its batch, of its queue, or one of a predecessor.
//
// Threads    any.
#pragma once

#include <ashlar/flow/work/input_state.h>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Gives a place that a body has left, or that a message has never needed, to the next message.
template <typename Input>
class input_messages : public input_state<Input> {
  using base = input_state<Input>;

 protected:
  using typename base::graph_core;
  using typename base::hold;
  using typename base::job;
  using typename base::passage;
  using typename base::slot;
  using typename base::work;

 public:
  using predecessor_type = sender<Input>;

  bool may_pull() const noexcept final { return refuses(); }
  bool register_predecessor(predecessor_type& from) override {
    if (!note_predecessor(from)) return false;
    ask_predecessors();
    return true;
  }
  bool notes_predecessors() const noexcept final { return true; }
  bool note_predecessor(predecessor_type& from) final {
    if (!refuses() || !std::is_default_constructible_v<Input>) return false;
    if (core_->cancelled(::ashlar::sched::this_slot())) return false;
    predecessors_.add(from);
    return true;
  }
  void ask_predecessors() final {
    {
      hold held(places_);
      held.set_may_pull(true);
      if (!held.has_room()) return;
      held.take();
    }
    leave_and_start(::ashlar::sched::this_slot());
  }
  bool remove_predecessor(predecessor_type& from) override { return predecessors_.remove(from); }

 protected:
  using base::base;
  using base::batch_;
  using base::core_;
  using base::end_work;
  using base::has_own_work;
  using base::is_simple;
  using base::limit;
  using base::own_work;
  using base::places_;
  using base::predecessors_;
  using base::queue_;
  using base::refuses;
  using base::run_;
  using base::takes_batches_;
  using base::with_priority;

  void reset_input(reset_flags f) {
    {
      hold held(places_);
      queue_.clear();
      batch_.clear();
      held.clear();
    }
    if ((f & rf_clear_edges) != 0) predecessors_.clear();
  }
  // Predecessors push again: pulling would need a message that ends. A batch has an owner, which drops it: somebody who
  // put before the cancellation may only now begin, and take all that waits.
  void settle_input() {
    {
      hold held(places_);
      queue_.clear();
      held.forget_waiting();
      held.set_may_pull(!predecessors_.empty());  // from one that does not take its edge back
    }
    predecessors_.give_back_all(*this);
  }

  // False: the rest is next_message()'s.
  ASHLAR_ALWAYS_INLINE bool take_oldest(work& a) noexcept {
    if constexpr (is_simple) {
      if (!batch_.empty()) return take_kept(a), true;
      hold held(places_);
      if (ASHLAR_UNLIKELY(!held.has_waiting() || held.may_pull() || has_batch_ready(held))) return false;
      a.take(queue_.front(), queue_.front_token());
      queue_.pop();
      held.remove_waiting();
      return true;
    }
    return false;
  }
  ASHLAR_ALWAYS_INLINE void take_kept(work& a) noexcept {
    a.take(batch_.front(), batch_.front_token());
    batch_.pop();
  }
  // Gives the activation the next message; false: there is none. Edges are given back after the place: pushes find it.
  ASHLAR_NOINLINE bool next_message(slot& here, work& a) noexcept {
    for (bool asked = false, goes = false;;) {
      while (!batch_.empty()) {
        if (take_front(batch_, a)) return true;
      }
      {
        hold held(places_);
        if (has_batch_ready(held)) {
          batch_.fill(queue_);
          held.forget_waiting();
          continue;
        }
        if (take_queued(held, a)) {
          if (ASHLAR_LIKELY(!held.may_pull())) return true;
          break;
        }
        bool const asks = ASHLAR_UNLIKELY(held.may_pull()) && !asked;
        if (!asks || predecessors_.empty() || core_->cancelled(here)) {
          held.set_may_pull(false);
          held.give_back();
          if (ASHLAR_LIKELY(!asked)) return false;
          goes = true;
        }
      }
      if (goes) return predecessors_.give_back_all(*this, *core_), false;
      if (pull(a)) return true;
      asked = true;
    }
    refill();
    return true;
  }
  // After a body that was called in the sender's task: its place goes to the next message, or becomes free.
  job* leave(slot& s) noexcept {
    if (batch_.empty() && places_.leave()) return nullptr;
    ASHLAR_TRY {
      work& a = has_own_work && limit() == 1 ? own_work() : work::make(s, *this, run_);
      if (next_message(s, a)) return with_priority(s, a);
      end_work(s, a);
      return nullptr;
    }
    ASHLAR_CATCH_ALL { core_->fail(); }
    batch_.clear();
    hold(places_).give_back();
    return nullptr;
  }
  ASHLAR_NOINLINE void leave_and_start(slot& s) noexcept {
    if (limit() == 0) return;
    if (job* const more = leave(s)) core_->start(s, *more);
  }

 private:
  bool has_batch_ready(hold const& held) const noexcept { return takes_batches_ && held.has_several_waiting(); }
  // In the place of a message that has left the queue.
  ASHLAR_NOINLINE void refill() noexcept {
    if constexpr (std::is_default_constructible_v<Input>) {
      slot& s = ::ashlar::sched::this_slot();
      if (core_->cancelled(s)) return;
      message_metainfo m;
      bool pulled = false, has_place = false;
      ASHLAR_TRY {
        Input v{};
        pulled = predecessors_.take(v, m);
        hold held(places_);
        if (pulled) {
          queue_.push(v, passage::moved(m.token()));
          held.add_waiting();
          has_place = held.has_room();
          if (has_place) held.take();
        } else {
          held.set_may_pull(false);
        }
      }
      ASHLAR_CATCH_ALL { core_->fail(); }
      ::ashlar::flow::release_token(m.token());
      if (!pulled) predecessors_.give_back_all(*this, *core_);
      // It was given back while the message was pulled.
      if (has_place) leave_and_start(s);
    }
  }
  bool take_queued(hold& held, work& a) noexcept {
    while (held.has_waiting()) {
      held.remove_waiting();
      if (take_front(queue_, a)) return true;
    }
    return false;
  }
  // Of the queue or the batch. A message that can't be moved is lost, and the graph cancelled.
  template <typename Messages>
  bool take_front(Messages& from, work& a) noexcept {
    auto* const t = from.front_token();
    bool taken = false;
    ASHLAR_TRY {
      a.take(from.front(), t);
      taken = true;
    }
    ASHLAR_CATCH_ALL { core_->fail(); }
    from.pop();
    if (!taken) ::ashlar::flow::release_token(t);
    return taken;
  }
  bool pull(work& a) noexcept {
    if constexpr (std::is_default_constructible_v<Input>) {
      message_metainfo m;
      ASHLAR_TRY {
        Input v{};
        if (predecessors_.take(v, m)) return a.take(v, m.token()), true;
      }
      ASHLAR_CATCH_ALL {
        core_->fail();
        ::ashlar::flow::release_token(m.token());
      }
    }
    return false;
  }
};

ASHLAR_FLOW_HOME_END
}  // namespace flow
}  // namespace tbb
