// SPDX-License-Identifier: Apache-2.0
// A stop that is requested at one point of a sender's life, which a test walks through all of them.
#pragma once

#include "recording_receiver.h"

#include <doctest/doctest.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <functional>
#include <thread>
#include <utility>

class stop_plan {
 public:
  // Before those come the steps of the work, 0, 1, ...
  enum point : int { before_connect = -4, before_start, after_start, by_another_thread, first_step };

  /// `later`: how long the other thread waits, in rounds of an empty loop.
  explicit stop_plan(int at, int later = 0) : at_(at), later_(later) {}
  stop_plan(stop_plan const&) = delete;
  stop_plan& operator=(stop_plan const&) = delete;

  /// How it is requested; before all points.
  template <typename Request>
  void stop_by(Request request) {
    request_ = std::move(request);
    if (at_ != by_another_thread) return;
    other_ = std::jthread([this] {
      for (std::atomic<int> i{0}; i < later_; ++i) {
      }
      request_();
    });
  }
  void reach(int p) {
    if (p == at_) request_();
  }
  void step() { reach(steps_++); }
  /// The work is over: no step comes any more, and a stop is late.
  void end(bool stopped) {
    int const steps = steps_;
    if (other_.joinable()) other_.join();
    CHECK(steps == steps_);
    bool const certainly = at_ == before_connect || at_ == before_start || (at_ >= first_step && at_ < steps);
    bool const perhaps = at_ == after_start || at_ == by_another_thread;
    if (!perhaps) CHECK(stopped == certainly);
    if (at_ < after_start) CHECK(steps == 0);
    if (at_ >= steps) request_();
  }

 private:
  int const at_;
  int const later_;
  std::function<void()> request_;
  std::atomic<int> steps_{0};
  std::jthread other_;
};

/// Connects make(plan) with a receiver whose token says stop.
struct with_receiver {
  template <typename Make>
  void operator()(stop_plan& p, Make const& make) const {
    ex::inplace_stop_source source;
    record r;
    p.stop_by([&source] { source.request_stop(); });
    p.reach(stop_plan::before_connect);
    auto operation = ex::connect(make(p), recording_receiver(r, source.get_token()));
    p.reach(stop_plan::before_start);
    ex::start(operation);
    p.reach(stop_plan::after_start);
    r.wait();
    CHECK(r.completed != record::error);
    p.end(r.completed == record::stopped);
  }
};

constexpr int indices = 24;

/// use(make, steps) with functions that make a sender of the scheduler's; each calls plan.step() `steps` times.
template <typename Scheduler, typename Use>
void for_each_loop(Scheduler s, Use const& use) {
  // What comes last asks for a stop once more.
  use([s](stop_plan& p) { return ex::schedule(s) | ex::then([&p] { p.step(); }) | ex::continues_on(s); }, 1);
  use(
      [s](stop_plan& p) {
        return ex::schedule(s) | ex::bulk(ex::par, indices, [&p](int) { p.step(); }) | ex::continues_on(s);
      },
      indices);
  use(
      [s](stop_plan& p) {
        return ex::schedule(s) | ex::bulk(ex::seq, indices, [&p](int) { p.step(); }) | ex::continues_on(s);
      },
      indices);
  use(
      [s](stop_plan& p) {
        return ex::schedule(s) |
               ex::bulk_chunked(ex::par, indices,
                                [&p](int begin, int end) {
                                  for (; begin != end; ++begin) p.step();
                                }) |
               ex::continues_on(s);
      },
      indices);
  use(
      [s](stop_plan& p) {
        return ex::schedule(s) | ex::bulk_unchunked(ex::par, indices, [&p](int) { p.step(); }) | ex::continues_on(s);
      },
      indices);
}

/// Runs each with a stop at each point, and by another thread after random times.
template <typename Run, typename Make>
void stop_at_all_points(Run const& run, Make const& make, int steps) {
  for (int at = stop_plan::before_connect; at <= steps; ++at) {
    if (at == stop_plan::by_another_thread) continue;
    stop_plan p(at);
    CAPTURE(at);
    run(p, make);
  }
  unsigned seed = 12345;
  for (int i = 0; i < 100; ++i) {
    seed = seed * 1664525u + 1013904223u;
    stop_plan p(stop_plan::by_another_thread, int((seed >> 8) % 20000));
    CAPTURE(seed);
    run(p, make);
  }
}
