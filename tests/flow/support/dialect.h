// SPDX-License-Identifier: Apache-2.0
// The little in which the flow graphs of classic TBB and oneTBB differ, so that one test serves both dialects, ours and
// the peers'. FLOW_PEER is defined where a test is compiled with a foreign TBB.
#pragma once

#define TBB_PREVIEW_FLOW_GRAPH_FEATURES 1  // classic TBB: priorities; both: node sets
#include <tbb/flow_graph.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>

#if TBB_INTERFACE_VERSION < 12000
#define FLOW_CLASSIC 1
#include <tbb/task_scheduler_init.h>
#else
#define FLOW_CLASSIC 0
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#endif

namespace test {

namespace flow = tbb::flow;
using flow::continue_msg;
using flow::graph;
using flow::make_edge;
using flow::serial;
using flow::unlimited;

#ifdef FLOW_PEER
constexpr bool ours = false;
#else
constexpr bool ours = true;
#endif
constexpr bool classic = FLOW_CLASSIC != 0;

// Runs f in a new thread, which is one of n that run tasks: classic TBB sizes its pool when the first thread comes.
template <typename F>
void with_threads(int n, F const& f) {
  std::exception_ptr failure;
  std::thread([&] {
    try {
#if FLOW_CLASSIC
      tbb::task_scheduler_init init(n);
      f();
#else
      tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(n));
      tbb::task_arena arena(n);
      arena.execute(f);
#endif
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
}

// A source whose body is bool(T&) and that begins with activate().
#if FLOW_CLASSIC
template <typename T>
class source : public flow::source_node<T> {
 public:
  template <typename Body>
  source(graph& g, Body body) : flow::source_node<T>(g, std::move(body), false) {}
};
#else
template <typename T>
class source : public flow::input_node<T> {
 public:
  template <typename Body>
  source(graph& g, Body body)
      : flow::input_node<T>(g, [body](tbb::flow_control& control) mutable {
          T out{};
          if (!body(out)) control.stop();
          return out;
        }) {}
};
#endif

template <typename Limiter>
auto& decrement_of(Limiter& limiter) {
#if FLOW_CLASSIC
  return limiter.decrement;
#else
  return limiter.decrementer();
#endif
}

// A graph that can be cancelled in both dialects.
class cancellable_graph {
 public:
#if FLOW_CLASSIC
  void cancel() { context_.cancel_group_execution(); }
#else
  void cancel() { graph_.cancel(); }
#endif
  graph& operator*() { return graph_; }
  graph* operator->() { return &graph_; }

 private:
#if FLOW_CLASSIC
  tbb::task_group_context context_;
  graph graph_{context_};
#else
  graph graph_;
#endif
};

// How many threads are in a section at once, and how many were at most.
class crowd {
 public:
  class visit {
   public:
    explicit visit(crowd& c) : crowd_(c) {
      int const now = ++crowd_.now_;
      for (int seen = crowd_.most_; seen < now && !crowd_.most_.compare_exchange_weak(seen, now);) {
      }
    }
    visit(visit const&) = delete;
    ~visit() { --crowd_.now_; }

   private:
    crowd& crowd_;
  };
  int most() const { return most_; }
  int now() const { return now_; }

 private:
  std::atomic<int> now_{0}, most_{0};
};

// How often each of n messages has come.
class arrivals {
 public:
  explicit arrivals(std::size_t n) : counts_(new std::atomic<int>[n]), size_(n) {
    for (std::size_t i = 0; i < n; ++i) counts_[i] = 0;
  }
  void add(std::size_t i) {
    if (i < size_) ++counts_[i];
    ++total_;
  }
  int of(std::size_t i) const { return counts_[i]; }
  std::size_t total() const { return total_; }
  // Each message exactly once, and no others.
  bool each_once() const {
    for (std::size_t i = 0; i < size_; ++i) {
      if (counts_[i] != 1) return false;
    }
    return total_ == size_;
  }

 private:
  std::unique_ptr<std::atomic<int>[]> counts_;
  std::size_t size_;
  std::atomic<std::size_t> total_{0};
};

// Now and then gives the processor to another thread, in a way that depends on the message alone.
inline void disturb(std::size_t message) {
  std::size_t const hash = message * 0x9E3779B97F4A7C15u >> 32;
  if (hash % 8 == 0) std::this_thread::yield();
  if (hash % 64 == 1) std::this_thread::sleep_for(std::chrono::microseconds(20));
}

}  // namespace test
