// SPDX-License-Identifier: Apache-2.0
// The pipeline engine. A thread carries one token from stage to stage as far as its gates let it. The right to run the
// input stage is a job: it is offered while a token is carried, and whoever takes it makes the next token. Of the two
// things that become possible when a token leaves a serial stage (its next stage, and the next token's entrance) the
// thread does the first itself and spawns the second.
//
// What is offered lies published, so that a thief needs no heavy fence: in a pipeline most of it is stolen. Short
// tokens are one thread's, as long as sharing them does not make them leave faster (pipeline_pace.h): for all of them
// it offers one notice, and lets go of the right behind each input (pipeline_right.h). What a token waits for is not
// its work: one token in so many is timed, its bodies alone. README.md, 'Who may have a token'.
//
// A stage with a port is run by a thread of the user's. A token that waits there, or is with that thread, counts as a
// job of the group; so does a port's right to the input. The thread hands a token back through the arena's queue of
// enqueued jobs.
#pragma once

#include "bound_queue.h"
#include "pipeline_pace.h"
#include "pipeline_permits.h"
#include "pipeline_right.h"

#include <ashlar/os/ticks.h>
#include <ashlar/os/tuning.h>
#include <ashlar/sched/arena/arena_handle.h>
#include <ashlar/sched/core/words_scope.h>

#include <algorithm>
#include <memory>

namespace ashlar::inline v1::algo {

// One call of parallel_pipeline.
class pipeline_run {
 public:
  pipeline_run(stage const* stages, std::size_t count, std::size_t tokens, sched::context& group, sched::slot& s)
      : stages_(stages),
        count_(count),
        group_(group),
        counter_(s),
        key_(s.child_key()),
        gates_(new gate[count]),
        arena_(s.home()),
        has_ports_(std::any_of(stages, stages + count, [](stage const& x) { return x.bound != nullptr; })),
        alone_(!has_ports_ && !s.can_share()),
        permits_(tokens) {
    if (alone_) return;  // one token after the other: no gate ever holds one up
    std::size_t ring = 1;
    while (ring < tokens) ring *= 2;
    bool numbered = stages[0].mode != tbb::filter_mode::parallel;
    for (std::size_t i = 1; i < count; ++i) {
      bool const in_order = stages[i].mode == tbb::filter_mode::serial_in_order;
      if (stages[i].bound != nullptr) {
        stages[i].bound->queue().begin(*this, 0, in_order && numbered, in_order && !numbered);
      } else if (stages[i].mode != tbb::filter_mode::parallel) {
        gates_[i].set(in_order && numbered ? gate::ordered : gate::unordered, in_order && !numbered, ring);
      }
      numbered = numbered || in_order;
    }
  }

  void run(sched::slot& s) {
    if (stages_[0].bound != nullptr) {
      input_.by = &s;
      counter_.add(s);
      stages_[0].bound->queue().begin(*this, permits_.left(), false, false);
    } else {
      sched::base_scope const scope(s);
      input_loop(s, false);
    }
    if (!counter_.done()) counter_.wait(s);
    for (std::size_t i = 1; has_ports_ && i < count_; ++i) {
      if (stages_[i].bound != nullptr) stages_[i].bound->queue().end(true);
    }
    if (ASHLAR_UNLIKELY(group_.is_cancelled())) drop_left_behind(s);
    if (ASHLAR_UNLIKELY(group_.has_exception())) group_.rethrow();
  }

  // The input has a port, and its thread shall make a token: false if it ended the stream.
  bool make_bound() {
    sched::slot& s = sched::this_slot();
    if (!group_.is_cancelled()) {
      ASHLAR_TRY {
        token* const t = make_token(s);
        if (run_bound(s, *t)) {
          counter_.add(s);
          t->by = &s;
          send(s, *t);
          return true;
        }
      }
      ASHLAR_CATCH_ALL { group_.record_exception(); }
    }
    stages_[0].bound->queue().end(false);
    counter_.finish(input_.by, s);
    return false;
  }
  // A port's thread has taken the token.
  void process_bound(token& t) {
    sched::slot& s = sched::this_slot();
    sched::slot* const by = t.by;
    if (group_.is_cancelled()) {
      drop(s, &t);
    } else if (run_bound(s, t)) {
      if (t.at != count_) return send(s, t);
      if (end_token(s, &t)) send_input(s);
    }
    counter_.finish(by, s);
  }

 private:
  // A job that passes the right to run the input stage.
  struct input_right : sched::job {
    pipeline_run* pipeline;
    sched::slot* by;
    bool permit;  // for a token is included
  };
  // Says that the right to the input is to be had while the thread that has it is in another stage.
  struct notice : sched::job {
    pipeline_run* pipeline;
    sched::slot* by;
    sched::task_pool* home;
  };
  static constexpr std::uint64_t timed_tokens = 16;  // one token in so many is timed

  // Makes tokens and carries them, as long as the right to do so comes back.
  void input_loop(sched::slot& s, bool permit) noexcept {
    sched::slot::index const base = s.bottom();
    ASHLAR_TRY {
      for (;;) {
        if (s.cancelled(group_) || ended_.load(mo::relaxed)) return;
        if (alone_) {
          if (!one_token(s)) return;
          continue;
        }
        if (!permit && !permits_.take()) return;
        judge();
        if (goes_alone() ? !run_alone(s, base, permit) : !one_token(s) || !take_back(s, base, permit)) return;
      }
    }
    ASHLAR_CATCH_ALL { group_.record_exception(); }
  }

  // False: the stream is over.
  bool one_token(sched::slot& s) {
    token* const t = make_token(s);
    if (!parallel_input()) {
      if (!first_stage(s, t)) return false;
      offer_and_carry(s, t);
      return true;
    }
    ASHLAR_TRY { offer_input(s, false); }
    ASHLAR_CATCH_ALL {
      group_.record_exception();
      free_token(s, t);
      return true;
    }
    if (first_stage(s, t) && carry(s, t)) offer_input(s, true);
    return true;
  }
  void offer_and_carry(sched::slot& s, token* t) {
    ASHLAR_TRY { offer_input(s, false); }
    ASHLAR_CATCH_ALL { group_.record_exception(); }
    if (carry(s, t)) offer_input(s, true);
  }
  // The holder of the right.
  void judge() noexcept {
    std::uint64_t const number = made_.load(mo::relaxed);
    if (ASHLAR_LIKELY(!pace_.due(number))) return;
    one_thread_.store(pace_.judge(number, work_.load(mo::relaxed), ticks()), mo::relaxed);
  }
  // Short tokens are carried by one thread, which does not offer what costs more to hand over than to do.
  bool goes_alone() const noexcept { return one_thread_.load(mo::relaxed) && !parallel_input() && !has_ports_; }

  // Makes short tokens and carries them, with a permit for the first one. No other token is run while the thread holds
  // the right, because that one's body may wait for the input. False: the right went elsewhere, or the stream is over.
  bool run_alone(sched::slot& s, sched::slot::index base, bool& permit) {
    claim_.hold();
    sched::slot::index const at = s.bottom();
    give_notice(s);
    for (;;) {
      token* const t = make_token(s);
      if (!first_stage(s, t)) return false;
      if (!claim_.let_go()) {
        offer_and_carry(s, t);
        return take_back(s, base, permit);
      }
      if (carry(s, t)) {
        offer_input(s, true);
        return take_back(s, base, permit);
      }
      run_spawned(s, at + 1);
      // A thief that has the notice has the right, or will have it.
      if (s.oldest_guess() > at || !claim_.claim() || !permits_.take()) return false;
      permit = true;
      judge();
      if (!goes_alone() || s.cancelled(group_)) {
        take_back_notice(s, at);
        return true;
      }
      s.count_offer(at);
    }
  }
  void run_spawned(sched::slot& s, sched::slot::index from) noexcept {
    sched::job_key key;
    while (sched::job* const popped = s.take_back(from, key)) s.run_own(popped, key);
  }
  void give_notice(sched::slot& s) {
    sched::task_pool* home;
    auto* const n = new (s.pool().allocate(sizeof(notice), home)) notice;
    n->run = &run_notice;
    n->pipeline = this;
    n->by = &s;
    n->home = home;
    counter_.add(s);
    ASHLAR_TRY {
      s.publish_next(1);
      s.offer(*n, key_);
    }
    ASHLAR_CATCH_ALL {
      counter_.undo(s);
      s.pool().release(n, sizeof(notice), home);
      ASHLAR_RETHROW;
    }
  }
  static sched::job* run_notice(sched::job* self, sched::slot& here) noexcept {
    auto* const n = static_cast<notice*>(self);
    pipeline_run& p = *n->pipeline;
    sched::slot* const by = n->by;
    take_down(here, n);
    here.enter(p.group_);
    if (p.claim_.claim_or_wish()) p.input_loop(here, false);
    p.counter_.finish(by, here);
    return nullptr;
  }
  // A notice lies at `at`, unless a thief has it.
  void take_back_notice(sched::slot& s, sched::slot::index at) noexcept {
    sched::job_key key;
    if (sched::job* const n = s.take_back(at, key)) withdraw(s, n);
  }
  void withdraw(sched::slot& s, sched::job* n) noexcept {
    take_down(s, static_cast<notice*>(n));
    counter_.undo(s);
  }
  static void take_down(sched::slot& s, notice* n) noexcept { s.pool().release(n, sizeof(notice), n->home); }

  // False: the stream is over, and the token gone.
  bool first_stage(sched::slot& s, token* t) noexcept {
    ASHLAR_TRY {
      tbb::flow_control control;
      s.keep_jobs();
      run_body(*t, control);
      if (!control.stopped_) {
        t->at = 1;
        return true;
      }
      ended_.store(true, mo::relaxed);
    }
    ASHLAR_CATCH_ALL { group_.record_exception(); }
    free_token(s, t);
    return false;
  }

  bool parallel_input() const noexcept { return stages_[0].mode == tbb::filter_mode::parallel; }

  // Takes a token as far as it goes. True if the right to the input, with a permit, came to this thread.
  bool carry(sched::slot& s, token* t) noexcept {
    for (;;) {
      if (t->at == count_) return end_token(s, t);
      gate& g = gates_[t->at];
      if (!t->entered) {
        if (ASHLAR_UNLIKELY(g.busy(*t)) && one_thread_.load(mo::relaxed)) g.await(*t, work_.load(mo::relaxed));
        if (!g.enter(*t)) return false;
      }
      t->entered = false;
      if (ASHLAR_UNLIKELY(s.cancelled(group_))) {
        drop(s, t);
        return false;
      }
      if (ASHLAR_UNLIKELY(stages_[t->at].bound != nullptr)) {
        t->by = &s;
        counter_.add(s);
        stages_[t->at].bound->queue().arrive(*t);
        return false;
      }
      g.number(*t);
      s.keep_jobs();
      if (!run_stage(s, t)) return false;
      token* const next = g.leave(t->number);
      ++t->at;
      if (next == nullptr) continue;
      next->entered = true;
      if (t->at != count_) {
        spawn_token(s, next);
        continue;
      }
      if (end_token(s, t)) {
        spawn_token(s, next);
        return true;
      }
      t = next;
    }
  }

  bool run_stage(sched::slot& s, token* t) noexcept {
    ASHLAR_TRY {
      tbb::flow_control control;
      run_body(*t, control);
      return true;
    }
    ASHLAR_CATCH_ALL { group_.record_exception(); }
    lose(s, t);
    return false;
  }
  void run_body(token& t, tbb::flow_control& control) {
    stage const& what = stages_[t.at];
    if (ASHLAR_LIKELY(!t.timed)) return what.run(what.body, t.value, control, control.stopped_);
    std::uint64_t const start = ticks();
    what.run(what.body, t.value, control, control.stopped_);
    t.work += ticks() - start;
  }

  // A token that goes no further because the pipeline is cancelled.
  void drop(sched::slot& s, token* t) noexcept {
    stages_[t->at].drop_input(stages_[t->at].body, t->value);
    lose(s, t);
  }
  void lose(sched::slot& s, token* t) noexcept {
    free_token(s, t);
    for (std::size_t i = 0; has_ports_ && i < count_; ++i) {
      if (stages_[i].bound != nullptr) stages_[i].bound->queue().cancel();
    }
  }

  // True if the input stage was out of permits: it goes on here.
  bool end_token(sched::slot& s, token* t) noexcept {
    if (t->timed) work_.store(t->work, mo::relaxed);
    free_token(s, t);
    if (alone_) return false;
    if (ASHLAR_UNLIKELY(stages_[0].bound != nullptr)) {
      stages_[0].bound->queue().token_over();
      return false;
    }
    return permits_.give_back();
  }

  token* make_token(sched::slot& s) {
    sched::task_pool* home;
    void* const place = s.pool().allocate(sizeof(token), home);
    auto* const t = new (place) token;
    t->run = &run_token;
    t->pipeline = this;
    t->home = home;
    t->number = made_.load(mo::relaxed);
    made_.store(t->number + 1, mo::relaxed);
    t->entered = false;
    t->timed = !alone_ && t->number % timed_tokens == 0;
    t->work = 0;
    t->at = 0;
    return t;
  }
  static void free_token(sched::slot& s, token* t) noexcept { s.pool().release(t, sizeof(token), t->home); }

  void offer_input(sched::slot& s, bool permit) {
    if (alone_) return;
    input_.run = &run_input;
    input_.pipeline = this;
    input_.by = &s;
    input_.permit = permit;
    counter_.add(s);
    ASHLAR_TRY { share(s, input_); }
    ASHLAR_CATCH_ALL {
      counter_.undo(s);
      ASHLAR_RETHROW;
    }
  }
  void share(sched::slot& s, sched::job& what) {
    s.publish_next(timed_tokens);
    one_thread_.load(mo::relaxed) ? s.offer(what, key_) : s.spawn(what, key_);
  }
  void spawn_token(sched::slot& s, token* t) noexcept {
    t->by = &s;
    counter_.add(s);
    ASHLAR_TRY { share(s, *t); }
    ASHLAR_CATCH_ALL {
      group_.record_exception();
      counter_.undo(s);
      drop(s, t);
    }
  }

  // Runs the stage on its port's thread. False if the token is gone.
  bool run_bound(sched::slot& s, token& t) noexcept {
    ASHLAR_TRY {
      tbb::flow_control control;
      stage const& what = stages_[t.at];
      what.run(what.body, t.value, control, control.stopped_);
      if (!control.stopped_) {
        ++t.at;
        return true;
      }
      free_token(s, &t);
      return false;
    }
    ASHLAR_CATCH_ALL { group_.record_exception(); }
    lose(s, &t);
    return false;
  }
  // Hands a token that counts already to the arena. The pipeline may be over afterwards.
  void send(sched::slot& s, token& t) noexcept {
    ASHLAR_TRY { return sched::enqueue_job(arena_, t, 1); }
    ASHLAR_CATCH_ALL { group_.record_exception(); }
    sched::slot* const by = t.by;
    drop(s, &t);
    counter_.finish(by, s);
  }
  // The same for the right to the input, with a permit.
  void send_input(sched::slot& s) noexcept {
    counter_.add(s);
    input_.run = &run_input;
    input_.pipeline = this;
    input_.by = &s;
    input_.permit = true;
    ASHLAR_TRY { sched::enqueue_job(arena_, input_, 1); }
    ASHLAR_CATCH_ALL {
      group_.record_exception();
      counter_.undo(s);
    }
  }

  static sched::job* run_input(sched::job* self, sched::slot& here) noexcept {
    auto& right = *static_cast<input_right*>(self);
    pipeline_run& p = *right.pipeline;
    sched::slot* const by = right.by;
    here.enter(p.group_);
    p.input_loop(here, right.permit);
    p.counter_.finish(by, here);
    return nullptr;
  }
  static sched::job* run_token(sched::job* self, sched::slot& here) noexcept {
    auto* const t = static_cast<token*>(self);
    pipeline_run& p = *t->pipeline;
    sched::slot* const by = t->by;
    here.enter(p.group_);
    if (p.carry(here, t)) {
      ASHLAR_TRY { p.offer_input(here, true); }
      ASHLAR_CATCH_ALL { p.group_.record_exception(); }
    }
    p.counter_.finish(by, here);
    return nullptr;
  }

  // Runs what was spawned here since, until the right to the input comes up. False if it went elsewhere.
  bool take_back(sched::slot& s, sched::slot::index base, bool& permit) {
    sched::job_key key;
    while (sched::job* const popped = s.take_back(base, key)) {
      if (popped == &input_) {
        permit = input_.permit;
        counter_.undo(s);
        return true;
      }
      if (popped->run == &run_notice) {
        withdraw(s, popped);
        permit = false;
        if (claim_.claim_or_wish()) return true;
        continue;
      }
      s.run_own(popped, key);
    }
    return false;
  }

  void drop_left_behind(sched::slot& s) noexcept {
    for (std::size_t i = 1; i < count_; ++i) {
      while (token* const t = gates_[i].left_behind()) {
        stages_[i].drop_input(stages_[i].body, t->value);
        free_token(s, t);
      }
    }
  }

  stage const* const stages_;
  std::size_t const count_;
  sched::context& group_;
  sched::group_counter counter_;
  sched::job_key const key_;
  std::unique_ptr<gate[]> const gates_;
  input_right input_{};
  sched::arena& arena_;
  bool const has_ports_;
  bool const alone_;  // nobody can help: the right to the input is never on offer
  atomic<std::uint64_t> made_{0};
  atomic<bool> ended_{false};
  atomic<bool> one_thread_{true};  // tokens are kept from others while they are young
  atomic<std::uint64_t> work_{0};  // of a token, in ticks
  token_pace pace_;
  input_claim claim_;
  alignas(no_sharing) permits permits_;
};

}  // namespace ashlar::inline v1::algo
