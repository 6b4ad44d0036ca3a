// SPDX-License-Identifier: Apache-2.0
// Which message an input with a body takes next: the oldest of its batch, of its queue, or one of a predecessor.
//
// Threads    any.
#pragma once

#include <ashlar/flow/work/input_state.h>

ASHLAR_FLOW_PARTS

/// Gives a place that a body has left, or that a message has never needed, to the next message.
template <typename Input>
class input_messages : public input_state<Input> {
  using base = input_state<Input>;

 protected:
  using typename base::hold;
  using typename base::work;

 public:
  using predecessor_type = sender<Input>;

  bool may_pull() const noexcept final { return this->refuses(); }
  bool list_predecessor(predecessor_type& from) final {
    if (!this->refuses() || !std::is_default_constructible_v<Input>) return false;
    if (this->its_core_->cancelled(sched::this_slot())) return false;
    this->predecessors_.add(from);
    return true;
  }
  void ask_predecessors() final {
    {
      hold held(this->places_);
      held.set_may_pull(true);
      if (!held.has_room()) return;
      held.take();
    }
    leave_and_start(sched::this_slot());
  }

 protected:
  using base::base;

  void reset_input(reset_flags f) {
    {
      hold held(this->places_);
      this->queue_.clear();
      this->batch_.clear();
      held.clear();
    }
    if ((f & rf_clear_edges) != 0) this->predecessors_.clear();
  }
  // Predecessors push again: pulling would need a message that ends. A batch has an owner, which drops it: somebody who
  // put before the cancellation may only now begin, and take all that waits.
  void settle_input() {
    {
      hold held(this->places_);
      this->queue_.clear();
      held.forget_waiting();
      held.set_may_pull(!this->predecessors_.empty());  // from one that does not take its edge back
    }
    this->predecessors_.give_back_all(*this);
  }

  // False: the rest is next_message()'s.
  ASHLAR_ALWAYS_INLINE bool take_oldest(work& a) noexcept {
    if constexpr (base::is_simple) {
      if (!this->batch_.empty()) return take_kept(a), true;
      hold held(this->places_);
      if (ASHLAR_UNLIKELY(!held.has_waiting() || held.may_pull() || has_batch_ready(held))) return false;
      a.take(this->queue_.front(), this->queue_.front_token());
      this->queue_.pop();
      held.remove_waiting();
      return true;
    }
    return false;
  }
  ASHLAR_ALWAYS_INLINE void take_kept(work& a) noexcept {
    a.take(this->batch_.front(), this->batch_.front_token());
    this->batch_.pop();
  }
  // Gives the activation the next message; false: there is none. Edges are given back after the place: pushes find it.
  ASHLAR_NOINLINE bool next_message(slot& here, work& a) noexcept {
    for (bool asked = false, goes = false;;) {
      while (!this->batch_.empty()) {
        if (take_front(this->batch_, a)) return true;
      }
      {
        hold held(this->places_);
        if (has_batch_ready(held)) {
          this->batch_.fill(this->queue_);
          held.forget_waiting();
          continue;
        }
        if (take_queued(held, a)) {
          if (ASHLAR_LIKELY(!held.may_pull())) return true;
          break;
        }
        bool const asks = ASHLAR_UNLIKELY(held.may_pull()) && !asked;
        if (!asks || this->predecessors_.empty() || this->its_core_->cancelled(here)) {
          held.set_may_pull(false);
          held.give_back();
          if (ASHLAR_LIKELY(!asked)) return false;
          goes = true;
        }
      }
      if (goes) return this->predecessors_.give_back_all(*this, *this->its_core_), false;
      if (pull(a)) return true;
      asked = true;
    }
    refill();
    return true;
  }
  // After a body that was called in the sender's task: its place goes to the next message, or becomes free.
  job* leave(slot& s) noexcept {
    if (this->batch_.empty() && this->places_.leave()) return nullptr;
    ASHLAR_TRY {
      work& a = base::has_own_work && this->limit() == 1 ? this->own_work() : work::make(s, *this, this->run_);
      if (next_message(s, a)) return this->with_priority(s, a);
      this->end_work(s, a);
      return nullptr;
    }
    ASHLAR_CATCH_ALL { this->its_core_->fail(); }
    this->batch_.clear();
    hold(this->places_).give_back();
    return nullptr;
  }
  ASHLAR_NOINLINE void leave_and_start(slot& s) noexcept {
    if (this->limit() == 0) return;
    if (job* const more = leave(s)) this->its_core_->start(s, *more);
  }

 private:
  bool has_batch_ready(hold const& held) const noexcept { return this->takes_batches_ && held.has_several_waiting(); }
  // In the place of a message that has left the queue.
  ASHLAR_NOINLINE void refill() noexcept {
    if constexpr (std::is_default_constructible_v<Input>) {
      slot& s = sched::this_slot();
      if (this->its_core_->cancelled(s)) return;
      message_metainfo m;
      bool pulled = false, has_place = false;
      ASHLAR_TRY {
        Input v{};
        pulled = this->predecessors_.take(v, m);
        hold held(this->places_);
        if (pulled) {
          this->queue_.push(v, passage::moved(m.token()));
          held.add_waiting();
          has_place = held.has_room();
          if (has_place) held.take();
        } else {
          held.set_may_pull(false);
        }
      }
      ASHLAR_CATCH_ALL { this->its_core_->fail(); }
      release_token(m.token());
      if (!pulled) this->predecessors_.give_back_all(*this, *this->its_core_);
      // It was given back while the message was pulled.
      if (has_place) leave_and_start(s);
    }
  }
  bool take_queued(hold& held, work& a) noexcept {
    while (held.has_waiting()) {
      held.remove_waiting();
      if (take_front(this->queue_, a)) return true;
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
    ASHLAR_CATCH_ALL { this->its_core_->fail(); }
    from.pop();
    if (!taken) release_token(t);
    return taken;
  }
  bool pull(work& a) noexcept {
    if constexpr (std::is_default_constructible_v<Input>) {
      message_metainfo m;
      ASHLAR_TRY {
        Input v{};
        if (this->predecessors_.take(v, m)) return a.take(v, m.token()), true;
      }
      ASHLAR_CATCH_ALL {
        this->its_core_->fail();
        release_token(m.token());
      }
    }
    return false;
  }
};

ASHLAR_FLOW_PARTS_END
