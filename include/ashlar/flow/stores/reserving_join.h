// SPDX-License-Identifier: Apache-2.0
// The reserving join: keeps no message; reserves one at a predecessor of each port, and takes all or none.
//
// Edges to it stay in both lists; a sender that announces tells it when it has something, and keeps quiet otherwise.
//
// Invariants RJ1 one thread at a time reserves (busy_); what changes meanwhile sets again_, and it tries once more.
//            RJ2 a port that is not hopeful_ has nothing: whoever brings something makes it hopeful, under the lock.
//                What it reserves is no reason for hope: one that is raised meanwhile stays until it asks again.
//            RJ3 what the reserving thread gives back is no news for the ports of that predecessor, or it would try for
//                ever; what others do with it meanwhile is.
// Ordering   [FR1] announce: hopeful_ up, release -> [FR2] reserve: hopeful_ down before it asks, acquire; up
//                 again, acq_rel, which keeps what others have raised
// Model      tests/model/flow_reserving_model.cpp
#pragma once

#include <ashlar/flow/edges/ports.h>
#include <ashlar/flow/engine/living_node.h>
#include <ashlar/flow/work/activation.h>

#include <tuple>

ASHLAR_FLOW_PARTS

/// A port: knows its predecessors, and refuses what is put into it.
template <typename T, std::size_t Index, typename Join>
class reserving_port : public pulling_receiver<T> {
 public:
  using predecessor_type = sender<T>;

  explicit reserving_port(Join& j) noexcept : join_(&j) {}
  reserving_port(reserving_port const&) = delete;
  job* receive(T&, passage) final { return nullptr; }
  bool only_pulls() const noexcept final { return true; }
  bool list_predecessor(predecessor_type& from) final {
    if (!from.announces() && join_->its_graph().core().cancelled(sched::this_slot())) return false;
    this->predecessors_.add(from);
    return true;
  }
  void ask_predecessors() final {
    if (job* const j = announce()) join_->its_graph().core().start(*j);
  }
  job* announce() final {
    if (ASHLAR_UNLIKELY(join_->its_graph().core().refuses())) return nullptr;
    return join_->make_tuples(&hopeful_);
  }

  // ---- for the join
  bool is_hopeful() const noexcept { return hopeful_.load(mo::relaxed); }
  bool reserve(T& v, message_metainfo& m) {
    hopeful_.exchange(false, mo::acq_rel);  // [FR2]
    predecessor_type* const only = this->predecessors_.only();
    if (only == nullptr) {
      reserved_ = find_and_reserve(v, m);
    } else {
      reserved_ = reserve_from(*only, v, m) ? only : nullptr;
    }
    return reserved_ != nullptr;
  }
  void end_reservation(bool consumed) {
    predecessor_type* const from = std::exchange(reserved_, nullptr);
    if (from == nullptr) return;
    // The predecessor may push more, and fail.
    ASHLAR_TRY {
      if (consumed) {
        if (from->consume_and_look() || this->predecessors_.size() != 1) hope_again();
      } else {
        hope_again();
        join_->returned_to_ = from;
        from->try_release();
      }
    }
    ASHLAR_CATCH_ALL {
      hope_again();
      join_->its_graph().core().fail();
    }
  }
  // `port`: hopeful_ of one.
  bool is_after(void const* from, atomic<bool> const* port) const noexcept {
    return port == &hopeful_ && this->predecessors_.has(from);
  }
  void describe(picture& to) {
    to.input(static_cast<receiver<T>*>(this), picture::input_kind::only_pulls);
    this->predecessors_.describe(to);
  }
  void reset_port(bool clear_edges) {
    reserved_ = nullptr;
    hopeful_.store(true, mo::relaxed);
    if (clear_edges) return this->predecessors_.clear();
    this->predecessors_.for_each([this](predecessor_type& s) {
      if (!s.announces()) this->predecessors_.give_back(s, *this);
    });
  }

 private:
  graph& graph_reference() const override { return join_->its_graph(); }
  bool reserve_from(predecessor_type& from, T& v, message_metainfo& m) {
    if (from.try_reserve(v, m)) return true;
    if (!from.announces()) this->predecessors_.give_back(from, *this);
    return false;
  }
  // There is none, or several. A function of its own, because what it calls needs the arguments in memory.
  ASHLAR_NOINLINE predecessor_type* find_and_reserve(T& v, message_metainfo& m) {
    return this->predecessors_.find_if([&](predecessor_type& from) { return reserve_from(from, v, m); });
  }
  // For the reserving thread. A store would hide from its next look what somebody else has raised meanwhile.
  void hope_again() noexcept { hopeful_.exchange(true, mo::acq_rel); }  // [FR2]
  Join* const join_;
  predecessor_type* reserved_ = nullptr;
  atomic<bool> hopeful_{false};
};

template <typename Tuple>
class reserving_join;
template <typename... Ts>
class reserving_join<std::tuple<Ts...>> : public living_node, public listing_sender<std::tuple<Ts...>> {
  static_assert((std::is_default_constructible_v<Ts> && ...), "a reserving join needs default constructible messages");
  static_assert((std::is_copy_assignable_v<Ts> && ...),
                "a reserving join needs copyable messages: it has a copy of each before it takes any");
  using work = activation<reserving_join>;
  using all = std::index_sequence_for<Ts...>;
  friend node_job<work, reserving_join>;

 public:
  using output_type = std::tuple<Ts...>;
  using successor_type = receiver<output_type>;
  using input_ports_type = numbered_ports<reserving_port, reserving_join, Ts...>;

  explicit reserving_join(graph& g)
      : living_node(g),
        listing_sender<std::tuple<Ts...>>(g.core()),
        ports_(tuple_of<input_ports_type>::made_of(*this)) {}
  input_ports_type& input_ports() { return ports_; }
  graph& its_graph() const noexcept { return my_graph; }

  bool try_get(output_type& v) override {
    message_metainfo m;
    if (!try_get(v, m)) return false;
    release_token(m.token());
    return true;
  }
  bool try_get(output_type& v, message_metainfo& joint) override {
    {
      guard const held(lock_);
      if (busy_ || !all_hopeful()) return false;
      busy_ = true;
    }
    bool taken = false;
    message_metainfo its;
    ASHLAR_TRY {
      message_metainfo m[sizeof...(Ts)];
      taken = reserve_all(v, m, all());
      if (taken) merge(m, its);
    }
    ASHLAR_CATCH_ALL {
      release_token(its.token());
      end_get(false);
      ASHLAR_RETHROW;
    }
    end_get(taken);
    joint = its;
    return taken;
  }

  /// Makes tuples while there are messages and takers.
  void try_and_start() {
    if (job* const j = make_tuples()) core().start(*j);
  }

 private:
  template <typename, std::size_t, typename>
  friend class reserving_port;

  void serve(successor_type& r) final {
    if (!r.only_pulls()) try_and_start();
  }
  bool all_hopeful() const noexcept {
    return std::apply([](auto const&... port) { return (port.is_hopeful() && ...); }, ports_);
  }
  // `port`: hopeful_ of the port for which something has come.
  job* make_tuples(atomic<bool>* port = nullptr) {
    if (!call_scope::has_room()) {
      if (port != nullptr) port->store(true, mo::release);  // [FR1]
      return &work::make(sched::this_slot(), *this);
    }
    {
      guard const held(lock_);
      if (port != nullptr) port->store(true, mo::release);  // [FR1]
      if (busy_) {
        if (releases_.load(mo::relaxed) != &sched::this_slot() || !is_returned(port)) again_ = true;
        return nullptr;
      }
      if (!all_hopeful() || this->successors_.empty()) return nullptr;
      busy_ = true;
      again_ = false;
    }
    return make_all();
  }
  // The caller has made the join busy. A function of its own, because most calls of make_tuples() end before.
  ASHLAR_NOINLINE job* make_all() {
    call_scope const deeper;
    job* last = nullptr;
    for (;;) {
      while (!this->successors_.empty() && all_hopeful() && make_one(last)) {
      }
      guard const held(lock_);
      if (!again_) {
        busy_ = false;
        return last;
      }
      again_ = false;
    }
  }
  bool make_one(job*& last) {
    job* answer = nullptr;
    message_metainfo joint;
    ASHLAR_TRY {
      output_type v{};
      message_metainfo m[sizeof...(Ts)];
      if (reserve_all(v, m, all())) {
        merge(m, joint);
        answer = this->successors_.broadcast(v, passage::moved(joint.token()), *this);
        release_token(joint.token());
      }
    }
    ASHLAR_CATCH_ALL {
      release_token(joint.token());
      core().fail();
    }
    end_reservations(answer != nullptr);
    if (answer == nullptr) return false;
    last = job_or_null(keep_last(core(), last, answer));
    return true;
  }
  template <std::size_t... At>
  bool reserve_all(output_type& v, message_metainfo* m, std::index_sequence<At...>) {
    return (std::get<At>(ports_).reserve(std::get<At>(v), m[At]) && ...);
  }
  // A use of the token of each message, all of which `joint` holds also if one can't be merged.
  static void merge(message_metainfo const (&m)[sizeof...(Ts)], message_metainfo& joint) {
    for (message_metainfo const& one : m) joint.merge(one);
  }
  bool is_returned(atomic<bool> const* port) const noexcept {
    return std::apply([&](auto const&... one) { return (one.is_after(returned_to_, port) || ...); }, ports_);
  }
  void end_get(bool taken) {
    end_reservations(taken);
    {
      guard const held(lock_);
      busy_ = false;
      if (!again_) return;
    }
    try_and_start();
  }
  // What the calling thread gives back is told to others only.
  void end_reservations(bool consumed) {
    if (consumed) return end_all(true, all());
    releases_.store(&sched::this_slot(), mo::relaxed);
    end_all(false, all());
    releases_.store(nullptr, mo::relaxed);
  }
  template <std::size_t... At>
  void end_all(bool consumed, std::index_sequence<At...>) {
    (std::get<At>(ports_).end_reservation(consumed), ...);
  }
  job* activate(slot& here, work& a) noexcept {
    graph_core& g = core();
    work::end(here, a);
    job* next = nullptr;
    ASHLAR_TRY { next = make_tuples(); }
    ASHLAR_CATCH_ALL { g.fail(); }
    return pass_on(g, here, next);
  }
  void reset_node(reset_flags f) override {
    bool const clear_edges = (f & rf_clear_edges) != 0;
    std::apply([&](auto&... port) { (port.reset_port(clear_edges), ...); }, ports_);
    this->reset_output(f);
  }
  void settle() override { reset_node(rf_reset_protocol); }
  void describe(picture& to) override {
    to.kind("join_node (reserving)");
    std::apply([&to](auto&... port) { (port.describe(to), ...); }, ports_);
    this->describe_output(to, picture::output_kind::keeps);
  }

  input_ports_type ports_;
  lock lock_;
  bool busy_ = false;
  bool again_ = false;
  atomic<slot*> releases_{nullptr};    // the thread that gives back what it could not use
  void const* returned_to_ = nullptr;  // a sender, by that thread
};

ASHLAR_FLOW_PARTS_END
