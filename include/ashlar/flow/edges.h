// SPDX-License-Identifier: Apache-2.0
// The lists that edges consist of: a node's successors, and the predecessors that a receiver pulls from.
//
// Threads    any. No lock is held while a neighbour is called, so that loops of nodes that call each other end.
// Ordering   [FE1] the only one that only pulls: release -> [FE2] announce: acquire
//            [FE3] the only predecessor: release -> [FE4] it is asked: acquire
// Model      tests/model/flow_edges_model.cpp; protocol: src/flow/README.md, 'Edges'
#pragma once

#include <ashlar/flow/edge_list.h>
#include <ashlar/flow/picture.h>
#include <ashlar/flow/sender.h>

#include <new>

namespace ashlar {
inline namespace v1 {
namespace flow {

/// Two jobs of which the caller can return one: starts the first and keeps the second.
ASHLAR_ALWAYS_INLINE job* keep_last(graph_core& g, job* first, job* second) {
  if (second == nullptr) return first;
  if (first == nullptr || first == accepted()) return second;
  if (second == accepted()) return first;
  g.start(*first);
  return second;
}

/// The successors of one output, whatever they take. Messages are counted only in a graph that counts_messages(): then
/// no edge is `the only one`, and each message takes the way of those to many.
class output_edges {
 public:
  explicit output_edges(graph_core& g) noexcept : graph_(&g) {}
  output_edges(output_edges const&) = delete;
  output_edges& operator=(output_edges const&) = delete;

  bool empty() const noexcept { return list_.empty(); }
  std::size_t size() const noexcept {
    guard const held(lock_);
    return list_.all().size() + (pullers_ != nullptr ? pullers_->size() : 0);
  }
  /// There are receivers that only pull.
  bool has_pullers() const noexcept { return puller_.load(mo::relaxed) != nullptr; }
  /// One has come to get its message.
  ASHLAR_ALWAYS_INLINE void note_pulled() noexcept {
    if (ASHLAR_UNLIKELY(is_special())) count_message(nullptr, true);
  }
  /// Two that are not special, without the lock; false: it must be taken.
  ASHLAR_ALWAYS_INLINE bool look_at_two(void*& first, void*& second) const noexcept {
    return list_.look_at_two(first, second);
  }
  /// Throws std::bad_alloc.
  ASHLAR_EXPORT void describe(picture& to);

 protected:
  ~output_edges() {
    if (ASHLAR_UNLIKELY(pullers_ != nullptr)) delete pullers_;
    if (ASHLAR_UNLIKELY(tallies_ != nullptr)) drop_tallies();
  }
  // Throws std::bad_alloc.
  void insert(void* r, bool foreign) {
    guard const held(lock_);
    list_.add(r);
    if (ASHLAR_UNLIKELY(tallies_ != nullptr || graph_->counts_messages())) tally_edge(r);
    if (ASHLAR_UNLIKELY(foreign)) note_foreign();
  }
  bool take_out(void* r) noexcept {
    guard const held(lock_);
    return list_.remove(r);
  }
  edge_copy copy() const {
    guard const held(lock_);
    return edge_copy(list_.all());
  }
  // There was one.
  edge_copy copy_pullers() const {
    guard const held(lock_);
    return edge_copy(*pullers_);
  }
  // Throws std::bad_alloc.
  void insert_puller(void* r, bool foreign) {
    guard const held(lock_);
    if (pullers_ == nullptr) pullers_ = new edge_list;
    pullers_->add(r);
    if (ASHLAR_UNLIKELY(foreign)) note_foreign();
    note_pullers();
  }
  bool take_out_puller(void* r) noexcept {
    guard const held(lock_);
    if (pullers_ == nullptr) return false;
    bool const found = pullers_->remove(r);
    note_pullers();
    return found;
  }
  void note_pullers() noexcept {
    void* one = nullptr;
    if (pullers_->size() != 0) one = pullers_->size() == 1 && !foreign_ ? pullers_->at(0) : successor_list::several();
    puller_.store(one, mo::release);  // [FE1]
  }
  // The latest one, or null. The lock is not held.
  void* latest() const noexcept {
    guard const held(lock_);
    edge_list const* const l = list_.all().size() != 0 ? &list_.all() : pullers_;
    return l != nullptr && l->size() != 0 ? l->last() : nullptr;
  }
  // Messages are counted, or there was a receiver of another graph.
  bool is_special() const noexcept { return list_.is_closed(); }
  // r: null for a message that somebody has pulled.
  ASHLAR_EXPORT ASHLAR_COLD void count_message(void* r, bool taken) noexcept;

  successor_list list_;  // push to them
  graph_core* const graph_;
  mutable lock lock_;
  bool foreign_ = false;
  atomic<void*> puller_{nullptr};  // of pullers_, as successor_list::only()
  edge_list* pullers_ = nullptr;   // they only pull; made for the first one, because few outputs have any

 private:
  void note_foreign() noexcept {
    foreign_ = true;
    list_.close(true);
  }
  // Counts from now on, or no more. Throws std::bad_alloc.
  void count(bool on);
  ASHLAR_EXPORT ASHLAR_COLD void tally_edge(void* r) noexcept;
  ASHLAR_EXPORT ASHLAR_COLD void drop_tallies() noexcept;

  struct tallies;
  tallies* tallies_ = nullptr;
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// The successors of one output.
template <typename T>
class successors : public ::ashlar::flow::output_edges {
  using job = ::ashlar::sched::job;
  using passage = ::ashlar::flow::passage;
  using edge_list = ::ashlar::flow::edge_list;
  using base = ::ashlar::flow::output_edges;

 public:
  using base::base;

  // Throws std::bad_alloc.
  void add(receiver<T>& r, sender<T>& from) {
    bool const foreign = &r.core() != graph_;
    if (ASHLAR_UNLIKELY(r.only_pulls())) return add_puller(r, from, foreign);
    insert(&r, foreign);
    if (r.counts_predecessors()) r.register_predecessor(from);
  }
  // Also if the receiver pulls at the moment. One that counts its predecessors never pulls: without an edge it is not
  // told.
  void remove(receiver<T>& r, sender<T>& from) {
    bool const found = r.only_pulls() ? !take_out_puller(&r) : take_out(&r);
    if (found == r.counts_predecessors()) r.remove_predecessor(from);
  }
  // The same. True: it pulled at the moment.
  bool remove_and_look(receiver<T>& r, sender<T>& from) {
    if (!r.only_pulls() && !r.counts_predecessors()) return !take_out(&r) && r.remove_predecessor(from);
    remove(r, from);
    return false;
  }
  void clear(sender<T>& from) {
    while (void* const r = latest()) remove(*static_cast<receiver<T>*>(r), from);
  }
  template <typename F>
  void for_each(F f) {
    ::ashlar::flow::edge_copy const all = copy();
    for (std::size_t i = 0; i < all.size(); ++i) f(*static_cast<receiver<T>*>(all[i]));
    if (!has_pullers()) return;
    ::ashlar::flow::edge_copy const pulling = copy_pullers();
    for (std::size_t i = 0; i < pulling.size(); ++i) f(*static_cast<receiver<T>*>(pulling[i]));
  }

  // Tells those that only pull that there may be something. Null or a job.
  job* announce() {
    auto* const one = static_cast<receiver<T>*>(puller_.load(::ashlar::mo::acquire));  // [FE2]
    return ASHLAR_LIKELY(!no_one(one)) ? one->announce() : announce_to_all();
  }

  // Those that push at this moment.
  ::ashlar::flow::edge_copy now() const { return copy(); }
  // Puts the message into one of them.
  job* put(receiver<T>& r, T& v, passage p, sender<T>& from, edge_list* later = nullptr) {
    job* answer = r.receive(v, p);
    if (answer == nullptr) {
      refused(r, from, later);
    } else if (ASHLAR_UNLIKELY(is_special())) {
      answer = taken(r, answer);
    }
    return answer;
  }

  // The receivers that have refused may pull from now on. `back` grows by the number of those that don't want to, or
  // could not be told if it throws: they are successors again.
  void tell_refused(edge_list& refused_ones, sender<T>& from, std::uint32_t& back) {
    std::size_t told = 0;
    auto const next = [&]() -> receiver<T>& { return *static_cast<receiver<T>*>(refused_ones.at(told++)); };
    ASHLAR_TRY {
      while (told < refused_ones.size()) back += turn(next(), from) ? 0 : 1;
    }
    ASHLAR_CATCH_ALL {
      ++back;
      for (; told < refused_ones.size(); ++back) put_back(next());
      refused_ones.clear();
      ASHLAR_RETHROW;
    }
    refused_ones.clear();
  }

  // The only one, unless it is special; else what no_one() is true for.
  ASHLAR_ALWAYS_INLINE receiver<T>* only() const noexcept { return static_cast<receiver<T>*>(list_.only()); }
  static bool no_one(receiver<T>* r) noexcept { return !::ashlar::flow::successor_list::is_one(r); }
  // Puts the message into all of them. Null: nobody has taken it.
  job* broadcast(T& v, passage p, sender<T>& from, edge_list* later = nullptr) {
    receiver<T>* const one = only();
    if (ASHLAR_UNLIKELY(no_one(one))) return one == nullptr ? nullptr : broadcast_to_all(v, p, from, later);
    job* const answer = one->receive(v, p);
    if (ASHLAR_UNLIKELY(answer == nullptr)) refused(*one, from, later);
    return answer;
  }
  // Puts the message into the first that takes it.
  job* offer(T& v, passage p, sender<T>& from, edge_list* later) {
    receiver<T>* const one = only();
    if (ASHLAR_LIKELY(!no_one(one))) {
      job* const answer = one->receive(v, p);
      if (answer == nullptr) refused(*one, from, later);
      return answer;
    }
    if (one == nullptr) return nullptr;
    ::ashlar::flow::edge_copy const all = copy();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (job* const answer = put(*static_cast<receiver<T>*>(all[i]), v, p, from, later)) return answer;
    }
    return nullptr;
  }

  ASHLAR_NOINLINE job* broadcast_to_all(T& v, passage p, sender<T>& from, edge_list* later) {
    void *first, *second;
    if (ASHLAR_LIKELY(look_at_two(first, second))) {
      return broadcast_to_two(*static_cast<receiver<T>*>(first), *static_cast<receiver<T>*>(second), v, p, from, later);
    }
    return broadcast_to_many(v, p, from, later);
  }
  ASHLAR_ALWAYS_INLINE job* broadcast_to_two(receiver<T>& first, receiver<T>& second, T& v, passage p, sender<T>& from,
                                             edge_list* later) {
    job* const one = first.receive(v, p.shared());
    if (ASHLAR_UNLIKELY(one == nullptr)) refused(first, from, later);
    job* other = nullptr;
    ASHLAR_TRY {
      other = second.receive(v, p);
      if (ASHLAR_UNLIKELY(other == nullptr)) refused(second, from, later);
    }
    ASHLAR_CATCH_ALL {
      if (job* const j = ::ashlar::flow::job_or_null(one)) graph_->start(*j);
      ASHLAR_RETHROW;
    }
    return ::ashlar::flow::keep_last(*graph_, one, other);
  }
  ASHLAR_NOINLINE job* broadcast_to_many(T& v, passage p, sender<T>& from, edge_list* later) {
    return broadcast_to_these(copy(), v, p, from, later);
  }
  ASHLAR_ALWAYS_INLINE job* broadcast_to_these(::ashlar::flow::edge_copy const& all, T& v, passage p, sender<T>& from,
                                               edge_list* later) {
    job* last = nullptr;
    ASHLAR_TRY {
      for (std::size_t i = 0; i < all.size(); ++i) {
        bool const more = i + 1 < all.size();
        job* const answer = put(*static_cast<receiver<T>*>(all[i]), v, more ? p.shared() : p, from, later);
        last = ::ashlar::flow::keep_last(*graph_, last, answer);
      }
    }
    ASHLAR_CATCH_ALL {
      // What one has taken runs.
      if (job* const j = ::ashlar::flow::job_or_null(last)) graph_->start(*j);
      ASHLAR_RETHROW;
    }
    return last;
  }
  // The edge turns to pulling, if the receiver wants that. Only who takes the receiver out of the list tells it, at
  // once or, with `later`, by tell_refused(). Throws std::bad_alloc; then the edge still pushes.
  ASHLAR_NOINLINE void refused(receiver<T>& r, sender<T>& from, edge_list* later) {
    if (ASHLAR_UNLIKELY(is_special())) count_message(&r, false);
    if (!r.may_pull() || !take_out(&r)) return;
    if (later == nullptr) {
      turn(r, from);
      return;
    }
    ASHLAR_TRY { later->add(&r); }
    ASHLAR_CATCH_ALL { put_back(r); }
  }

 private:
  ASHLAR_NOINLINE job* announce_to_all() {
    ::ashlar::flow::edge_copy const all = copy_pullers();
    job* last = nullptr;
    ASHLAR_TRY {
      for (std::size_t i = 0; i < all.size(); ++i) {
        auto& r = *static_cast<receiver<T>*>(all[i]);
        job* answer = r.announce();
        if (ASHLAR_UNLIKELY(is_special()) && answer != nullptr) answer = taken(r, answer);
        last = ::ashlar::flow::job_or_null(::ashlar::flow::keep_last(*graph_, last, answer));
      }
    }
    ASHLAR_CATCH_ALL {
      if (last != nullptr) graph_->start(*last);
      ASHLAR_RETHROW;
    }
    return last;
  }
  ASHLAR_NOINLINE void add_puller(receiver<T>& r, sender<T>& from, bool foreign) {
    insert_puller(&r, foreign);
    ASHLAR_TRY { r.register_predecessor(from); }
    ASHLAR_CATCH_ALL {
      take_out_puller(&r);
      r.remove_predecessor(from);
      ASHLAR_RETHROW;
    }
  }
  // An edge that is in no list gets into the receiver's, or back into this one. False: back. Throws std::bad_alloc;
  // then it is back, too.
  bool turn(receiver<T>& r, sender<T>& from) {
    bool pulls = false;
    ASHLAR_TRY { pulls = r.register_predecessor(from); }
    ASHLAR_CATCH_ALL {
      put_back(r);
      ASHLAR_RETHROW;
    }
    if (!pulls) put_back(r);
    return pulls;
  }
  void put_back(receiver<T>& r) { insert(&r, false); }  // there is room: it was there before
  // By a receiver of another graph, perhaps, or one that is counted.
  ASHLAR_NOINLINE job* taken(receiver<T>& r, job* answer) {
    count_message(&r, true);
    if (answer == ::ashlar::flow::accepted() || &r.core() == graph_) return answer;
    r.core().start(*answer);
    return ::ashlar::flow::accepted();
  }
};

/// The predecessors that a receiver pulls from.
template <typename T>
class predecessors {
  using guard = ::ashlar::flow::guard;

 public:
  /// May be old: who adds one looks by itself whether there is something for it, after a step that those who look here
  /// take, too.
  bool empty() const noexcept { return size() == 0; }
  std::size_t size() const noexcept { return count_.load(::ashlar::mo::relaxed); }
  /// Throws std::bad_alloc.
  void add(sender<T>& s) {
    guard const held(lock_);
    list_.add(&s);
    note();
  }
  bool remove(sender<T>& s) noexcept {
    guard const held(lock_);
    bool const found = list_.remove(&s);
    note();
    return found;
  }
  /// The one to ask next, or null.
  sender<T>* front() const noexcept {
    if (sender<T>* const one = only()) return one;
    guard const held(lock_);
    return list_.size() != 0 ? static_cast<sender<T>*>(list_.first()) : nullptr;
  }
  /// It has nothing: it pushes from now on. Throws std::bad_alloc; then it is still asked.
  void give_back(sender<T>& s, receiver<T>& to) {
    if (!remove(s)) return;
    ASHLAR_TRY { s.take_back(to); }
    ASHLAR_CATCH_ALL {
      // It may have the edge: what it does with a new successor can fail, too.
      s.remove_successor(to);
      add(s);
      ASHLAR_RETHROW;
    }
  }
  /// Each once: one may come again at once.
  void give_back_all(receiver<T>& to) {
    for_each([&](sender<T>& s) { give_back(s, to); });
  }
  void clear() noexcept {
    guard const held(lock_);
    list_.clear();
    note();
  }
  bool has(void const* s) const noexcept {
    guard const held(lock_);
    for (std::size_t i = 0; i < list_.size(); ++i) {
      if (list_.at(i) == s) return true;
    }
    return false;
  }
  /// Takes a message from one of them.
  bool pull(T& v, message_metainfo& m, receiver<T>& to) {
    while (sender<T>* const s = front()) {
      if (s->try_get(v, m)) return true;
      give_back(*s, to);
    }
    return false;
  }
  void describe(::ashlar::flow::picture& to) {
    for_each([&to](sender<T>& s) { to.pulls_from(&s); });
  }
  /// The first for which f returns true, or null.
  template <typename F>
  sender<T>* find_if(F f) {
    if (sender<T>* const one = only()) return f(*one) ? one : nullptr;
    ::ashlar::flow::lock::scoped_lock held(lock_);
    ::ashlar::flow::edge_copy const all(list_);
    held.release();
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto* const s = static_cast<sender<T>*>(all[i]);
      if (f(*s)) return s;
    }
    return nullptr;
  }
  template <typename F>
  void for_each(F f) {
    ::ashlar::flow::lock::scoped_lock held(lock_);
    ::ashlar::flow::edge_copy const all(list_);
    held.release();
    for (std::size_t i = 0; i < all.size(); ++i) f(*static_cast<sender<T>*>(all[i]));
  }

 private:
  // The only one, or null: there is none, or there are several.
  sender<T>* only() const noexcept { return only_.load(::ashlar::mo::acquire); }  // [FE4]
  void note() noexcept {
    count_.store(list_.size(), ::ashlar::mo::relaxed);
    only_.store(list_.size() == 1 ? static_cast<sender<T>*>(list_.at(0)) : nullptr, ::ashlar::mo::release);  // [FE3]
  }

  mutable ::ashlar::flow::lock lock_;
  ::ashlar::flow::edge_list list_;
  ::ashlar::atomic<sender<T>*> only_{nullptr};
  ::ashlar::atomic<std::size_t> count_{0};
};

ASHLAR_FLOW_HOME_END
}  // namespace flow
}  // namespace tbb
