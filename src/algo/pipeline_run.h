// SPDX-License-Identifier: Apache-2.0
// The pipeline engine. A thread carries one token from stage to stage as far as its gates let it. The right to run the
// input stage is a job: it is offered while a token is carried, and whoever takes it makes the next token. Of the two
// things that become possible when a token leaves a serial stage (its next stage, and the next token's entrance) the
// thread does the first itself and spawns the second.
//
// What is offered lies published, so that a thief needs no heavy fence: in a pipeline most of it is stolen. Short
// tokens are one thread's, as long as sharing them does not make them leave faster (pipeline_pace.h): it has a lease of
// the whole pipeline, and offers one notice for all of them (pipeline_lease.h). README.md, 'Who may have a token'.
//
// A stage with a port is run by a thread of the user's. A token that waits there, or is with that thread, counts as a
// job of the group; so does a port's right to the input. The thread hands a token back through the arena's queue of
// enqueued jobs.
#pragma once

#include "pipeline_lease.h"
#include "pipeline_pace.h"
#include "pipeline_permits.h"
#include "pipeline_tokens.h"

#include <ashlar/os/ticks.h>
#include <ashlar/sched/arena/arena_handle.h>
#include <ashlar/sched/core/words_scope.h>

#include <memory>

namespace ashlar::inline v1::algo {

// One call of parallel_pipeline.
class pipeline_run : pipeline_tokens {
 public:
  pipeline_run(stage const* stages, std::size_t count, std::size_t tokens, sched::context& group, sched::slot& s)
      : pipeline_tokens(stages, count, group, *this, &run_token),
        counter_(s),
        key_(s.child_key()),
        gates_(new gate[count]),
        arena_(s.home()),
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
      stages_[0].bound->queue().begin(*this, permits_.all(), false, false);
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
        if (bound_stage(s, t)) {
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
    } else if (bound_stage(s, &t)) {
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
  // Says that a part of a lease is to be had.
  struct notice : sched::job {
    pipeline_run* pipeline;
    sched::slot* by;
    sched::task_pool* home;
    std::uint32_t lease;
  };

  static constexpr std::uint32_t short_tokens = 8;  // so many take less time than a notice is young

  // Makes tokens and carries them, as long as the right to do so comes back.
  void input_loop(sched::slot& s, bool permit) noexcept {
    sched::slot::index const base = s.bottom();
    ASHLAR_TRY {
      do {
        if (s.cancelled(group_) || ended()) return;
        if (!alone_) {
          if (!permit && !permits_.take()) return;
          if (pace_.due(made())) judge();
        }
      } while (goes_alone() ? run_leased(s, base, permit) : one_token(s) && take_back(s, base, permit));
    }
    ASHLAR_CATCH_ALL { group_.record_exception(); }
  }

  // False: the stream is over.
  bool one_token(sched::slot& s) {
    token* const t = make_token(s);
    time(*t);
    if (!parallel_input()) {
      if (!first_stage(s, t)) return false;
      offer_and_carry(s, t, true);
      return true;
    }
    ASHLAR_TRY { offer_input(s, false, true); }
    ASHLAR_CATCH_ALL {
      group_.record_exception();
      free_token(s, t);
      return true;
    }
    if (first_stage(s, t) && carry(s, t)) offer_input(s, true);
    return true;
  }
  void offer_and_carry(sched::slot& s, token* t, bool first) {
    ASHLAR_TRY { offer_input(s, false, first); }
    ASHLAR_CATCH_ALL { group_.record_exception(); }
    if (carry(s, t)) offer_input(s, true);
  }
  // The holder of the right.
  void judge() noexcept {
    one_thread_.store(pace_.judge(made(), permits_.others(), work(), ticks()), mo::relaxed);
    patient_ = true;
  }
  // Short tokens are carried by one thread, once the others are over.
  bool goes_alone() noexcept {
    if (alone_) return true;
    return one_thread_.load(mo::relaxed) && !parallel_input() && !has_ports_ && others_come_back();
  }
  // Two threads that each make a token before the other one's is over would go on so, and both be slower than one. A
  // token may wait for the next one, though, or be suspended: the thread waits once in a period.
  bool others_come_back() noexcept {
    for (std::uint64_t const start = ticks(); !permits_.others_back();) {
      if (!patient_) return false;
      patient_ = ticks() - start <= short_tokens * work();
      cpu_pause();
    }
    return true;
  }

  // Makes tokens and carries them under a lease, with a permit for one. False: the right to the input went elsewhere,
  // or the stream is over.
  bool run_leased(sched::slot& s, sched::slot::index base, bool& permit) {
    std::uint64_t number = made();
    for (std::size_t i = 1; i < count_; ++i) number = gates_[i].close(number);
    sched::slot::index const at = s.bottom();
    std::uint32_t const lease = lease_.begin();
    if (!alone_) give_notice(s, lease);
    sched::slot::index const above = s.bottom();
    token* const t = make_token(s);
    std::uint64_t look_at = t->number + 1;
    for (t->timed = work() == 0;; renew(*t)) {
      passage const how = carry_leased(s, t, above);
      if (how == passage::asked) break;
      if (how == passage::lost) {
        take_back_notice(s, at);
        return false;
      }
      measure(*t);
      if (ASHLAR_LIKELY(alone_ || made() < look_at)) continue;
      if (pace_.due(made()) && !stays_alone()) {
        take_back_notice(s, at);
        break;
      }
      std::uint32_t const counted = pace_.is_short(work()) ? short_tokens : 1;
      s.count_offer(at, counted);
      look_at = made() + counted;
    }
    return share_leased(s, t, base, permit);
  }
  enum class passage { over, lost, asked };
  // Carries the token through all stages, and runs what they have spawned, as long as nobody asks for the lease.
  passage carry_leased(sched::slot& s, token* t, sched::slot::index above) noexcept {
    if (ASHLAR_UNLIKELY(s.cancelled(group_))) {
      free_token(s, t);
      return passage::lost;
    }
    if (!first_stage(s, t)) return passage::lost;
    while (t->at != count_) {
      if (ASHLAR_UNLIKELY(!lease_.go_to(t->number, t->at))) return passage::asked;
      if (ASHLAR_UNLIKELY(s.cancelled(group_))) {
        drop(s, t);
        return passage::lost;
      }
      gates_[t->at].number(*t);
      if (!next_stage(s, t)) return passage::lost;
    }
    if (ASHLAR_UNLIKELY(s.bottom() != above)) {
      // A body may have been suspended: the notice lies elsewhere then.
      bool const laid_aside = s.bottom() < above && !alone_;
      if (!lease_.go_to(t->number, t->at) || laid_aside) return passage::asked;
      run_spawned(s, above);
    }
    return ASHLAR_LIKELY(lease_.go_to(t->number, 0)) ? passage::over : passage::asked;
  }
  // A period under the lease is over.
  bool stays_alone() noexcept {
    if (std::uint64_t const took = pace_.ticks_per_token(made(), ticks())) set_work(took);
    judge();
    return goes_alone();
  }
  // The lease ends: the thread lets go of what it holds, and goes on with the token as with any other.
  bool share_leased(sched::slot& s, token* t, sched::slot::index base, bool& permit) {
    std::uint32_t const mine = lease_.end();
    open_gates(s, t->number, mine, t->at);
    t->held = static_cast<std::uint32_t>(count_);
    if (mine == 0) {
      offer_and_carry(s, t, false);
    } else if (carry(s, t)) {
      offer_input(s, true);
    }
    return take_back(s, base, permit);
  }
  // The token with this number, which holds all gates, is past those from `first` on below `stage`.
  void open_gates(sched::slot& s, std::uint64_t number, std::uint32_t first, std::uint32_t stage) noexcept {
    for (std::uint32_t i = first != 0 ? first : 1; i < stage; ++i) {
      token* const next = gates_[i].leave(number);
      if (next == nullptr) continue;
      next->held = i + 1;
      spawn_token(s, next);
    }
  }
  void run_spawned(sched::slot& s, sched::slot::index from) noexcept {
    sched::job_key key;
    while (sched::job* const popped = s.take_back(from, key)) s.run_own(popped, key);
  }
  void give_notice(sched::slot& s, std::uint32_t lease) {
    sched::task_pool* home;
    auto* const n = new (s.pool().allocate(sizeof(notice), home)) notice;
    n->run = &run_notice;
    n->pipeline = this;
    n->by = &s;
    n->home = home;
    n->lease = lease;
    counter_.add(s);
    ASHLAR_TRY {
      s.publish_next(1);
      s.offer(*n, key_ | sched::key_unhelped);
    }
    ASHLAR_CATCH_ALL {
      counter_.undo(s);
      take_down(s, n);
      ASHLAR_RETHROW;
    }
  }
  static sched::job* run_notice(sched::job* self, sched::slot& here) noexcept {
    auto* const n = static_cast<notice*>(self);
    pipeline_run& p = *n->pipeline;
    sched::slot* const by = n->by;
    std::uint32_t const lease = n->lease;
    take_down(here, n);
    here.enter(p.group_);
    if (!p.ended() && !here.cancelled(p.group_)) p.revoke(here, lease);
    p.counter_.finish(by, here);
    return nullptr;
  }
  // The bodies take longer than they did, or the thread that runs them has lost its processor.
  void revoke(sched::slot& s, std::uint32_t lease) noexcept {
    pipeline_lease::position token;
    if (!lease_.revoke(lease, token)) return;
    open_gates(s, token.number, 1, token.stage);
    set_work(0);
    judge();
    input_loop(s, false);
  }
  // A notice lies at `at`, below what bodies have spawned, unless a thief has it. Another pipeline's may lie there,
  // too: a thief gives back what it took too late.
  void take_back_notice(sched::slot& s, sched::slot::index at) noexcept {
    sched::job_key key;
    while (sched::job* const popped = s.take_back(at, key)) {
      if (popped->run != &run_notice || static_cast<notice*>(popped)->pipeline != this) {
        s.run_own(popped, key);
        continue;
      }
      take_down(s, static_cast<notice*>(popped));
      counter_.undo(s);
    }
  }
  static void take_down(sched::slot& s, notice* n) noexcept { s.pool().release(n, sizeof(notice), n->home); }

  // Takes a token as far as it goes. True if the right to the input, with a permit, came to this thread.
  bool carry(sched::slot& s, token* t) noexcept {
    for (;;) {
      if (t->at == count_) return end_token(s, t);
      gate& g = gates_[t->at];
      if (t->at >= t->held) {
        if (ASHLAR_UNLIKELY(g.busy(*t)) && one_thread_.load(mo::relaxed)) g.await(*t, work());
        if (!g.enter(*t)) return false;
      }
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
      if (!next_stage(s, t)) return false;
      token* const next = g.leave(t->number);
      if (next == nullptr) continue;
      next->held = t->at;
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

  // True if the input stage was out of permits: it goes on here.
  bool end_token(sched::slot& s, token* t) noexcept {
    measure(*t);
    free_token(s, t);
    if (ASHLAR_UNLIKELY(stages_[0].bound != nullptr)) {
      stages_[0].bound->queue().token_over();
      return false;
    }
    return permits_.give_back();
  }

  void offer_input(sched::slot& s, bool permit, bool first = false) {
    input_.run = &run_input;
    input_.pipeline = this;
    input_.by = &s;
    input_.permit = permit;
    counter_.add(s);
    ASHLAR_TRY { share(s, input_, first); }
    ASHLAR_CATCH_ALL {
      counter_.undo(s);
      ASHLAR_RETHROW;
    }
  }
  // `first`: it is what thieves count tokens by.
  void share(sched::slot& s, sched::job& what, bool first) {
    s.publish_next(timed_tokens);
    one_thread_.load(mo::relaxed) ? s.offer(what, key_ | sched::key_unhelped, first) : s.spawn(what, key_);
  }
  void spawn_token(sched::slot& s, token* t) noexcept {
    t->by = &s;
    counter_.add(s);
    ASHLAR_TRY { share(s, *t, false); }
    ASHLAR_CATCH_ALL {
      group_.record_exception();
      counter_.undo(s);
      drop(s, t);
    }
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

  sched::group_counter counter_;
  sched::job_key const key_;
  std::unique_ptr<gate[]> const gates_;
  input_right input_{};
  sched::arena& arena_;
  bool const alone_;               // nobody can help: the right to the input is never on offer
  atomic<bool> one_thread_{true};  // tokens are kept from others while they are young
  token_pace pace_;
  bool patient_ = true;  // the one's that has the right to the input
  pipeline_lease lease_;
  alignas(no_sharing) permits permits_;
};

}  // namespace ashlar::inline v1::algo
