// SPDX-License-Identifier: Apache-2.0
// The predecessors that a receiver pulls from: the other ends of edges, beside the successors of edges.h.
//
// Threads    any. The lock of a sender's edges is taken before that of this list.
// Ordering   [FE3] the only predecessor: release -> [FE4] it is asked: acquire
// Model      tests/model/flow_edges_model.cpp; protocol: src/flow/README.md, 'Edges'
#pragma once

#include <ashlar/flow/edges/edge_list.h>
#include <ashlar/flow/edges/sender.h>
#include <ashlar/flow/engine/picture.h>

#include <cstddef>
#include <exception>

ASHLAR_FLOW_PARTS

/// The predecessors that a receiver pulls from.
template <typename T>
class predecessors {
 public:
  /// May be old: who adds one looks by itself whether there is something for it, after a step that those who look here
  /// take, too.
  bool empty() const noexcept { return size() == 0; }
  std::size_t size() const noexcept { return count_.load(mo::relaxed); }
  /// Throws std::bad_alloc.
  void add(sender<T>& s) {
    guard const held(lock_);
    list_.add(&s);
    publish();
  }
  bool remove(sender<T>& s) noexcept {
    guard const held(lock_);
    bool const found = list_.remove(&s);
    publish();
    return found;
  }
  /// The one to ask next, or null.
  sender<T>* front() const noexcept {
    if (sender<T>* const one = only()) return one;
    guard const held(lock_);
    return list_.size() != 0 ? static_cast<sender<T>*>(list_.first()) : nullptr;
  }
  /// It has nothing: it pushes from now on. Throws std::bad_alloc; then it is still asked, or pushes.
  void give_back(sender<T>& s, receiver<T>& to) {
    if (ASHLAR_UNLIKELY(!s.take_back(to))) give_back_to_programs(s, to);
  }
  /// Each once: one may come again at once. Throws what the first of them throws, after the last one was asked.
  void give_back_all(receiver<T>& to) {
    std::exception_ptr first;
    for_each([&](sender<T>& s) {
      ASHLAR_TRY { give_back(s, to); }
      ASHLAR_CATCH_ALL {
        if (!first) first = std::current_exception();
      }
    });
    if (first) std::rethrow_exception(first);
  }
  /// The same; the graph gets what they throw. The receiver has room. Who comes later looks for itself.
  ASHLAR_NOINLINE void give_back_all(receiver<T>& to, graph_core& g) noexcept {
    ASHLAR_TRY { give_back_all(to); }
    ASHLAR_CATCH_ALL { g.fail(); }
  }
  void clear() noexcept {
    guard const held(lock_);
    list_.clear();
    publish();
  }
  bool has(void const* s) const noexcept {
    guard const held(lock_);
    return list_.has(s);
  }
  /// Takes a message from the first that has one. The others keep their edges as they are: to give one back is to be
  /// pushed to, which is for a caller that has room again (give_back_all). One that has none would refuse, and be asked
  /// again, for ever.
  bool take(T& v, message_metainfo& m) {
    return find_if([&](sender<T>& s) { return s.try_get(v, m); }) != nullptr;
  }
  void describe(picture& to) {
    for_each([&to](sender<T>& s) { to.pulls_from(&s); });
  }
  /// The only one, or null: there is none, or there are several.
  sender<T>* only() const noexcept { return only_.load(mo::acquire); }  // [FE4]
  /// The first for which f returns true, or null.
  template <typename F>
  ASHLAR_ALWAYS_INLINE sender<T>* find_if(F const& f) {
    if (sender<T>* const one = only()) return f(*one) ? one : nullptr;
    return find_in_list(f);
  }
  template <typename F>
  void for_each(F f) {
    lock::scoped_lock held(lock_);
    edge_copy const all(list_);
    held.release();
    for (std::size_t i = 0; i < all.size(); ++i) f(*static_cast<sender<T>*>(all[i]));
  }

 private:
  template <typename F>
  ASHLAR_NOINLINE sender<T>* find_in_list(F const& f) {
    lock::scoped_lock held(lock_);
    edge_copy const all(list_);
    held.release();
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto* const s = static_cast<sender<T>*>(all[i]);
      if (f(*s)) return s;
    }
    return nullptr;
  }
  ASHLAR_NOINLINE void give_back_to_programs(sender<T>& s, receiver<T>& to) {
    if (!remove(s)) return;
    ASHLAR_TRY { s.register_successor(to); }
    ASHLAR_CATCH_ALL {
      // It may have the edge: what it does with a new successor can fail, too.
      s.remove_successor(to);
      add(s);
      ASHLAR_RETHROW;
    }
  }
  void publish() noexcept {
    count_.store(list_.size(), mo::relaxed);
    only_.store(list_.size() == 1 ? static_cast<sender<T>*>(list_.at(0)) : nullptr, mo::release);  // [FE3]
  }

  mutable lock lock_;
  edge_list list_;
  atomic<sender<T>*> only_{nullptr};
  atomic<std::size_t> count_{0};
};

/// A receiver of the library that may pull: what it does in register_predecessor() has two steps (sender.h).
template <typename T>
class pulling_receiver : public node_receiver<T> {
 public:
  bool register_predecessor(sender<T>& from) override {
    if (!this->list_predecessor(from)) return false;
    this->ask_predecessors();
    return true;
  }
  bool remove_predecessor(sender<T>& from) override { return predecessors_.remove(from); }
  bool lists_predecessors() const noexcept final { return true; }

 protected:
  ~pulling_receiver() override = default;

  predecessors<T> predecessors_;
};

ASHLAR_FLOW_PARTS_END
