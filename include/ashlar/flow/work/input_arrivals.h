// SPDX-License-Identifier: Apache-2.0
// What becomes of a message that comes to an input with a body: an activation, if there is a place for it; else it
// waits or is refused.
//
// Threads    any.
#pragma once

#include <ashlar/flow/engine/running_body.h>
#include <ashlar/flow/work/input_messages.h>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Takes what is put.
template <typename Input>
class input_arrivals : public input_messages<Input> {
  using base = input_messages<Input>;

 protected:
  using base::base;
  using base::batch_;
  using base::has_own_work;
  using base::is_simple;
  using base::leave_and_start;
  using base::limit;
  using base::own_;
  using base::places_;
  using base::priority_;
  using base::queue_;
  using base::room_;
  using base::run_;
  using base::takes_batches_;
  using base::with_priority;
  using typename base::graph_core;
  using typename base::hold;
  using typename base::job;
  using typename base::passage;
  using typename base::slot;
  using typename base::work;

  // The caller has the only place. What is rare is called last, so that receive() needs no registers for it.
  ASHLAR_ALWAYS_INLINE job* start_own(slot& s, Input& v, passage p) {
    if constexpr (has_own_work && is_simple) {
      if (ASHLAR_UNLIKELY(p.token() != nullptr || priority_ != no_priority)) return start_waited_for(s, v, p);
      own_.put_alone(v);
      return &own_;
    } else {
      return nullptr;
    }
  }
  ASHLAR_NOINLINE job* start_waited_for(slot& s, Input& v, passage p) {
    if constexpr (has_own_work && is_simple) {
      if (ASHLAR_LIKELY(priority_ == no_priority)) {
        own_.put_waited_for(v, *p.token(), s);
        return &own_;
      }
    }
    return start_slowly(s, v, p);
  }
  // There is a place for the message, if places are limited.
  ASHLAR_NOINLINE job* start_slowly(slot& s, Input& v, passage p) {
    ASHLAR_TRY {
      if constexpr (has_own_work) {
        if (limit() == 1) {
          own_.put(v, p);
          return with_priority(s, own_);
        }
      }
      return with_priority(s, work::make(s, *this, v, p, run_));
    }
    ASHLAR_CATCH_ALL {
      leave_and_start(s);
      ASHLAR_RETHROW;
    }
    return nullptr;
  }
  // Unlimited. The rare case has a function of its own, so that this one saves no registers for it.
  ASHLAR_NOINLINE job* take_pooled(slot& s, Input& v, passage p) {
    if constexpr (is_simple) {
      work* const a = work::make_at_hand(s, *this, run_);
      if (ASHLAR_UNLIKELY(a == nullptr || p.token() != nullptr || priority_ != no_priority)) return take_new(a, v, p);
      a->put_alone(v);
      return a;
    } else {
      return with_priority(s, work::make(s, *this, v, p, run_));
    }
  }
  ASHLAR_NOINLINE job* take_new(work* a, Input& v, passage p) {
    slot& s = *::ashlar::sched::current_slot;
    if (a == nullptr) a = &work::make(s, *this, run_);
    a->put(v, p);
    return with_priority(s, *a);
  }
  // There was no place. `NamesItself`: as the node does.
  template <bool NamesItself>
  ASHLAR_ALWAYS_INLINE job* take_busy(Input& v, passage p) {
    return NamesItself ? take_in_body(v, p) : take_later(v, p);
  }
  // What a serial node's own body puts is older than all that comes later: if nothing waits in the queue, it goes
  // behind what the thread has in hand, without a lock.
  ASHLAR_NOINLINE job* take_in_body(Input& v, passage p) {
    bool const next = ::ashlar::flow::running_body::is_of(this) && takes_batches_ && places_.has_none_waiting();
    if (!next) return take_later(v, p);
    batch_.push(v, p);
    return ::ashlar::flow::accepted();
  }
  ASHLAR_NOINLINE job* take_later(Input& v, passage p) {
    {
      hold held(places_);
      if (!held.has_room()) {
        if (held.waiting() >= room_) return nullptr;
        queue_.push(v, p);
        held.add_waiting();
        return ::ashlar::flow::accepted();
      }
      held.take();
    }
    return start_slowly(::ashlar::sched::this_slot(), v, p);
  }
  template <bool NamesItself>
  ASHLAR_NOINLINE job* take_limited(Input& v, passage p) {
    return places_.enter() ? start_slowly(*::ashlar::sched::current_slot, v, p) : take_busy<NamesItself>(v, p);
  }
};

ASHLAR_FLOW_HOME_END
}  // namespace flow
}  // namespace tbb
