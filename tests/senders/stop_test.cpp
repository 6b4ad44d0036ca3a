// SPDX-License-Identifier: Apache-2.0
// A stop at every point of every operation.
#include "stop_points.h"

#include <tbb/flow_graph.h>
#include <tbb/task_group.h>

#include <optional>

using tbb::co_task;
using tbb::execution::get_partitioner;
using tbb::execution::group_token;
using tbb::execution::sender_node;
using tbb::execution::sender_stopped;
using tbb::execution::stop_with;
using tbb::execution::value_of;

namespace {

/// Completes when it is stopped, in the call that requests the stop.
struct ends_by_stop {
  using sender_concept = ex::sender_tag;
  using completion_signatures = ex::completion_signatures<ex::set_value_t(), ex::set_stopped_t()>;

  template <typename Receiver>
  struct operation {
    using operation_state_concept = ex::operation_state_tag;
    struct on_stop {
      void operator()() const noexcept { of->arrive(); }
      operation* of;
    };
    explicit operation(Receiver r) : receiver(std::move(r)) {}
    operation(operation const&) = delete;
    void start() & noexcept {
      registered.emplace(ex::get_stop_token(ex::get_env(receiver)), on_stop{this});
      arrive();
    }
    // The registration is over, and the stop has come.
    void arrive() noexcept {
      if (!one_came.exchange(true)) return;
      registered.reset();
      ex::set_stopped(std::move(receiver));
    }

    Receiver receiver;
    std::atomic<bool> one_came{false};
    std::optional<ex::stop_callback_for_t<ex::stop_token_of_t<ex::env_of_t<Receiver>>, on_stop>> registered;
  };

  template <typename Self, typename... Env>
  static consteval completion_signatures get_completion_signatures() noexcept {
    return {};
  }
  template <typename Receiver>
  operation<Receiver> connect(Receiver r) const {
    return operation<Receiver>(std::move(r));
  }
};

/// Spawned into a group that is cancelled.
struct in_group {
  template <typename Make>
  void operator()(stop_plan& p, Make const& make) const {
    tbb::task_group group;
    bool stopped = true;
    p.stop_by([&group] { group.cancel(); });
    p.reach(stop_plan::before_connect);
    p.reach(stop_plan::before_start);
    ex::spawn(make(p) | ex::then([&stopped]() noexcept { stopped = false; }) | ex::upon_error([](auto&&) noexcept {}),
              group_token(group));
    p.reach(stop_plan::after_start);
    group.wait();
    p.end(stopped);
  }
};

/// Awaited by a coroutine of a group that is cancelled.
struct by_coroutine {
  template <typename Make>
  void operator()(stop_plan& p, Make const& make) const {
    tbb::task_group group;
    bool stopped = true;
    p.stop_by([&group] { group.cancel(); });
    tbb::co_run(group, awaiting(p, make, stopped));
    p.reach(stop_plan::after_start);
    group.wait();
    p.end(stopped);
  }
  template <typename Make>
  static co_task<> awaiting(stop_plan& p, Make const& make, bool& stopped) {
    p.reach(stop_plan::before_connect);
    p.reach(stop_plan::before_start);
    try {
      co_await value_of(make(p));
      stopped = false;
    } catch (sender_stopped const&) {
    }
  }
};

/// A task of a group that is cancelled waits for it.
struct by_wait {
  template <typename Make>
  void operator()(stop_plan& p, Make const& make) const {
    tbb::task_group group;
    bool stopped = true;
    p.stop_by([&group] { group.cancel(); });
    group.run([&] {
      p.reach(stop_plan::before_connect);
      p.reach(stop_plan::before_start);
      stopped = !tbb::execution::sync_wait(make(p)).has_value();
    });
    p.reach(stop_plan::after_start);
    group.wait();
    p.end(stopped);
  }
};

/// The body of a node of a graph that is cancelled.
struct in_graph {
  template <typename Make>
  void operator()(stop_plan& p, Make const& make) const {
    tbb::flow::graph graph;
    bool stopped = true;
    p.stop_by([&graph] { graph.cancel(); });
    sender_node<int> node(graph, 1, [&](int&) {
      p.reach(stop_plan::before_connect);
      p.reach(stop_plan::before_start);
      return make(p) | ex::then([&stopped] { stopped = false; });
    });
    node.try_put(1);
    p.reach(stop_plan::after_start);
    try {
      graph.wait_for_all();
    } catch (sender_stopped const&) {
    }
    p.end(stopped);
  }
};

/// With a receiver, and a context that is cancelled.
struct with_context {
  template <typename Make>
  void operator()(stop_plan& p, Make const& make) const {
    tbb::task_group_context context;
    ex::inplace_stop_source source;
    record r;
    p.stop_by([&context] { context.cancel_group_execution(); });
    p.reach(stop_plan::before_connect);
    auto operation = ex::connect(stop_with(context, make(p)), recording_receiver(r, source.get_token()));
    p.reach(stop_plan::before_start);
    ex::start(operation);
    p.reach(stop_plan::after_start);
    r.wait();
    p.end(r.completed == record::stopped);
  }
};

template <typename Run>
void stop_all_loops(Run const& run) {
  tbb::task_arena arena(3, 0);
  for (arena_scheduler const s : {own_scheduler(), arena_scheduler(arena)}) {
    for_each_loop(s, [&run](auto const& make, int steps) { stop_at_all_points(run, make, steps); });
  }
}

}  // namespace

TEST_CASE("a stop by the receiver's token comes at every point") { stop_all_loops(with_receiver()); }
TEST_CASE("the cancellation of a context comes at every point") { stop_all_loops(with_context()); }
TEST_CASE("the cancellation of a group comes at every point of what is spawned") { stop_all_loops(in_group()); }
TEST_CASE("the cancellation of a group comes at every point of what a coroutine awaits") {
  stop_all_loops(by_coroutine());
}
TEST_CASE("the cancellation of a group comes at every point of what a task waits for") { stop_all_loops(by_wait()); }
TEST_CASE("the cancellation of a graph comes at every point of a node's sender") { stop_all_loops(in_graph()); }

TEST_CASE("a stop comes at every point of loops with other partitioners") {
  auto const with = [](auto how) {
    stop_at_all_points(
        with_receiver(),
        [&how](stop_plan& p) {
          return ex::write_env(ex::schedule(own_scheduler()) | ex::bulk(ex::par, indices, [&p](int) { p.step(); }) |
                                   ex::continues_on(own_scheduler()),
                               ex::prop(get_partitioner, how));
        },
        indices);
  };
  with(tbb::simple_partitioner());
  with(tbb::static_partitioner());
  tbb::affinity_partitioner affinity;
  with(&affinity);
}

TEST_CASE("a sender may complete in the call that requests its stop, and end all that it belongs to") {
  auto const make = [](stop_plan&) { return ends_by_stop(); };
  auto const others = [&make](auto const& run) {
    for (int i = 0; i < 200; ++i) {
      stop_plan p(stop_plan::by_another_thread, 100 * i);
      run(p, make);
    }
  };
  others(with_receiver());
  others(with_context());
  others(in_group());
  others(by_coroutine());
  others(by_wait());
  others(in_graph());
  for (int const at : {stop_plan::before_connect, stop_plan::before_start, stop_plan::after_start}) {
    stop_plan receivers(at), contexts(at), groups(at), coroutines(at);
    with_receiver()(receivers, make);
    with_context()(contexts, make);
    in_group()(groups, make);
    by_coroutine()(coroutines, make);
  }
}
