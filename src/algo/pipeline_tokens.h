// SPDX-License-Identifier: Apache-2.0
// The tokens of one run of a pipeline and the stages' bodies: makes a token, runs a body on it, and drops it. Who does
// this, and when, is for pipeline_run.h.
//
// Threads    make_token, renew: the one that has the right to the input; anything else that has a token: who carries
// it.
#pragma once

#include "bound_queue.h"

#include <ashlar/os/ticks.h>
#include <ashlar/sched/core/slot.h>

#include <algorithm>

namespace ashlar::inline v1::algo {

class pipeline_tokens {
 protected:
  pipeline_tokens(stage const* stages, std::size_t count, sched::context& group, pipeline_run& run,
                  sched::job::entry carries) noexcept
      : stages_(stages),
        count_(count),
        group_(group),
        has_ports_(std::any_of(stages, stages + count, [](stage const& x) { return x.bound != nullptr; })),
        run_(run),
        carries_(carries) {}

  token* make_token(sched::slot& s) {
    sched::task_pool* home;
    void* const place = s.pool().allocate(sizeof(token), home);
    auto* const t = new (place) token;
    t->run = carries_;
    t->pipeline = &run_;
    t->home = home;
    renew(*t);
    return t;
  }
  // Makes the next token of one that has come to its end.
  void renew(token& t) noexcept {
    t.number = made_.load(mo::relaxed);
    made_.store(t.number + 1, mo::relaxed);
    t.at = 0;
    t.held = 0;
    t.timed = false;
    t.work = 0;
  }
  static void free_token(sched::slot& s, token* t) noexcept { s.pool().release(t, sizeof(token), t->home); }
  // While work() is not known each token is timed, later one in so many is. For what comes only then to be measured by
  // the time between two tokens, see lease.
  void time(token& t) const noexcept { t.timed = t.number % timed_tokens == 0 || work() == 0; }
  // The ticks that the bodies of a token take; 0: not known. What a token waits for is not its work.
  std::uint64_t work() const noexcept { return work_.load(mo::relaxed); }
  void set_work(std::uint64_t ticks) noexcept { work_.store(ticks, mo::relaxed); }
  void measure(token const& t) noexcept {
    if (t.timed) set_work(t.work);
  }

  // False: the stream is over, or a body has thrown, and the token is gone.
  bool first_stage(sched::slot& s, token* t) noexcept {
    ASHLAR_TRY {
      s.keep_jobs();
      if (run_body(*t)) return true;
      ended_.store(true, mo::relaxed);
    }
    ASHLAR_CATCH_ALL { group_.record_exception(); }
    free_token(s, t);
    return false;
  }
  // False: the body has thrown, and the token is gone.
  bool next_stage(sched::slot& s, token* t) noexcept {
    ASHLAR_TRY {
      s.keep_jobs();
      run_body(*t);
      return true;
    }
    ASHLAR_CATCH_ALL { group_.record_exception(); }
    lose(s, t);
    return false;
  }
  // The same on a port's thread, also for the first stage.
  bool bound_stage(sched::slot& s, token* t) noexcept {
    ASHLAR_TRY {
      if (run_body(*t)) return true;
      free_token(s, t);
      return false;
    }
    ASHLAR_CATCH_ALL { group_.record_exception(); }
    lose(s, t);
    return false;
  }
  // A token that goes no further because the pipeline is cancelled.
  void drop(sched::slot& s, token* t) noexcept {
    stages_[t->at].drop_input(stages_[t->at].body, t->value);
    lose(s, t);
  }

  bool parallel_input() const noexcept { return stages_[0].mode == tbb::filter_mode::parallel; }
  // The number that the next token will have.
  std::uint64_t made() const noexcept { return made_.load(mo::relaxed); }
  bool ended() const noexcept { return ended_.load(mo::relaxed); }

  static constexpr std::uint64_t timed_tokens = 16;  // one token in so many is timed

  stage const* const stages_;
  std::size_t const count_;
  sched::context& group_;
  bool const has_ports_;

 private:
  // Runs the next stage. False: it has ended the stream, and the token has no value.
  bool run_body(token& t) {
    tbb::flow_control control = flow_control_access::make();
    stage const& what = stages_[t.at];
    bool const& stopped = flow_control_access::stopped(control);
    std::uint64_t const start = t.timed ? ticks() : 0;
    what.run(what.body, t.value, control, stopped);
    if (ASHLAR_UNLIKELY(t.timed)) t.work += ticks() - start;
    if (ASHLAR_UNLIKELY(stopped)) return false;
    ++t.at;
    return true;
  }
  void lose(sched::slot& s, token* t) noexcept {
    free_token(s, t);
    for (std::size_t i = 0; has_ports_ && i < count_; ++i) {
      if (stages_[i].bound != nullptr) stages_[i].bound->queue().cancel();
    }
  }

  pipeline_run& run_;
  sched::job::entry const carries_;
  atomic<std::uint64_t> made_{0};
  atomic<bool> ended_{false};
  atomic<std::uint64_t> work_{0};
};

}  // namespace ashlar::inline v1::algo
