// SPDX-License-Identifier: Apache-2.0
// A flow graph that a program builds node by node. Each node takes what an earlier one gives, so that every graph ends.
#pragma once

#include "calls.h"
#include "subjects.h"

#include <tbb/flow_graph.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace differ {

namespace flow = tbb::flow;

// Where messages come out. Ordered: their order is determined. Holds: keeps what nobody takes, and gives each message
// to one node only.
struct outlet {
  flow::sender<counted>* from = nullptr;
  bool ordered = false;
  bool unique = false;  // no value twice
  bool holds = false;
  bool taken = false;
};

// A body's record. Whole: its messages are determined.
struct record {
  std::string name;
  tally seen;
  bool ordered = false;
  int limit = 0;              // of its bodies at once, if there is one
  std::atomic<int> calls{0};  // of the body, as it counts them itself
  std::atomic<int> inside{0};
  std::atomic<bool> crowded{false};
};

// An edge that can be made again. May it go between two rounds?
struct edge {
  std::function<void()> make, remove;
  bool may_go = false;
  bool there = true;
};

// The fault of a program: what the body does at its so-many-th message.
struct flaw {
  fault kind{};
  std::atomic<int> left{0};
};

class net {
 public:
  explicit net(bool own_context)
      : graph_(own_context || !DIFFER_ONETBB ? new flow::graph(context_) : new flow::graph()) {}
  net(net const&) = delete;
  net& operator=(net const&) = delete;
  ~net() {
    graph_->wait_for_all();
    nodes_.clear();
  }

  flow::graph& graph() { return *graph_; }
  void cancel() {
#if DIFFER_ONETBB
    graph_->cancel();
#else
    context_.cancel_group_execution();
#endif
  }
  template <typename Node, typename... Arguments>
  Node& make(Arguments&&... arguments) {
    auto made = std::make_shared<Node>(std::forward<Arguments>(arguments)...);
    Node& node = *made;
    nodes_.push_back(std::move(made));
    return node;
  }
  template <typename From, typename To>
  void connect(From& from, To& to, bool may_go = false) {
    flow::make_edge(from, to);
    edges.push_back(
        {[&from, &to] { flow::make_edge(from, to); }, [&from, &to] { flow::remove_edge(from, to); }, may_go});
  }
  // An edge that may go between two rounds.
  template <typename From, typename To>
  void link(From& from, To& to) {
    connect(from, to, true);
  }
  record& make_record(std::string name) {
    records.push_back(std::make_unique<record>());
    records.back()->name = std::move(name);
    return *records.back();
  }

  void give(flow::sender<counted>& from, bool ordered, bool unique, bool holds = false) {
    outlets.push_back({&from, ordered, unique, holds, false});
  }
  // What is not taken by a node goes to one that writes it down; nodes that hold messages keep them, or not.
  void close(bool nothing_stays);
  // An outlet that more messages may be taken from.
  outlet& take(int which);
  // The same behind a queue, if it does not hold messages.
  outlet take_held(int which);

  std::vector<outlet> outlets;
  std::vector<edge> edges;
  std::vector<std::unique_ptr<record>> records;
  std::vector<flow::receiver<counted>*> sources;
  std::vector<int> amounts;                   // of messages that the program puts into each
  std::vector<std::function<void()>> starts;  // of sources that run by themselves
  flaw wrong;

 private:
  tbb::task_group_context context_;
  std::unique_ptr<flow::graph> graph_;
  std::vector<std::shared_ptr<void>> nodes_;
};

// What a node's body does to a message: counts it, fails if it shall, and makes another value.
int work(net& n, record& r, flaw* f, int value, int salt, calls const& own);

// Adds the node that a step says.
void add_node(net& n, step const& s, std::string const& name);
void add_node_of_many(net& n, step const& s, std::string const& name);

}  // namespace differ
