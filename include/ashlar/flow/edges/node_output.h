// SPDX-License-Identifier: Apache-2.0
// Senders of the library: those with a list of successors, and the output of a node that keeps nothing.
#pragma once

#include <ashlar/flow/edges/edges.h>

ASHLAR_FLOW_PARTS

/// A sender of the library: the list of its successors.
template <typename T>
class listing_sender : public sender<T> {
 public:
  using successor_type = receiver<T>;
  bool register_successor(successor_type& r) override {
    successors_.add(r, *this);
    serve(r);
    return true;
  }
  bool take_back(successor_type& r) override {
    if (successors_.take_back(r, *this)) serve(r);
    return true;
  }
  bool remove_successor(successor_type& r) override {
    successors_.remove(r, *this);
    return true;
  }
  bool announces() const noexcept final { return true; }
#if ASHLAR_CLASSIC_DIALECT
  std::size_t successor_count() override { return successors_.size(); }
  void copy_successors(typename sender<T>::successor_list_type& to) override {
    successors_.for_each([&to](successor_type& r) { to.push_back(&r); });
  }
#endif

 protected:
  explicit listing_sender(graph_core& g) noexcept : successors_(g) {}
  /// Of another node of the same graph, without its edges.
  listing_sender(listing_sender const& other) noexcept : sender<T>(), successors_(other.successors_.core()) {}
  ~listing_sender() override = default;
  /// A successor has come, or is pushed to again: what a sender that keeps something does for it.
  virtual void serve(successor_type&) {}
  void reset_output(reset_flags f) {
    if ((f & rf_clear_edges) != 0) successors_.clear(*this);
  }
  void describe_output(picture& to, picture::output_kind k = picture::output_kind::loses) {
    tell_output<T>(to, *this, k);
    successors_.describe(to);
  }

  successors<T> successors_;
};

/// The output of a node that keeps nothing.
template <typename T>
class node_output : public listing_sender<T> {
 public:
  using successor_type = receiver<T>;

  explicit node_output(graph_core& g) noexcept : listing_sender<T>(g) {}

 protected:
  // Sends it for `n`, which has this output. Null: nobody has taken it. What is rare has functions of its own, which
  // get the node, so that the callers need no other register.
  template <typename Node>
  ASHLAR_ALWAYS_INLINE static job* broadcast(Node& n, T& v, passage p) {
    void* only;
    if (ASHLAR_UNLIKELY(!output_of(n).successors_.find_only(only))) {
      return only == nullptr ? nullptr : broadcast_to_all(n, v, p);
    }
    job* const answer = static_cast<receiver<T>*>(only)->receive(v, p);
    if (ASHLAR_UNLIKELY(answer == nullptr)) turn_refused(n, 0);
    return answer;
  }

 private:
  template <typename Node>
  ASHLAR_ALWAYS_INLINE static node_output& output_of(Node& n) noexcept {
    return static_cast<node_output&>(n);
  }
  template <typename Node>
  ASHLAR_NOINLINE static job* broadcast_to_all(Node& n, T& v, passage p) {
    successors<T>& all = output_of(n).successors_;
    void *first, *second;
    if (ASHLAR_LIKELY(all.look_at_two(first, second))) {
      return all.broadcast_to_two(*static_cast<receiver<T>*>(first), *static_cast<receiver<T>*>(second), v, p,
                                  [&n](receiver<T>&, std::size_t which) { turn_refused(n, which); });
    }
    return all.broadcast_to_many(v, p, output_of(n), nullptr);
  }
  // `which`: of the successors. Another one, which refuses at times, may have taken its place meanwhile: it asks for a
  // message, gets none, and is pushed to again. What comes in between is lost to it, as at any moment at which it is
  // busy: a node that keeps nothing comes before it.
  template <typename Node>
  ASHLAR_NOINLINE static void turn_refused(Node& n, std::size_t which) {
    edge_copy const all = output_of(n).successors_.now();
    if (which >= all.size()) return;
    output_of(n).successors_.refused(*static_cast<receiver<T>*>(all[which]), output_of(n), nullptr);
  }
};

ASHLAR_FLOW_PARTS_END
