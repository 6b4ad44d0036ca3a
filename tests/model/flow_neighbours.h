// SPDX-License-Identifier: Apache-2.0
// What stands beside the node that a model is about: a buffer, whose output is the real one, and a node with one place
// that refuses what comes meanwhile, as function_input does.
#pragma once

#include <flow_graph_parts.h>

#include <ashlar/flow/work/places.h>

namespace ashlar::model {

// Keeps numbers of messages only.
struct counting_store {
  bool ready() const noexcept { return messages != 0; }
  int& begin_send() noexcept { return value; }
  flow::wait_token* token() const noexcept { return nullptr; }
  void end_send(bool sent) noexcept { messages -= sent; }
  void clear() noexcept { messages = 0; }
  void forget(flow::wait_token const*) noexcept {}
  int messages = 0, value = 0;
};

class buffer : public flow::outlet<int, counting_store, false> {
 public:
  explicit buffer(flow::graph_core& g) : outlet(g) {
    label(this->lock_, "buffer's lock");
    label(this->successors_, "successors");
  }
  void put() {
    {
      flow::guard const held(lock_);
      ++store_.messages;
    }
    require(pump() == nullptr, "the receiver makes no job");
  }
  std::size_t left() const noexcept { return static_cast<std::size_t>(store_.messages); }
  std::size_t edges() const noexcept { return successors_.size(); }
  bool may_be_taken() const noexcept { return successors_.has_any(); }
};

inline bool asks_predecessors = true;  // else a rejecting node forgets those that came while its place was taken
inline bool gives_back_early = false;  // it gives edges back while it holds its place
inline bool is_programs = false;       // a rejecting node is told of predecessors in one step, without a lock

// Has one place, refuses what comes meanwhile, and asks for it when the place is free.
template <typename T>
class rejecting_node : public tbb::flow::receiver<T> {
 public:
  explicit rejecting_node(tbb::flow::graph& g) : graph_(g) {
    label(places_, "places");
    label(predecessors_, "predecessors");
  }
  sched::job* receive(T&, flow::passage) override {
    if (!places_.enter()) return nullptr;
    run();
    return flow::accepted();
  }
  bool register_predecessor(tbb::flow::sender<T>& from) override {
    list_predecessor(from);
    ask_predecessors();
    return true;
  }
  bool lists_predecessors() const noexcept override { return !is_programs; }
  bool list_predecessor(tbb::flow::sender<T>& from) override {
    predecessors_.add(from);
    return true;
  }
  void ask_predecessors() override {
    {
      flow::places::hold held(places_);
      held.set_may_pull(true);
      if (!held.has_room()) return;
      held.take();
    }
    if (next()) run();
  }
  // A body begins that is not this message's, and ends.
  void occupy() { places_.enter(); }
  void vacate() {
    if (!places_.leave() && next()) run();
  }
  bool remove_predecessor(tbb::flow::sender<T>& from) override { return predecessors_.remove(from); }
  std::size_t edges() const noexcept { return predecessors_.size(); }

  int handled = 0;  // while the place is taken

 protected:
  tbb::flow::graph_task* try_put_task(T const&) override { return nullptr; }
  tbb::flow::graph& graph_reference() const override { return graph_; }

 private:
  void run() {
    do ++handled;
    while (!places_.leave() && next());
  }
  bool next() {
    bool asked = false;
    for (;;) {
      bool leaves;
      {
        flow::places::hold held(places_);
        leaves = !held.may_pull() || asked || predecessors_.empty() || !asks_predecessors;
        if (leaves) {
          held.set_may_pull(false);
          if (!gives_back_early) held.give_back();
        }
      }
      if (leaves) {
        if (asked) predecessors_.give_back_all(*this);
        if (gives_back_early && !places_.leave()) continue;
        return false;
      }
      asked = true;
      T v{};
      tbb::flow::message_metainfo m;
      if (predecessors_.take(v, m)) return true;
    }
  }

  tbb::flow::graph& graph_;
  flow::places places_{1};
  flow::predecessors<T> predecessors_;
};

}  // namespace ashlar::model
