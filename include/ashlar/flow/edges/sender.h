// SPDX-License-Identifier: Apache-2.0
// tbb::flow::sender and receiver, the ends of edges, which programs may implement. Users include <tbb/flow_graph.h>.
//
// An edge is in one of two states. Pushing: the receiver is in the sender's list, and messages are put into it.
// Pulling: the receiver has refused a message and has the sender in its own list; it asks for messages when it has
// room, and gives the edge back when there are none. Between two nodes of the library an edge changes its state, or is
// removed, while the sender's edges are locked, so that it is always in one list: edges.h.
#pragma once

#include <ashlar/flow/engine/graph.h>
#include <ashlar/flow/engine/message.h>
#include <ashlar/flow/engine/picture.h>

namespace tbb {
namespace flow {

// ---- what a put returns in programs' own receivers
#if ASHLAR_CLASSIC_DIALECT
using graph_task = ::tbb::task;
#else
/// A task that a put has made. Programs only pass it on.
class graph_task : public ::ashlar::sched::job {};
#endif

/// Who waits for what a message causes. Programs only pass it on.
class message_metainfo {
 public:
  message_metainfo() noexcept = default;
  explicit message_metainfo(::ashlar::flow::wait_token* t) noexcept : token_(t) {}
  bool empty() const noexcept { return token_ == nullptr; }
  ::ashlar::flow::wait_token* token() const noexcept { return token_; }
  /// Both wait. Throws std::bad_alloc.
  void merge(message_metainfo const& other) { ::ashlar::flow::wait_token::add(token_, other.token_); }

 private:
  ::ashlar::flow::wait_token* token_ = nullptr;
};

ASHLAR_FLOW_HOME(11)

/// The message was taken, and there is nothing to run.
inline graph_task* const SUCCESSFULLY_ENQUEUED = reinterpret_cast<graph_task*>(std::uintptr_t(-1));

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, SUCCESSFULLY_ENQUEUED)
}  // namespace flow
}  // namespace tbb

ASHLAR_FLOW_PARTS
using tbb::flow::graph_task;
using tbb::flow::message_metainfo;

// Between what the virtual functions of this dialect return and what the library passes on.
#if ASHLAR_CLASSIC_DIALECT
/// Bit 0 tells a job of ours from a task that the program has made.
inline job* answer_of(graph_task* t) {
  auto const word = reinterpret_cast<std::uintptr_t>(t);
  if (t == nullptr || t == tbb::flow::SUCCESSFULLY_ENQUEUED) return reinterpret_cast<job*>(word);
  if ((word & 1) != 0) return reinterpret_cast<job*>(word & ~std::uintptr_t{1});
  tbb::task::spawn(*t);
  return accepted();
}
inline graph_task* task_of(job* answer) noexcept {
  auto const word = reinterpret_cast<std::uintptr_t>(answer);
  return reinterpret_cast<graph_task*>(answer == nullptr ? word : word | 1);
}
#else
inline job* answer_of(graph_task* t) noexcept { return t; }
inline graph_task* task_of(job* answer) noexcept { return static_cast<graph_task*>(answer); }
#endif

ASHLAR_FLOW_PARTS_END

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

#if ASHLAR_CLASSIC_DIALECT && defined(TBB_DEPRECATED_FLOW_NODE_EXTRACTION) && TBB_DEPRECATED_FLOW_NODE_EXTRACTION
/// The edges that a program's own sender or receiver says it has. Nodes of the library keep no second list.
template <typename End>
class edge_container {
 public:
  using edge_list_type = std::list<End*>;
  void add_edge(End& e) { edges_.push_back(&e); }
  void delete_edge(End& e) { edges_.remove(&e); }
  void copy_edges(edge_list_type& to) { to = edges_; }
  std::size_t edge_count() { return edges_.size(); }
  void clear() { edges_.clear(); }

 private:
  edge_list_type edges_;
};
template <typename End>
edge_container<End>& no_built_edges() {
  static edge_container<End> none;
  return none;
}
#endif

template <typename T>
class receiver;

/// What messages come from.
template <typename T>
class sender {
 public:
  using output_type = T;
  using successor_type = receiver<T>;

  virtual ~sender() = default;
  /// Makes the edge, or gives it back to pushing. False: not taken.
  virtual bool register_successor(successor_type& r) = 0;
  virtual bool remove_successor(successor_type& r) = 0;
  /// The library's senders: a receiver that has the sender in its list gives the edge back to pushing, unless it is
  /// removed meanwhile. It calls remove_predecessor(). Throws std::bad_alloc; then the receiver still pulls, or is
  /// pushed to. False: a sender of the program, for which nothing was done.
  virtual bool take_back(successor_type&) { return false; }

  /// Takes a message, if there is one.
  virtual bool try_get(T&) { return false; }
  virtual bool try_get(T& v, message_metainfo&) { return try_get(v); }
  /// Shows a message that stays until try_consume or try_release is called. One at a time.
  virtual bool try_reserve(T&) { return false; }
  virtual bool try_reserve(T& v, message_metainfo&) { return try_reserve(v); }
  virtual bool try_release() { return false; }
  virtual bool try_consume() { return false; }
  /// A receiver that only pulls stays in both lists, and is told by announce() when there may be something for it.
  virtual bool announces() const noexcept { return false; }
  /// try_consume(), and whether there may be more.
  virtual bool consume_and_look() {
    try_consume();
    return true;
  }

#if ASHLAR_CLASSIC_DIALECT
  using successor_list_type = std::list<successor_type*>;
  virtual std::size_t successor_count() { return 0; }
  virtual void copy_successors(successor_list_type&) {}
#if defined(TBB_DEPRECATED_FLOW_NODE_EXTRACTION) && TBB_DEPRECATED_FLOW_NODE_EXTRACTION
  using built_successors_type = edge_container<successor_type>;
  virtual built_successors_type& built_successors() { return no_built_edges<successor_type>(); }
  virtual void internal_add_built_successor(successor_type&) {}
  virtual void internal_delete_built_successor(successor_type&) {}
#endif
#endif
};

/// What messages are put into.
template <typename T>
class receiver {
 public:
  using input_type = T;
  using predecessor_type = sender<T>;

  virtual ~receiver() = default;

  /// Puts a copy of the message. False: refused. Any thread.
  bool try_put(T const& v) { return put(const_cast<T&>(v), ::ashlar::flow::passage::copied()); }
  /// The same without a copy; a refused message stays where it is.
  bool try_put(T&& v) { return put(v, ::ashlar::flow::passage::moved()); }
  /// Puts the message and waits until all that it causes in the graph is over; the calling thread takes part in the
  /// work. A message that a buffer keeps is waited for as long as the buffer has a successor. The wait ends early when
  /// the graph is cancelled, and throws what a body has thrown.
  bool try_put_and_wait(T const& v) { return put_and_wait(const_cast<T&>(v), false); }
  /// The same without a copy; a refused message stays where it is.
  bool try_put_and_wait(T&& v) { return put_and_wait(v, true); }

  virtual bool register_predecessor(predecessor_type&) { return false; }
  virtual bool remove_predecessor(predecessor_type&) { return false; }
  // ---- what the library's receivers do in register_predecessor(), in two steps
  /// They do; then remove_predecessor(), too, calls nobody.
  virtual bool lists_predecessors() const noexcept { return false; }
  /// It has the sender in its list from now on; false: it does not want to pull. Calls nobody: the sender's edges are
  /// locked. Throws std::bad_alloc.
  virtual bool list_predecessor(predecessor_type&) { return false; }
  /// Looks whether there is something for it, after it was listed.
  virtual void ask_predecessors() {}

  // ---- how nodes hand messages to each other
  // Takes the message: null if it is refused, ashlar::flow::accepted(), or a job that is to be run, which is the
  // caller's.
  virtual ::ashlar::sched::job* receive(T& v, ::ashlar::flow::passage p) {
    T const& value = v;
    if (p.token() != nullptr) return ::ashlar::flow::answer_of(try_put_task(value, message_metainfo(p.token())));
    return ::ashlar::flow::answer_of(try_put_task(value));
  }
  /// It fires when all predecessors have sent, and so must know of each.
  virtual bool counts_predecessors() const noexcept { return false; }
  /// Messages to several receivers go to those with a priority first.
  virtual node_priority_t priority() const { return no_priority; }
  /// Whether a refusal may turn the edge to pulling.
  virtual bool may_pull() const noexcept { return true; }
  /// It takes messages by pulling only.
  virtual bool only_pulls() const noexcept { return false; }
  /// A sender that announces has something, or what another one had reserved is back. Null or a job, the caller's.
  virtual ::ashlar::sched::job* announce() { return nullptr; }
  // Where a file's own message type has no receiver g++ knows that nothing calls this, and warns of what it puts there.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
  ::ashlar::flow::graph_core& core() const { return graph_reference().core(); }
#pragma GCC diagnostic pop
  graph& its_graph() const { return graph_reference(); }

#if ASHLAR_CLASSIC_DIALECT
  using predecessor_list_type = std::list<predecessor_type*>;
  virtual std::size_t predecessor_count() {
    std::size_t n = 0;
    core().for_each_predecessor(this, [](void* count, void*) { ++*static_cast<std::size_t*>(count); }, &n);
    return n;
  }
  virtual void copy_predecessors(predecessor_list_type& to) {
    core().for_each_predecessor(
        this,
        [](void* list, void* from) {
          static_cast<predecessor_list_type*>(list)->push_back(static_cast<predecessor_type*>(from));
        },
        &to);
  }
#if defined(TBB_DEPRECATED_FLOW_NODE_EXTRACTION) && TBB_DEPRECATED_FLOW_NODE_EXTRACTION
  using built_predecessors_type = edge_container<predecessor_type>;
  virtual built_predecessors_type& built_predecessors() { return no_built_edges<predecessor_type>(); }
  virtual void internal_add_built_predecessor(predecessor_type&) {}
  virtual void internal_delete_built_predecessor(predecessor_type&) {}
#endif
#endif

 protected:
  virtual graph_task* try_put_task(T const& v) = 0;
  virtual graph_task* try_put_task(T const& v, message_metainfo const&) { return try_put_task(v); }
  virtual graph& graph_reference() const = 0;
#if ASHLAR_CLASSIC_DIALECT
  virtual void reset_receiver(reset_flags = rf_reset_protocol) {}
  virtual bool is_continue_receiver() { return false; }
#endif

 private:
  bool put(T& v, ::ashlar::flow::passage p) {
    ::ashlar::sched::job* const answer = receive(v, p);
    if (answer == nullptr) return false;
    if (answer != ::ashlar::flow::accepted()) core().start(*answer);
    return true;
  }
  ASHLAR_ALWAYS_INLINE bool put_and_wait(T& v, bool may_move);
};

template <typename T>
ASHLAR_ALWAYS_INLINE bool receiver<T>::put_and_wait(T& v, bool may_move) {
  using ::ashlar::flow::passage;
  ::ashlar::flow::graph_core& g = core();
  ::ashlar::sched::slot& s = ::ashlar::sched::this_slot();
  ::ashlar::flow::wait_token token(s);
  ::ashlar::sched::job* answer = nullptr;
  ASHLAR_TRY { answer = receive(v, may_move ? passage::moved(&token) : passage::copied(&token)); }
  ASHLAR_CATCH_ALL {
    // Some receivers may have taken it.
    g.wait_for_token(token);
    ASHLAR_RETHROW;
  }
  if (auto* const j = ::ashlar::flow::job_or_null(answer)) g.start(s, *j);
  g.wait_for_token(token);
  return answer != nullptr;
}

/// Messages of the sender go to the receiver from now on. Any thread.
template <typename T>
void make_edge(sender<T>& from, receiver<T>& to) {
  from.register_successor(to);
}
/// Undoes one make_edge; without an edge it does nothing.
template <typename T>
void remove_edge(sender<T>& from, receiver<T>& to) {
  from.remove_successor(to);
}

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, sender)
ASHLAR_FLOW_KNOWN_IN(11, receiver)
ASHLAR_FLOW_KNOWN_IN(11, make_edge)
ASHLAR_FLOW_KNOWN_IN(11, remove_edge)
}  // namespace flow
}  // namespace tbb

ASHLAR_FLOW_PARTS
using tbb::flow::receiver;
using tbb::flow::sender;

/// How an edge is made and taken away: between ends of one type, or as a specialisation for two types says.
template <typename From, typename To, typename = void>
struct edge_between;
template <typename T>
struct edge_between<T, T> {
  static void make(sender<T>& from, receiver<T>& to) { from.register_successor(to); }
  static void remove(sender<T>& from, receiver<T>& to) { from.remove_successor(to); }
};
// What the library calls by a qualified name: a make_edge of the program's, beside the messages' class, stays out.
template <typename From, typename To>
void connect(sender<From>& from, receiver<To>& to) {
  edge_between<From, To>::make(from, to);
}
template <typename From, typename To>
void disconnect(sender<From>& from, receiver<To>& to) {
  edge_between<From, To>::remove(from, to);
}

/// A receiver of the library: receive() is what it implements.
template <typename T>
class node_receiver : public receiver<T> {
 public:
  job* receive(T& v, passage p) override = 0;

 protected:
  graph_task* try_put_task(T const& v) final { return task_of(receive(const_cast<T&>(v), passage::copied())); }
  graph_task* try_put_task(T const& v, message_metainfo const& m) final {
    return task_of(receive(const_cast<T&>(v), passage::copied(m.token())));
  }
};

/// An output tells a picture of itself.
template <typename T>
void tell_output(picture& to, sender<T>& s, picture::output_kind k) {
#if ASHLAR_CLASSIC_DIALECT && defined(TBB_DEPRECATED_FLOW_NODE_EXTRACTION) && TBB_DEPRECATED_FLOW_NODE_EXTRACTION
  to.output(&s, k, [](void* from, void* r) {
    static_cast<sender<T>*>(from)->remove_successor(*static_cast<receiver<T>*>(r));
  });
#else
  to.output(&s, k);
#endif
}

ASHLAR_FLOW_PARTS_END
