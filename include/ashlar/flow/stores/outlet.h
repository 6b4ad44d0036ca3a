// SPDX-License-Identifier: Apache-2.0
// The output of a node that keeps messages: hands them on as long as successors take them, and lets successors ask.
//
// Store  ready(): there is a message to send. begin_send(): shows it; the reference stays valid while messages are
// added.
//        token(): its token. end_send(sent): removes it, or puts it back. clear(). forget(token): nobody waits with it
//        any more; null: with none. The outlet's lock is held for all of them.
//
// Threads    any.
// Invariants OU1 at most one message is in hand: by the thread that pumps (busy_), or for the one who has reserved it.
//            OU2 a message or a successor that comes meanwhile sets again_, and the pumping thread looks once more.
//            OU3 a kept message has a token only while some successor may take it and the graph is not cancelled, or
//                until whoever has a message in hand sees forgets_.
#pragma once

#include <ashlar/flow/edges/node_output.h>
#include <ashlar/flow/work/activation.h>

ASHLAR_FLOW_PARTS

template <typename T, typename Store, bool ToAll>
class outlet : public listing_sender<T> {
 protected:
  using work = activation<outlet>;
  friend node_job<work, outlet>;

 public:
  using successor_type = receiver<T>;

  // What nobody takes any more isn't waited for.
  bool remove_successor(successor_type& r) override {
    this->successors_.remove(r, *this);
    forget_unless_taken();
    return true;
  }
  bool try_get(T& v) override {
    message_metainfo m;
    if (!try_get(v, m)) return false;
    release_token(m.token());
    return true;
  }
  bool try_get(T& v, message_metainfo& m) override {
    guard const held(lock_);
    if (busy_ || reserved_ || !store_.ready()) return false;
    T& front = store_.begin_send();
    ASHLAR_TRY { assign_to(v, front, passage::moved()); }
    ASHLAR_CATCH_ALL {
      store_.end_send(false);
      ASHLAR_RETHROW;
    }
    m = message_metainfo(store_.token());
    store_.end_send(true);
    this->successors_.count_pulled();
    return true;
  }
  bool try_reserve(T& v) override {
    message_metainfo m;
    return try_reserve(v, m);
  }
  // The token's use stays with the message.
  bool try_reserve(T& v, message_metainfo& m) override {
    if constexpr (std::is_copy_assignable_v<T>) {
      guard const held(lock_);
      if (ASHLAR_UNLIKELY(busy_ || reserved_)) {
        wanted_ = true;
        return false;
      }
      if (!store_.ready()) return false;
      T& front = store_.begin_send();
      ASHLAR_TRY { v = static_cast<T const&>(front); }
      ASHLAR_CATCH_ALL {
        store_.end_send(false);
        ASHLAR_RETHROW;
      }
      m = message_metainfo(store_.token());
      reserved_ = true;
      return true;
    } else {
      return false;
    }
  }
  bool try_release() override { return end_reservation(false); }
  bool try_consume() override { return end_reservation(true); }
  bool consume_and_look() final {
    bool more = false;
    end_reservation(true, &more);
    return more;
  }

 protected:
  template <typename... Args>
  explicit outlet(graph_core& g, Args&&... args)
      : listing_sender<T>(g), core_(&g), store_(std::forward<Args>(args)...) {}

  // To be called after something was added to the store. Null or a job.
  job* pump() {
    if (this->successors_.empty()) return this->successors_.announce();
    if (ASHLAR_UNLIKELY(this->successors_.has_pullers())) return pump_and_announce();
    if (ASHLAR_UNLIKELY(!call_scope::has_room())) {
      return &work::make(sched::this_slot(), *this);
    }
    call_scope const deeper;
    return pump_now();
  }
  // The same in a put of a message with this token. A put that fails waits no more: whoever has a message in hand goes
  // on to those that were added meanwhile, and nobody else does.
  job* pump_for(wait_token* t) {
    if (ASHLAR_LIKELY(t == nullptr)) return pump();
    ASHLAR_TRY { return pump(); }
    ASHLAR_CATCH_ALL {
      {
        guard const held(lock_);
        if (!busy_ && !reserved_) store_.forget(t);
      }
      ASHLAR_RETHROW;
    }
    return nullptr;
  }
  void serve(successor_type&) final { pump_and_start(); }
  void pump_and_start() {
    if (job* const j = pump()) core_->start(*j);
  }
  // A message that stays here is waited for only while there is somebody who may take it. The lock is held.
  passage to_keep(passage p) const noexcept {
    if (ASHLAR_LIKELY(p.token() == nullptr)) return p;
    if ((busy_ || this->successors_.has_any()) && !core_->ends_waits()) return p;
    return p.movable() ? passage::moved() : passage::copied();
  }
  // Of a cancelled graph.
  void forget_kept() noexcept {
    guard const held(lock_);
    forget_all();
  }
  void reset_outlet(reset_flags f) {
    {
      guard const held(lock_);
      store_.clear();
      busy_ = forgets_ = reserved_ = wanted_ = false;
    }
    this->reset_output(f);
  }
  void describe_outlet(picture& to) {
    this->describe_output(to, picture::output_kind::keeps);
    lock::scoped_lock held;
    if (!to.look(held, lock_)) return;
    store_.describe(to);
    if (reserved_) to.say("a successor has reserved a message: the others wait until it has consumed or released that");
  }
  // After a cancelled wait, for nodes that forget their messages. What is in hand is left to the thread that has it: it
  // put before the cancellation.
  void settle_and_forget() {
    guard const held(lock_);
    if (busy_) return store_.clear_rest();
    store_.clear();
    forgets_ = reserved_ = wanted_ = false;
  }
  // What is reserved is back, and nobody waits for what is kept.
  void settle_outlet() {
    guard const held(lock_);
    if (reserved_) store_.end_send(false);
    reserved_ = false;
    forget_all();
  }
  graph_core& core() const noexcept { return *core_; }

 private:
  // ---- the lock is held
  // The token of what is in hand is in use: its holder forgets it in the end.
  void forget_all() noexcept {
    if (!busy_ && !reserved_) return store_.forget(nullptr);
    forgets_ = true;
    wanted_ = wanted_ || reserved_;
  }
  ASHLAR_NOINLINE void forget_late() noexcept {
    if (std::exchange(forgets_, false)) store_.forget(nullptr);
  }

  // ---- the lock is not held
  void forget_unless_taken() noexcept {
    guard const held(lock_);
    if (!this->successors_.has_any()) forget_all();
  }
  // Those that push come first: what they take isn't offered.
  ASHLAR_NOINLINE job* pump_and_announce() {
    if (!call_scope::has_room()) return &work::make(sched::this_slot(), *this);
    call_scope const deeper;
    return keep_last_of(*core_, pump_now(), [&] { return this->successors_.announce(); });
  }
  job* pump_now() {
    job* last = nullptr;
    edge_list refused;
    {
      lock::scoped_lock held(lock_);
      if (busy_ || reserved_) {
        again_ = true;
        return last;
      }
      busy_ = true;
      ASHLAR_TRY { send_all(held, refused, last); }
      ASHLAR_CATCH_ALL {
        // The store could not show its message.
        busy_ = false;
        forget_late();
        held.release();
        this->successors_.tell_refused(refused, *this);
        if (last != nullptr) core_->start(*last);
        ASHLAR_RETHROW;
      }
      busy_ = false;
      if (ASHLAR_UNLIKELY(forgets_)) forget_late();
      if (ASHLAR_LIKELY(refused.size() == 0)) return last;
    }
    // The message is not in hand any more: whoever is told may ask for it.
    if (ASHLAR_UNLIKELY(this->successors_.tell_refused(refused, *this))) forget_unless_taken();
    return last;
  }
  void send_all(lock::scoped_lock& held, edge_list& refused, job*& last) {
    while (store_.ready()) {
      again_ = false;
      T& v = store_.begin_send();
      passage const p = passage::moved(store_.token());
      held.release();
      job* const answer = send(v, p, refused);
      if (answer != nullptr) {
        release_token(p.token());
        last = job_or_null(keep_last(*core_, last, answer));
      }
      held.acquire(lock_);
      store_.end_send(answer != nullptr);
      if (answer == nullptr && (!again_ || this->successors_.empty())) return;
    }
  }
  job* send(T& v, passage p, edge_list& refused) {
    ASHLAR_TRY {
      if constexpr (ToAll) {
        return this->successors_.broadcast(v, p, *this, &refused);
      } else {
        return this->successors_.offer(v, p, *this, &refused);
      }
    }
    ASHLAR_CATCH_ALL { core_->fail(); }
    return nullptr;
  }
  // Who only pulls is told if somebody else has asked meanwhile: who releases has something to wait for. A successor
  // that comes after the look pumps itself.
  bool end_reservation(bool consumed, bool* more = nullptr) {
    {
      guard const held(lock_);
      if (!reserved_) return false;
      reserved_ = false;
      bool const wanted = std::exchange(wanted_, false);
      if (consumed) {
        release_token(store_.token());
        this->successors_.count_pulled();
      }
      store_.end_send(consumed);
      if (more != nullptr) *more = store_.ready();
      if (ASHLAR_UNLIKELY(wanted)) {
        forget_late();
      } else if (this->successors_.empty()) {
        return true;
      }
    }
    pump_and_start();
    return true;
  }
  job* activate(slot& here, work& a) noexcept {
    graph_core& g = *core_;
    work::end(here, a);
    job* next = nullptr;
    ASHLAR_TRY { next = pump(); }
    ASHLAR_CATCH_ALL { g.fail(); }
    return pass_on(g, here, next);
  }

 protected:
  graph_core* const core_;
  lock lock_;
  bool busy_ = false;
  bool forgets_ = false;
  bool reserved_ = false;
  bool again_ = false;
  bool wanted_ = false;  // somebody could not reserve because another one had, or forgets_
  Store store_;
};

ASHLAR_FLOW_PARTS_END
