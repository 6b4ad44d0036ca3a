// SPDX-License-Identifier: Apache-2.0
// The successors of an output, and how edges change between pushing and pulling; predecessors.h has the other ends.
//
// Threads    any. No lock is held while a neighbour is called that may call others, so that loops of nodes end. The
//            lock of a sender's edges is taken before that of a receiver's.
// Invariants ED1 while the sender's edges are not locked, an edge between nodes of the library is in one of the two
//                lists, if it only pulls in both: a removal finds it.
// Ordering   [FE1] the only one that only pulls: release -> [FE2] announce: acquire
// Model      tests/model/flow_edges_model.cpp; protocol: src/flow/README.md, 'Edges'
#pragma once

#include <ashlar/flow/edges/edge_list.h>
#include <ashlar/flow/edges/predecessors.h>
#include <ashlar/flow/edges/sender.h>
#include <ashlar/flow/engine/picture.h>

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
/// The same while the second is still to come from f(). If that throws, the first one runs.
template <typename F>
ASHLAR_ALWAYS_INLINE job* keep_last_of(graph_core& g, job* first, F const& f) {
  job* second = nullptr;
  ASHLAR_TRY { second = f(); }
  ASHLAR_CATCH_ALL {
    if (job* const j = job_or_null(first)) g.start(*j);
    ASHLAR_RETHROW;
  }
  return keep_last(g, first, second);
}

/// The successors of one output, whatever they take. Messages are counted only in a graph that counts_messages(): then
/// no edge is `the only one`, and each message takes the way of those to many.
class output_edges : protected successor_list {
 public:
  explicit output_edges(graph_core& g) noexcept : graph_(&g) {}
  output_edges(output_edges const&) = delete;
  output_edges& operator=(output_edges const&) = delete;

  graph_core& core() const noexcept { return *graph_; }
  // The only one, unless it is special. Two, without the lock.
  using successor_list::empty;
  using successor_list::find_only;
  using successor_list::look_at_two;
  std::size_t size() const noexcept {
    guard const held(lock_);
    return all().size() + (others_ != nullptr ? others_->pullers.size() : 0);
  }
  /// Some receiver is pushed to, only pulls, or has refused a message and asks.
  bool has_any() const noexcept {
    if (!empty() || has_pullers()) return true;
    guard const held(lock_);
    return all().size() + pulling_ != 0;
  }
  /// There are receivers that only pull.
  bool has_pullers() const noexcept { return puller_.load(mo::relaxed) != nullptr; }
  /// One has come to get its message.
  ASHLAR_ALWAYS_INLINE void count_pulled() noexcept {
    if (ASHLAR_UNLIKELY(is_special())) count_message(nullptr, true);
  }
  /// Throws std::bad_alloc.
  ASHLAR_EXPORT void describe(picture& to);

 protected:
  ~output_edges() {
    if (ASHLAR_UNLIKELY(others_ != nullptr)) delete others_;
    if (ASHLAR_UNLIKELY(tallies_ != nullptr)) drop_tallies();
  }
  // Throws std::bad_alloc.
  void insert(void* r, bool goes_first, bool foreign) {
    guard const held(lock_);
    successor_list::add(r, goes_first);
    if (ASHLAR_UNLIKELY(tallies_ != nullptr || graph_->counts_messages())) tally_edge(r);
    if (ASHLAR_UNLIKELY(foreign)) mark_foreign();
  }
  bool take_out(void* r) noexcept {
    guard const held(lock_);
    return successor_list::remove(r);
  }
  edge_copy copy() const {
    guard const held(lock_);
    return edge_copy(all());
  }
  // There was one.
  edge_copy copy_pullers() const {
    guard const held(lock_);
    return edge_copy(others_->pullers);
  }
  // The latest one, or null. The lock is not held.
  void* latest() const noexcept {
    guard const held(lock_);
    if (all().size() != 0) return all().last();
    return others_ != nullptr && others_->pullers.size() != 0 ? others_->pullers.last() : nullptr;
  }

  // ---- the lock is held
  // Throws std::bad_alloc.
  edge_list& make_pullers() {
    make_others();
    return others_->pullers;
  }
  void make_others() {
    if (others_ == nullptr) others_ = new others;
  }
  void publish_pullers() noexcept {
    edge_list const& them = others_->pullers;
    void* one = nullptr;
    if (them.size() != 0) one = them.size() == 1 && !foreign_ ? them.at(0) : several();
    puller_.store(one, mo::release);  // [FE1]
  }
  bool take_out_puller(void* r) noexcept {
    if (others_ == nullptr || !others_->pullers.remove(r)) return false;
    publish_pullers();
    return true;
  }
  // A receiver that gives its edge back through register_successor() is still counted.
  void end_pulling() noexcept {
    if (pulling_ != 0) --pulling_;
  }
  // An edge is in the list again.
  void count_returned(void* r) noexcept {
    end_pulling();
    if (ASHLAR_UNLIKELY(tallies_ != nullptr || graph_->counts_messages())) tally_edge(r);
  }
  void mark_foreign() noexcept {
    foreign_ = true;
    close(true);
  }

  // ---- a receiver of the program is told that it may pull: by one thread at a time. It stays in the list until it has
  // the sender in its own, so that nothing has to be put back. The lock is not held.
  // False: there is no edge, or somebody tells it already, and does so once more if need be. Throws std::bad_alloc.
  ASHLAR_EXPORT ASHLAR_COLD bool begin_telling(void* r);
  // `pulls`: it does from now on. False: the edge was removed meanwhile. `again`: it has refused another message since,
  // after which it may have given the edge back: it is still being told. Null: that is not asked for.
  ASHLAR_EXPORT ASHLAR_COLD bool end_telling(void* r, bool pulls, bool* again) noexcept;

  // Messages are counted, or there was a receiver of another graph.
  bool is_special() const noexcept { return is_closed(); }
  // r: null for a message that somebody has pulled.
  ASHLAR_EXPORT ASHLAR_COLD void count_message(void* r, bool taken) noexcept;

  graph_core* const graph_;
  mutable lock lock_;
  bool foreign_ = false;
  std::uint32_t pulling_ = 0;      // edges whose receivers have refused a message, and ask
  atomic<void*> puller_{nullptr};  // of those that only pull, as successor_list::only()

 private:
  // Few outputs have any; made for the first one.
  struct others {
    edge_list pullers;  // they only pull
    edge_list told;     // receivers of the program between begin_telling() and end_telling()
    edge_list again;    // those of them that have refused another message
  };
  others* others_ = nullptr;

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

ASHLAR_FLOW_PARTS

/// The successors of one output.
template <typename T>
class successors : public output_edges {
  using base = output_edges;

 public:
  using base::base;

  // Throws std::bad_alloc.
  void add(receiver<T>& r, sender<T>& from) {
    bool const foreign = &r.core() != graph_;
    if (ASHLAR_UNLIKELY(r.only_pulls())) return add_puller(r, from, foreign);
    insert(&r, r.priority() != no_priority, foreign);
    if (r.counts_predecessors()) r.register_predecessor(from);
  }
  // Also if the receiver pulls at the moment.
  void remove(receiver<T>& r, sender<T>& from) {
    if (ASHLAR_UNLIKELY(r.only_pulls())) return remove_puller(r, from);
    if (ASHLAR_UNLIKELY(!take_out(&r))) return remove_pulling(r, from);
    if (r.counts_predecessors()) r.remove_predecessor(from);
  }
  // In a reset, in which receivers forget their predecessors as well.
  void clear(sender<T>& from) {
    while (void* const r = latest()) remove(*static_cast<receiver<T>*>(r), from);
    guard const held(lock_);
    pulling_ = 0;
  }
  // sender::take_back(). False: it was removed meanwhile. Throws std::bad_alloc; then it still pulls.
  bool take_back(receiver<T>& r, sender<T>& from) {
    guard const held(lock_);
    if (!this->move_in(&r, r.priority() != no_priority, [&] { return r.remove_predecessor(from); })) return false;
    count_returned(&r);
    return true;
  }
  template <typename F>
  void for_each(F f) {
    edge_copy const all = copy();
    for (std::size_t i = 0; i < all.size(); ++i) f(*static_cast<receiver<T>*>(all[i]));
    if (!has_pullers()) return;
    edge_copy const pulling = copy_pullers();
    for (std::size_t i = 0; i < pulling.size(); ++i) f(*static_cast<receiver<T>*>(pulling[i]));
  }

  // Tells those that only pull, if there are any, that there may be something. Null or a job.
  job* announce() {
    void* const one = puller_.load(mo::acquire);  // [FE2]
    if (ASHLAR_LIKELY(is_one(one))) return static_cast<receiver<T>*>(one)->announce();
    return one == nullptr ? nullptr : announce_to_all();
  }

  // Those that push at this moment.
  edge_copy now() const { return copy(); }
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

  // The receivers that have refused may ask for the message from now on. The graph gets what they throw. True: an edge
  // was removed meanwhile.
  bool tell_refused(edge_list& refused_ones, sender<T>& from) noexcept {
    bool removed = false;
    for (std::size_t i = 0; i < refused_ones.size(); ++i) {
      ASHLAR_TRY { removed = !tell(*static_cast<receiver<T>*>(refused_ones.at(i)), from) || removed; }
      ASHLAR_CATCH_ALL { graph_->fail(); }
    }
    refused_ones.clear();
    return removed;
  }

  // Puts the message into all of them. Null: nobody has taken it.
  job* broadcast(T& v, passage p, sender<T>& from, edge_list* later = nullptr) {
    void* one;
    if (ASHLAR_UNLIKELY(!find_only(one))) return one == nullptr ? nullptr : broadcast_to_all(v, p, from, later);
    return put_into_only(*static_cast<receiver<T>*>(one), v, p, from, later);
  }
  // Puts the message into the first that takes it.
  job* offer(T& v, passage p, sender<T>& from, edge_list* later) {
    void* one;
    if (ASHLAR_LIKELY(find_only(one))) return put_into_only(*static_cast<receiver<T>*>(one), v, p, from, later);
    if (one == nullptr) return nullptr;
    edge_copy const all = copy();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (job* const answer = put(*static_cast<receiver<T>*>(all[i]), v, p, from, later)) return answer;
    }
    return nullptr;
  }

  ASHLAR_ALWAYS_INLINE job* put_into_only(receiver<T>& one, T& v, passage p, sender<T>& from, edge_list* later) {
    job* const answer = one.receive(v, p);
    if (ASHLAR_UNLIKELY(answer == nullptr)) refused(one, from, later);
    return answer;
  }
  ASHLAR_NOINLINE job* broadcast_to_all(T& v, passage p, sender<T>& from, edge_list* later) {
    void *first, *second;
    if (ASHLAR_LIKELY(look_at_two(first, second))) {
      return broadcast_to_two(*static_cast<receiver<T>*>(first), *static_cast<receiver<T>*>(second), v, p,
                              [&](receiver<T>& r, std::size_t) { this->refused(r, from, later); });
    }
    return broadcast_to_many(v, p, from, later);
  }
  // refused(receiver<T>& r, std::size_t which) is called for who has refused.
  template <typename Refused>
  ASHLAR_ALWAYS_INLINE job* broadcast_to_two(receiver<T>& first, receiver<T>& second, T& v, passage p,
                                             Refused const& refused) {
    job* const one = first.receive(v, p.shared());
    if (ASHLAR_UNLIKELY(one == nullptr)) refused(first, 0);
    return keep_last_of(*graph_, one, [&] {
      job* const other = second.receive(v, p);
      if (ASHLAR_UNLIKELY(other == nullptr)) refused(second, 1);
      return other;
    });
  }
  ASHLAR_NOINLINE job* broadcast_to_many(T& v, passage p, sender<T>& from, edge_list* later) {
    return broadcast_to_these(copy(), v, p, from, later);
  }
  ASHLAR_ALWAYS_INLINE job* broadcast_to_these(edge_copy const& all, T& v, passage p, sender<T>& from,
                                               edge_list* later) {
    job* last = nullptr;
    for (std::size_t i = 0; i < all.size(); ++i) {
      passage const its = i + 1 < all.size() ? p.shared() : p;
      last = keep_last_of(*graph_, last, [&] { return put(*static_cast<receiver<T>*>(all[i]), v, its, from, later); });
    }
    return last;
  }
  // The edge turns to pulling, if the receiver wants that. Only who turns it tells the receiver, at once or, with
  // `later`, by tell_refused(). Throws std::bad_alloc, which with `later` the graph gets; then the edge still pushes.
  ASHLAR_NOINLINE void refused(receiver<T>& r, sender<T>& from, edge_list* later) {
    if (ASHLAR_UNLIKELY(is_special())) count_message(&r, false);
    if (!r.may_pull()) return;
    bool const lists = r.lists_predecessors();
    if (later == nullptr) {
      if (!lists || turn(r, from)) tell(r, from);
      return;
    }
    if (!lists && later->has(&r)) return;  // it was pushed to once more
    ASHLAR_TRY {
      later->add(&r);
      if (lists && !turn(r, from)) later->remove(&r);
    }
    ASHLAR_CATCH_ALL { graph_->fail(); }
  }

 private:
  ASHLAR_NOINLINE job* announce_to_all() {
    edge_copy const all = copy_pullers();
    job* last = nullptr;
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto& r = *static_cast<receiver<T>*>(all[i]);
      last = job_or_null(keep_last_of(*graph_, last, [&] {
        job* const answer = r.announce();
        return ASHLAR_UNLIKELY(is_special()) && answer != nullptr ? taken(r, answer) : answer;
      }));
    }
    return last;
  }
  ASHLAR_NOINLINE void add_puller(receiver<T>& r, sender<T>& from, bool foreign) {
    {
      guard const held(lock_);
      edge_list& pullers = make_pullers();
      pullers.add(&r);
      ASHLAR_TRY { r.list_predecessor(from); }
      ASHLAR_CATCH_ALL {
        pullers.remove(&r);
        ASHLAR_RETHROW;
      }
      if (ASHLAR_UNLIKELY(foreign)) mark_foreign();
      publish_pullers();
    }
    ASHLAR_TRY { r.ask_predecessors(); }
    ASHLAR_CATCH_ALL {
      remove_puller(r, from);
      ASHLAR_RETHROW;
    }
  }
  ASHLAR_NOINLINE void remove_puller(receiver<T>& r, sender<T>& from) {
    guard const held(lock_);
    if (take_out_puller(&r)) r.remove_predecessor(from);
  }
  // It was not in the list. One that counts its predecessors never pulls, and is not told of what was no edge.
  ASHLAR_NOINLINE void remove_pulling(receiver<T>& r, sender<T>& from) {
    if (r.counts_predecessors()) return;
    if (r.lists_predecessors()) {
      guard const held(lock_);
      if (!successor_list::remove(&r) && r.remove_predecessor(from)) end_pulling();
    } else if (r.remove_predecessor(from)) {
      guard const held(lock_);
      end_pulling();
    } else {
      take_out(&r);  // it may have given the edge back meanwhile
    }
  }
  // From this list into the receiver's, of one that lists its predecessors. False: it doesn't want that, or there is no
  // edge. Throws std::bad_alloc; then it is still here.
  bool turn(receiver<T>& r, sender<T>& from) {
    sched::this_slot();  // a thread that has none may call observers when it gets one
    guard const held(lock_);
    bool const pulls = this->move_out(&r, [&] { return r.list_predecessor(from); });
    pulling_ += pulls ? 1 : 0;
    return pulls;
  }
  // The receiver may ask; one of the program may turn the edge. False: its edge was removed meanwhile.
  bool tell(receiver<T>& r, sender<T>& from) {
    if (ASHLAR_UNLIKELY(!r.lists_predecessors())) return tell_programs(r, from);
    r.ask_predecessors();
    return true;
  }
  ASHLAR_NOINLINE bool tell_programs(receiver<T>& r, sender<T>& from) {
    if (!begin_telling(&r)) return true;
    bool all_there = true, again;
    do {
      again = false;
      bool pulls = false;
      ASHLAR_TRY { pulls = r.register_predecessor(from); }
      ASHLAR_CATCH_ALL {
        end_telling(&r, false, nullptr);
        ASHLAR_RETHROW;
      }
      if (!end_telling(&r, pulls, &again)) {
        r.remove_predecessor(from);
        all_there = false;
      }
    } while (again);
    return all_there;
  }
  // By a receiver of another graph, perhaps, or one that is counted.
  ASHLAR_NOINLINE job* taken(receiver<T>& r, job* answer) {
    count_message(&r, true);
    if (answer == accepted() || &r.core() == graph_) return answer;
    r.core().start(*answer);
    return accepted();
  }
};

ASHLAR_FLOW_PARTS_END
