// SPDX-License-Identifier: Apache-2.0
// The rows of this folder, for whatever scheduler of stdexec's a program has.
#pragma once

#include <bench/clock.h>
#include <bench/options.h>
#include <bench/report.h>
#include <bench/sampler.h>

#include <stdexec/execution.hpp>

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <utility>

namespace bench {

namespace ex = stdexec;

/// A tree of forks and joins whose nodes are senders: it completes with the number of its leaves. A node is allocated
/// when it begins, as its type would contain itself.
template <typename Scheduler>
class tree_sender {
  struct node {
    virtual void complete(int leaves) noexcept = 0;
  };
  struct node_receiver {
    using receiver_concept = ex::receiver_tag;
    void set_value(int left, int right) noexcept { of->complete(left + right); }
    template <typename Error>
    void set_error(Error&&) noexcept {
      std::terminate();
    }
    void set_stopped() noexcept { std::terminate(); }
    node* of;
  };
  static auto halves(Scheduler s, int depth) {
    return ex::when_all(ex::starts_on(s, tree_sender(s, depth)), ex::starts_on(s, tree_sender(s, depth)));
  }

  template <typename Receiver>
  class operation : node {
    struct children {
      children(Scheduler s, int depth, node* of) : both(ex::connect(halves(s, depth), node_receiver{of})) {}
      ex::connect_result_t<decltype(halves(std::declval<Scheduler>(), 0)), node_receiver> both;
    };

   public:
    using operation_state_concept = ex::operation_state_tag;
    operation(Receiver r, Scheduler s, int depth) : receiver_(std::move(r)), scheduler_(s), depth_(depth) {}
    void start() & noexcept {
      if (depth_ == 0) return complete(1);
      auto* const both = new children(scheduler_, depth_ - 1, this);
      children_ = both;
      ex::start(both->both);
    }

   private:
    void complete(int leaves) noexcept override {
      delete static_cast<children*>(children_);
      ex::set_value(std::move(receiver_), leaves);
    }
    Receiver receiver_;
    Scheduler scheduler_;
    int depth_;
    void* children_ = nullptr;  // the type is not complete before the class is
  };

 public:
  using sender_concept = ex::sender_tag;

  tree_sender(Scheduler s, int depth) : scheduler_(s), depth_(depth) {}
  template <typename Self, typename... Env>
  static consteval auto get_completion_signatures() {
    return ex::completion_signatures<ex::set_value_t(int)>();
  }
  template <typename Receiver>
  operation<Receiver> connect(Receiver r) const {
    return operation<Receiver>(std::move(r), scheduler_, depth_);
  }
  /// It completes where the scheduler's senders do.
  auto get_env() const noexcept { return ex::get_env(ex::schedule(scheduler_)); }

 private:
  Scheduler scheduler_;
  int depth_;
};

template <std::size_t... I, typename Scheduler>
auto all_of(Scheduler s, std::atomic<long>& count, std::index_sequence<I...>) {
  return ex::when_all((ex::schedule(s) | ex::then([&count] {
                         if constexpr (I == 0) ++count;
                       }))...);
}

/// Samples `work` of so many operations, of which each adds one to `count`.
template <typename Work>
int sampled_count(options const& o, char const* unit, double operations, std::atomic<long>& count, Work work) {
  report r(o, unit);
  r.ops(operations);
  long runs = 0;
  auto const counted = [&] {
    work();
    ++runs;
  };
  if (o.count) {
    counted();
    counted_section(counted);
  } else {
    take_samples(r, counted, operations, 1e9);
  }
  r.check(count == runs, "runs that completed");
  return r.finish();
}

inline void one_microsecond() {
  double const end = wall_now() + 1e-6;
  while (wall_now() < end) {
  }
}

template <typename Scheduler>
int measure(options const& o, Scheduler s) {
  std::atomic<long> count{0};
  auto const run = [&](char const* unit, double operations, auto sender) {
    return sampled_count(o, unit, operations, count, [&] { ex::sync_wait(sender); });
  };
  auto const once = [&count](std::size_t i) {
    if (i == 0) ++count;
  };
  if (is_row(o, "schedule")) return run("ns/run", 1, ex::schedule(s) | ex::then([&count] { ++count; }));
  if (is_row(o, "when_all")) return run("ns/sender", 100, all_of(s, count, std::make_index_sequence<100>()));
  if (is_row(o, "tree")) {
    return run("ns/node", 2047, ex::starts_on(s, tree_sender<Scheduler>(s, 10)) | ex::then([&count](int leaves) {
                                  if (leaves == 1024) ++count;
                                }));
  }
  if (is_row(o, "bulk_empty")) return run("ns/run", 1, ex::schedule(s) | ex::bulk(ex::par, std::size_t(1000), once));
  if (is_row(o, "bulk_us")) {
    return run("ns/run", 1, ex::schedule(s) | ex::bulk(ex::par, std::size_t(1000), [once](std::size_t i) {
                              one_microsecond();
                              once(i);
                            }));
  }
  usage("unknown row", o.row);
}

}  // namespace bench
