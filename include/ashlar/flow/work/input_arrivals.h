// SPDX-License-Identifier: Apache-2.0
// What becomes of a message that comes to an input with a body: an activation, if there is a place for it; else it
// waits or is refused.
//
// Threads    any.
#pragma once

#include <ashlar/flow/work/input_messages.h>

ASHLAR_FLOW_PARTS

/// Takes what is put.
template <typename Input>
class input_arrivals : public input_messages<Input> {
  using base = input_messages<Input>;

 protected:
  using base::base;
  using typename base::hold;
  using typename base::work;

  // The caller has the only place, and the message a token or the node a priority.
  ASHLAR_NOINLINE job* start_waited_for(slot& s, Input& v, passage p) {
    if constexpr (base::has_own_work && base::is_simple) {
      if (ASHLAR_LIKELY(this->priority_ == no_priority)) {
        this->own_.put_waited_for(v, *p.token(), s);
        return &this->own_;
      }
    }
    return start_slowly(s, v, p);
  }
  // There is a place for the message, if places are limited.
  ASHLAR_NOINLINE job* start_slowly(slot& s, Input& v, passage p) {
    ASHLAR_TRY {
      if constexpr (base::has_own_work) {
        if (this->limit() == 1) {
          this->own_.put(v, p);
          return this->with_priority(s, this->own_);
        }
      }
      return this->with_priority(s, work::make(s, *this, v, p, this->run_));
    }
    ASHLAR_CATCH_ALL {
      this->leave_and_start(s);
      ASHLAR_RETHROW;
    }
    return nullptr;
  }
  // Unlimited. The rare case has a function of its own, so that this one saves no registers for it.
  ASHLAR_NOINLINE job* take_pooled(slot& s, Input& v, passage p) {
    if constexpr (base::is_simple) {
      work* const a = work::make_at_hand(s, *this, this->run_);
      bool const is_plain = p.token() == nullptr && this->priority_ == no_priority;
      if (ASHLAR_UNLIKELY(a == nullptr || !is_plain)) return take_new(a, v, p);
      a->put_alone(v);
      return a;
    } else {
      return this->with_priority(s, work::make(s, *this, v, p, this->run_));
    }
  }
  ASHLAR_NOINLINE job* take_new(work* a, Input& v, passage p) {
    slot& s = *sched::current_slot;
    if (a == nullptr) a = &work::make(s, *this, this->run_);
    a->put(v, p);
    return this->with_priority(s, *a);
  }
  // There was no place.
  ASHLAR_NOINLINE job* take_later(Input& v, passage p) {
    {
      hold held(this->places_);
      if (!held.has_room()) {
        if (held.waiting() >= this->room_) return nullptr;
        this->queue_.push(v, p);
        held.add_waiting();
        return accepted();
      }
      held.take();
    }
    return start_slowly(sched::this_slot(), v, p);
  }
  ASHLAR_NOINLINE job* take_limited(Input& v, passage p) {
    return this->places_.enter() ? start_slowly(*sched::current_slot, v, p) : take_later(v, p);
  }
};

ASHLAR_FLOW_PARTS_END
