// SPDX-License-Identifier: Apache-2.0
// Predecessors, one node that a program chooses, and successors that write down what they get; the edges between them
// come and go.
#pragma once

#include "calls.h"
#include "subjects.h"

#include <tbb/flow_graph.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace differ {

namespace flow = tbb::flow;

inline int value_of(counted const& c) { return c.value; }
inline int value_of(std::tuple<counted, counted> const& both) {
  return std::get<0>(both).value * 100 + std::get<1>(both).value;
}
inline int value_of(flow::indexer_node<counted, counted>::output_type const& message) {
  return static_cast<int>(message.tag()) * 1000 + flow::cast_to<counted>(message).value;
}

class edge_scene {
 public:
  // An edge, which may be there several times.
  struct edge {
    std::function<void()> make, remove;
    int times = 0;
  };

  // b of the program: how many predecessors each port has, and what kind of successors there are; n: how many.
  explicit edge_scene(step const& program)
      : senders_(program.b % 5 == 0 ? 33 + program.b / 5 % 60 : 1 + program.b / 5 % 4),
        sinks_(1 + program.n % 100),
        sink_kind_(program.b / 8 % 3) {}
  edge_scene(edge_scene const&) = delete;
  edge_scene& operator=(edge_scene const&) = delete;
  ~edge_scene() {
    graph_.wait_for_all();
    nodes_.clear();
  }

  flow::graph& graph() { return graph_; }
  template <typename Node, typename... Arguments>
  Node& make(Arguments&&... arguments) {
    auto made = std::make_shared<Node>(graph_, std::forward<Arguments>(arguments)...);
    Node& node = *made;
    nodes_.push_back(std::move(made));
    return node;
  }

  // Predecessors of this port.
  template <typename T>
  void add_port(flow::receiver<T>& port) {
    for (int i = 0; i < senders_; ++i) {
      if constexpr (std::is_same_v<T, counted>) {
        senders_hold || (!never_hold && i % 3 == 2) ? add_sender<flow::queue_node<T>>(port)
                                                    : add_sender<flow::broadcast_node<T>>(port);
      } else {
        add_sender<flow::broadcast_node<T>>(port);
      }
    }
    ++ports_;
  }
  // All: each of the successors gets every message; else one of them.
  template <typename T>
  void sinks_of(flow::sender<T>& from, bool all) {
    all_get_it_ = all;
    more_sinks(from);
  }
  template <typename T>
  void more_sinks(flow::sender<T>& from) {
    for (int i = 0; i < sinks_; ++i) {
      int const number = static_cast<int>(outs.size());
      if (sink_kind_ == 0 || (all_get_it_ && sink_kind_ == 2 && i % 2 == 0)) {
        add_sink<flow::lightweight>(from, number, flow::unlimited);
      } else if (sink_kind_ == 1 || all_get_it_) {
        add_sink<flow::queueing>(from, number, flow::serial);
      } else {
        add_sink<flow::rejecting>(from, number, flow::serial);
      }
    }
  }
  template <typename In, typename Out>
  void between(flow::receiver<In>& in, flow::sender<Out>& out, bool all) {
    add_port(in);
    sinks_of(out, all);
  }

  void put(std::size_t which, int n, int value, bool at_once, std::string const& path, book& told) {
    if (puts_.empty()) return;
    auto const& [port, put] = puts_[which % puts_.size()];
    numbers_.resize(ports_);
    int taken = 0;
    for (int k = 0; k < n; ++k) {
      taken += put(numbered ? numbers_[port]++ : value + k) ? 1 : 0;
      if (!at_once || one_by_one) graph_.wait_for_all();
    }
    told.tell(path + " taken", taken);
  }
  // n edges, from this one on: those that are there go, and the others come.
  void toggle(std::vector<edge>& edges, std::size_t first, int n) {
    for (std::size_t i = 0; i < std::min(static_cast<std::size_t>(n), edges.size()); ++i) {
      edge& e = edges[(first + i * 7) % edges.size()];
      if (e.times > 0) {
        remove(e, &edges == &ins);
      } else {
        make(e);
      }
    }
  }
  void make_another(std::vector<edge>& edges, std::size_t which) {
    if (!edges.empty()) make(edges[which % edges.size()]);
  }
  void make_missing() {
    for (auto* const edges : {&ins, &outs}) {
      for (edge& e : *edges) {
        if (e.times == 0) make(e);
      }
    }
  }
  void reset(flow::reset_flags flags, bool clears) {
    graph_.reset(planted("edges keep bodies") ? flow::rf_reset_protocol : flags);
    numbers_.clear();
    one_is_gone_ = false;
    if (!clears || planted("edges keep bodies")) return;
    for (auto* const edges : {&ins, &outs}) {
      for (edge& e : *edges) e.times = 0;
    }
  }

  // A body of the node between was called, for the so-many-th time.
  void add_call(int number) { calls_.add(number); }
  void tell(std::string const& path, book& told) {
    std::vector<int> seen = seen_.sequence();
    if (!all_get_it_ || values_open) {
      for (int& s : seen) s = values_open ? 0 : s % per_sink;
    }
    std::sort(seen.begin(), seen.end());
    told.tell(path + " seen", seen);
    told.tell(path + " calls", calls_.sorted());
    if (calls_.count() > 0) one_is_gone_ = false;
    seen_.clear();
    calls_.clear();
  }

  std::vector<edge> ins, outs;
  std::function<void()> other;  // what this node alone can do
  std::function<std::vector<int>()> get;
  bool senders_hold = false;  // for a node that rejects
  bool never_hold = false;
  bool counts = false;      // its predecessors
  bool ins_stay = false;    // an edge through which it pulls is a known difference
  bool numbered = false;    // messages have the next number of their port
  bool once = false;        // no edge twice
  bool one_by_one = false;  // a burst may lose messages
  bool values_open = false;

 private:
  void remove(edge& e, bool comes_in) {
    if (planted("edges lose no successor behind the 33rd") && !comes_in && &e - outs.data() > 32) return;
    if (comes_in && (ins_stay || (counts && one_is_gone_))) return;
    if (comes_in) one_is_gone_ = true;
    e.remove();
    --e.times;
  }
  // What the sender held may be on its way now, and goes to those that are there.
  void make(edge& e) {
    // Several that go, and others that come, in the middle of one round are a known difference.
    if (counts && one_is_gone_) return;
    e.make();
    ++e.times;
    graph_.wait_for_all();
  }

  static constexpr int per_sink = 1000000;

  template <typename Sender, typename T>
  void add_sender(flow::receiver<T>& port) {
    auto& sender = make<Sender>();
    ins.push_back(
        {[&sender, &port] { flow::make_edge(sender, port); }, [&sender, &port] { flow::remove_edge(sender, port); }});
    puts_.emplace_back(ports_, [&sender](int value) {
      if constexpr (std::is_same_v<T, counted>) {
        return sender.try_put(counted(value));
      } else {
        return static_cast<void>(value), sender.try_put(T());
      }
    });
  }
  template <typename Policy, typename T>
  void add_sink(flow::sender<T>& from, int number, std::size_t limit) {
    auto& sink = make<flow::function_node<T, flow::continue_msg, Policy>>(limit, [this, number](T const& x) noexcept {
      seen_.add((all_get_it_ ? number * per_sink : 0) + value_of(x));
      return flow::continue_msg();
    });
    outs.push_back(
        {[&from, &sink] { flow::make_edge(from, sink); }, [&from, &sink] { flow::remove_edge(from, sink); }});
  }

  flow::graph graph_;
  int senders_, sinks_, sink_kind_;
  std::size_t ports_ = 0;
  bool all_get_it_ = true;
  bool one_is_gone_ = false;  // in the middle of a round that is counted
  std::vector<std::pair<std::size_t, std::function<bool(int)>>> puts_;
  std::vector<int> numbers_;  // of each port
  tally seen_, calls_;
  std::vector<std::shared_ptr<void>> nodes_;
};

}  // namespace differ
